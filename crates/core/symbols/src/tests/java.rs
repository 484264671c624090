use super::{check, check_imports, parsed};
use crate::Language::Java;
use crate::TestFramework;

#[test]
fn declarations() {
    check(
        Java,
        "package a;\n@Service\npublic class Session<T> extends Base {\n  public static final int MAX = 1;\n  \
         public Session() {}\n  public void end() { class Hidden { void x() {} } }\n  void near() {}\n  \
         private void own() {}\n  public static class Part { public void x() {} }\n  \
         Runnable r = new Runnable() { public void run() {} };\n}\n\
         interface Near { void a(); }\n\
         public interface Store { void get(); private void own() {} }\n\
         public enum Kind { A { void x() {} }, B; public int of() { return 1; } }\n\
         public record Point(int x) { public int len() { return x; } }\n\
         public @interface Mark { String value(); }\n",
        &[
            "class Session+ 2-11",
            "method Session.end+ 6-6",
            "method Session.near 7-7",
            "method Session.own 8-8",
            "class Session.Part+ 9-9",
            "method Session.Part.x+ 9-9",
            "interface Near 12-12",
            "method Near.a 12-12",
            "interface Store+ 13-13",
            "method Store.get+ 13-13",
            "method Store.own 13-13",
            "enum Kind+ 14-14",
            "method Kind.of+ 14-14",
            "class Point+ 15-15",
            "method Point.len+ 15-15",
            "interface Mark+ 16-16",
        ],
    );
}

#[test]
fn annotations_mark_tests() {
    let source = "import org.junit.jupiter.api.Test;\npublic class A {\n  @Test void a() {}\n  \
                  @org.junit.Test public void b() {}\n  @ParameterizedTest(name = \"x\") void c() {}\n  @Before void d() {}\n}\n";
    check(
        Java,
        source,
        &["class A+ 2-7", "method A.a T 3-3", "method A.b+ T 4-4", "method A.c T 5-5", "method A.d 6-6"],
    );
    assert_eq!(parsed(Java, source).test_framework, Some(TestFramework::Junit));
    let other = source.replace("org.junit.jupiter.api", "org.testng.annotations");
    assert_eq!(parsed(Java, &other).test_framework, None);
}

#[test]
fn imports_are_names() {
    check_imports(
        Java,
        "import java.util.List;\nimport static org.junit.Assert.*;\nimport java.io.*;",
        &["java.io", "java.util.List", "org.junit.Assert"],
    );
}
