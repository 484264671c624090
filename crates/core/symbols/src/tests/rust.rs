use super::{check, check_imports, lines, parsed};
use crate::Language::Rust;
use crate::TestFramework;

#[test]
fn items() {
    check(
        Rust,
        "pub fn run<T>(a: T) -> T {\n    fn inner() {}\n    a\n}\n\
         pub(crate) fn near() {}\n\
         pub struct Session<'a> { id: &'a str }\n\
         pub enum Kind { A, B }\n\
         pub union U { a: u8 }\n\
         pub type Id = u64;\n\
         pub const MAX: usize = 3;\n\
         pub static NAME: &str = \"\";\n\
         const _: () = ();\n\
         macro_rules! own { () => {} }\n\
         #[macro_export]\nmacro_rules! shared { () => {} }\n\
         mod elsewhere;\n",
        &[
            "function run+ 1-4",
            "function near 5-5",
            "struct Session+ 6-6",
            "enum Kind+ 7-7",
            "struct U+ 8-8",
            "type_alias Id+ 9-9",
            "constant MAX+ 10-10",
            "variable NAME+ 11-11",
            "macro own 13-13",
            "macro shared+ 15-15",
        ],
    );
}

#[test]
fn members_belong_to_their_type() {
    check(
        Rust,
        "impl<'a> Session<'a> {\n    pub const MAX: u8 = 1;\n    pub fn end(self) {}\n    fn own(&self) {}\n}\n\
         impl std::fmt::Display for Session<'_> {\n    type Out = u8;\n    fn fmt(&self) {}\n}\n\
         pub trait Store {\n    fn get(&self) -> u8;\n    fn put(&self) {}\n}\n\
         trait Own { fn x(&self); }\n\
         struct Hidden;\n\
         impl Hidden { pub fn seen(&self) {} }\n\
         impl Drop for Hidden { fn drop(&mut self) {} }\n\
         pub struct Session<'a>(&'a str);\n",
        &[
            "constant Session.MAX+ 2-2",
            "method Session.end+ 3-3",
            "method Session.own 4-4",
            "method Session.fmt+ 8-8",
            "trait Store+ 10-13",
            "method Store.get+ 11-11",
            "method Store.put+ 12-12",
            "trait Own 14-14",
            "method Own.x 14-14",
            "struct Hidden 15-15",
            "method Hidden.seen 16-16",
            "method Hidden.drop 17-17",
            "struct Session+ 18-18",
        ],
    );
}

#[test]
fn modules_and_tests() {
    check(
        Rust,
        "pub mod a {\n    pub struct S;\n    impl S { pub fn f() {} }\n    mod b { pub fn g() {} }\n}\n\
         #[cfg(test)]\nmod tests {\n    use super::*;\n    fn helper() {}\n    #[test]\n    #[ignore]\n    fn works() {}\n}\n\
         #[tokio::test]\nasync fn waits() {}\n\
         #[inline]\npub fn plain() {}\n\
         #[cfg(test)]\nuse x::Y;\npub fn not_a_test() {}\n\
         #[cfg(not(test))]\npub fn neither() {}\n",
        &[
            "module a+ 1-5",
            "struct a.S+ 2-2",
            "method a.S.f+ 3-3",
            "module a.b 4-4",
            "function a.b.g 4-4",
            "module tests T 7-13",
            "function tests.helper T 9-9",
            "function tests.works T 12-12",
            "function waits T 15-15",
            "function plain+ 17-17",
            "function not_a_test+ 20-20",
            "function neither+ 22-22",
        ],
    );
    assert_eq!(parsed(Rust, "#[test]\nfn a() {}").test_framework, Some(TestFramework::RustTest));
    assert_eq!(parsed(Rust, "fn a() {}").test_framework, None);
}

#[test]
fn imports_are_paths_without_their_last_list() {
    check_imports(
        Rust,
        "use std::{fs, io};\nuse crate::a::B;\nuse super::*;\nuse a::b::{self, C};\nuse x as y;\nextern crate alloc;\nuse {p, q};",
        &["a::b", "alloc", "crate::a::B", "std", "super", "x"],
    );
}

#[test]
fn broken_source_yields_the_symbols_that_parse() {
    let found = parsed(Rust, "pub fn a() {}\npub fn b( {\npub struct C;\n}\npub fn d() {}\n");
    assert!(found.has_errors);
    assert!(lines(&found).contains(&"function a+ 1-1".to_owned()), "{:?}", lines(&found));
}
