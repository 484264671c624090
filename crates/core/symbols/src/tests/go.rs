use super::{check, check_imports, parsed};
use crate::Language::Go;
use crate::TestFramework;

#[test]
fn declarations() {
    check(
        Go,
        "package a\n\nfunc Run(a int) int {\n\tf := func() {}\n\treturn a\n}\nfunc own() {}\n\
         type Session struct { ID string }\ntype Store interface { Get() }\ntype ID = string\ntype Count int\n\
         type (\n\tA struct{}\n\tb struct{}\n)\n\
         const Max = 1\nconst (\n\tX, y = 1, 2\n\t_ = 3\n)\nvar Name string\nvar (\n\tp = 1\n)\n\
         func (s *Session) End() {}\nfunc (s Session) own() {}\nfunc (x *b) Seen() {}\nfunc (l List[K, V]) Len() {}\n",
        &[
            "function Run+ 3-6",
            "function own 7-7",
            "struct Session+ 8-8",
            "interface Store+ 9-9",
            "type_alias ID+ 10-10",
            "type_alias Count+ 11-11",
            "struct A+ 13-13",
            "struct b 14-14",
            "constant Max+ 16-16",
            "constant X+ 18-18",
            "constant y 18-18",
            "variable Name+ 21-21",
            "variable p 23-23",
            "method Session.End+ 25-25",
            "method Session.own 26-26",
            "method b.Seen 27-27",
            "method List.Len+ 28-28",
        ],
    );
}

#[test]
fn tests_are_functions_by_their_signature() {
    check(
        Go,
        "package a\nfunc TestA(t *testing.T) {}\nfunc Testify(t *testing.T) {}\nfunc TestB() {}\n\
         func BenchmarkA(b *testing.B) {}\nfunc FuzzA(f *testing.F) {}\nfunc ExampleA() {}\nfunc TestMain(m *testing.M) {}\n",
        &[
            "function TestA+ T 2-2",
            "function Testify+ 3-3",
            "function TestB+ 4-4",
            "function BenchmarkA+ T 5-5",
            "function FuzzA+ T 6-6",
            "function ExampleA+ T 7-7",
            "function TestMain+ T 8-8",
        ],
    );
    let source = "package a\nfunc TestA(t *testing.T) {}";
    assert_eq!(parsed(Go, source).test_framework, Some(TestFramework::GoTest));
    assert_eq!(parsed(Go, "package a").test_framework, None);
}

#[test]
fn imports_alone_and_in_groups() {
    check_imports(
        Go,
        "package a\nimport \"os\"\nimport (\n\t\"fmt\"\n\tx \"a/b\"\n\t_ `c`\n)\n",
        &["a/b", "c", "fmt", "os"],
    );
}
