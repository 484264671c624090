use super::{check, check_imports, lines, parsed};
use crate::Language::Python;
use crate::TestFramework;

#[test]
fn functions_classes_and_variables() {
    check(
        Python,
        "VERSION = '1'\ncounter: int = 0\n_own = 1\nshort = lambda x: x\ntype Id = int\n\n\
         def run(a):\n    def inner(): pass\n    local = 1\n    return a\n\n\
         async def go(): pass\n\n\
         class Session(Base):\n    limit = 3\n    def __init__(self): pass\n    def end(self): pass\n    \
         @staticmethod\n    def of(): pass\n    class Part:\n        def x(self): pass\n\n\
         class _Own:\n    def end(self): pass\n\n\
         if True:\n    def conditional(): pass\n",
        &[
            "constant VERSION+ 1-1",
            "variable counter+ 2-2",
            "variable _own 3-3",
            "function short+ 4-4",
            "type_alias Id+ 5-5",
            "function run+ 7-10",
            "function go+ 12-12",
            "class Session+ 14-21",
            "method Session.__init__ 16-16",
            "method Session.end+ 17-17",
            "method Session.of+ 18-19",
            "class Session.Part+ 20-21",
            "method Session.Part.x+ 21-21",
            "class _Own 23-24",
            "method _Own.end 24-24",
            "function conditional+ 27-27",
        ],
    );
}

#[test]
fn bases_decide_the_kind() {
    check(
        Python,
        "class A(str, enum.Enum): pass\nclass B(Protocol[T]): pass\nclass C(TypedDict, total=False): pass\n\
         class D(unittest.TestCase):\n    def test_x(self): pass\n",
        &["enum A+ 1-1", "interface B+ 2-2", "interface C+ 3-3", "class D+ T 4-5", "method D.test_x+ T 5-5"],
    );
}

#[test]
fn all_lists_the_exports() {
    check(
        Python,
        "__all__ = ['a', \"_c\"]\ndef a(): pass\ndef b(): pass\ndef _c(): pass\nclass D:\n    def e(self): pass\n",
        &["function a+ 2-2", "function b 3-3", "function _c+ 4-4", "class D 5-6", "method D.e 6-6"],
    );
}

#[test]
fn decorators_belong_to_the_function() {
    check(Python, "@app.get('/')\n@cache\ndef index():\n    return 1\n", &["function index+ 1-4"]);
}

#[test]
fn imports_of_all_kinds() {
    check_imports(
        Python,
        "import os, sys as system\nimport a.b\nfrom . import c\nfrom ..d import e\nfrom f.g import *\n\
         from __future__ import annotations\ndef f():\n    import local\n",
        &[".", "..d", "__future__", "a.b", "f.g", "os", "sys"],
    );
}

#[test]
fn frameworks() {
    for (source, framework) in [
        ("import pytest\n", Some(TestFramework::Pytest)),
        ("def test_a(): pass\n", Some(TestFramework::Pytest)),
        ("import unittest\nclass A(unittest.TestCase): pass\n", Some(TestFramework::Unittest)),
        ("def testing(): pass\n", None),
    ] {
        assert_eq!(parsed(Python, source).test_framework, framework, "{source}");
    }
}

#[test]
fn broken_source_yields_the_symbols_that_parse() {
    let found =
        parsed(Python, "def a():\n    return 1\n\ndef b(:\n    pass\n\nclass C:\n    def d(self): pass\n");
    assert!(found.has_errors);
    assert!(lines(&found).contains(&"function a+ 1-2".to_owned()), "{:?}", lines(&found));
}
