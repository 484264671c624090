use super::parsed;
use crate::Language;
use crate::Language::{Go, Java, Python, Rust, TypeScript};

/// Checks directives as lines: their line, the ids, and the symbol that they belong to.
fn check(language: Language, source: &str, expected: &[&str]) {
    let found = parsed(language, source);
    let lines: Vec<String> = found
        .directives
        .iter()
        .map(|directive| {
            let symbol = directive.symbol.map_or("-", |index| &found.symbols[index].qualified_name);
            format!("{} {} {symbol}", directive.line, directive.requirements.join(","))
        })
        .collect();
    assert_eq!(lines, expected, "{source}");
}

#[test]
fn the_symbol_that_begins_after_the_comment() {
    check(TypeScript, "// implements REQ-1\nexport function a() {}\nfunction b() {}", &["1 REQ-1 a"]);
    check(TypeScript, "/**\n * implements REQ-1, REQ-2\n */\n@D()\nexport class A {}", &["2 REQ-1,REQ-2 A"]);
    check(TypeScript, "// implements REQ-1\n\n// More.\nimport 'x';\nexport const a = 1;", &["1 REQ-1 a"]);
    check(TypeScript, "class A {\n  // implements REQ-1\n  @D()\n  run() {}\n}", &["2 REQ-1 A.run"]);
    check(TypeScript, "/* implements REQ-1 */ export const a = 1, b = 2;", &["1 REQ-1 a"]);
    check(Python, "# implements REQ-1\n@cache\ndef a(): pass\n", &["1 REQ-1 a"]);
    check(Python, "def a():\n    return 1\n\n# implements REQ-2\ndef b():\n    pass\n", &["4 REQ-2 b"]);
    check(
        Python,
        "class A:\n    # implements REQ-1\n    def b(self): pass\n\n    # implements REQ-2\n    def c(self): pass\n",
        &["2 REQ-1 A.b", "5 REQ-2 A.c"],
    );
    check(Rust, "/// Ends it.\n/// implements REQ-1\n#[inline]\npub fn a() {}", &["2 REQ-1 a"]);
    check(Rust, "impl A {\n    /* implements REQ-1 */\n    fn b() {}\n}", &["2 REQ-1 A.b"]);
    check(Go, "package a\n\n// implements REQ-1\nfunc A() {}\n", &["3 REQ-1 A"]);
    check(Go, "package a\ntype (\n\t// implements REQ-1\n\tA struct{}\n\tB struct{}\n)\n", &["3 REQ-1 A"]);
    check(Java, "// implements REQ-1\npackage a;\nimport b.C;\n@D\npublic class A {}", &["1 REQ-1 A"]);
    check(Java, "class A {\n  /** implements REQ-1 */\n  @D void b() {}\n}", &["2 REQ-1 A.b"]);
}

#[test]
fn a_comment_about_a_file_belongs_to_none_of_its_symbols() {
    check(Rust, "//! implements REQ-1\n\npub struct A;", &["1 REQ-1 -"]);
    check(Rust, "/*! implements REQ-1 */\npub struct A;", &["1 REQ-1 -"]);
    check(Rust, "pub mod m {\n    //! implements REQ-1\n    pub struct A;\n}", &["2 REQ-1 m"]);
    check(Go, "// Package a implements REQ-1\npackage a\n\nfunc First() {}\n", &["1 REQ-1 -"]);
    check(Python, "\"\"\"implements REQ-1\"\"\"\n\ndef a(): pass\n", &["1 REQ-1 -"]);
}

#[test]
fn the_symbol_that_encloses_the_comment() {
    check(
        TypeScript,
        "function a() {\n  // implements REQ-1\n  return 1;\n}\nfunction b() {}",
        &["2 REQ-1 a"],
    );
    check(TypeScript, "const a = () => {\n  f(() => {\n    // implements REQ-1\n  });\n};", &["3 REQ-1 a"]);
    check(
        TypeScript,
        "class A {\n  run() { /* implements REQ-1 */ }\n  // implements REQ-2\n}",
        &["2 REQ-1 A.run", "3 REQ-2 A"],
    );
    check(TypeScript, "interface A {\n  // implements REQ-1\n  b(): void;\n}", &["2 REQ-1 A"]);
    check(Python, "def a():\n    # implements REQ-1\n    return 1\n\ndef b(): pass\n", &["2 REQ-1 a"]);
    check(Python, "def a():\n    \"\"\"Ends it.\n\n    implements REQ-1\n    \"\"\"\n", &["4 REQ-1 a"]);
    check(Python, "class A:\n    '''implements REQ-1'''\n    def b(self): pass\n", &["2 REQ-1 A"]);
    check(Rust, "fn a() {\n    // implements REQ-1\n    fn inner() {}\n}", &["2 REQ-1 a"]);
    check(Rust, "mod m {\n    //! implements REQ-1\n}\nfn a() {}", &["2 REQ-1 m"]);
    check(Go, "package a\nfunc A() {\n\t// implements REQ-1\n}\n", &["3 REQ-1 A"]);
    check(Java, "class A {\n  void b() {\n    // implements REQ-1\n  }\n}", &["3 REQ-1 A.b"]);
}

#[test]
fn the_symbol_that_ends_on_the_line() {
    check(TypeScript, "export const a = 1; // implements REQ-1\nexport const b = 2;", &["1 REQ-1 a"]);
    check(
        TypeScript,
        "class A {\n  run() {} // implements REQ-1\n  stop() {}\n} // implements REQ-2\n",
        &["2 REQ-1 A.run", "4 REQ-2 A"],
    );
    check(Python, "A = 1  # implements REQ-1\nB = 2\n", &["1 REQ-1 A"]);
    check(Rust, "fn a() {} // implements REQ-1\nfn b() {}", &["1 REQ-1 a"]);
}

#[test]
fn no_symbol() {
    check(TypeScript, "// implements REQ-1\napp.get('/', f);\nfunction a() {}", &["1 REQ-1 -"]);
    check(TypeScript, "function a() {}\n\n// implements REQ-1\n", &["3 REQ-1 -"]);
    check(TypeScript, "const a = 'implements REQ-1';", &[]);
    check(Python, "a = 'implements REQ-1'\n", &[]);
    check(Python, "\"\"\"implements REQ-1\"\"\"\n", &["1 REQ-1 -"]);
}
