//! Test frameworks, and the evidence for them.

use std::fmt;

use crate::{Language, Symbol};

/// A test framework.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TestFramework {
    /// The test runner of Bun.
    BunTest,
    /// Vitest.
    Vitest,
    /// The test runner of Node.js.
    NodeTest,
    /// Mocha.
    Mocha,
    /// Jest.
    Jest,
    /// pytest.
    Pytest,
    /// `unittest` of Python.
    Unittest,
    /// The test harness of Rust.
    RustTest,
    /// `go test`.
    GoTest,
    /// JUnit.
    Junit,
}

impl TestFramework {
    /// Returns the name of the framework.
    pub fn text(self) -> &'static str {
        match self {
            TestFramework::BunTest => "bun:test",
            TestFramework::Vitest => "vitest",
            TestFramework::NodeTest => "node:test",
            TestFramework::Mocha => "mocha",
            TestFramework::Jest => "jest",
            TestFramework::Pytest => "pytest",
            TestFramework::Unittest => "unittest",
            TestFramework::RustTest => "rust test",
            TestFramework::GoTest => "go test",
            TestFramework::Junit => "junit",
        }
    }
}

impl fmt::Display for TestFramework {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// Modules that only tests of a framework import.
const MODULES: [(&str, TestFramework); 5] = [
    ("bun:test", TestFramework::BunTest),
    ("vitest", TestFramework::Vitest),
    ("node:test", TestFramework::NodeTest),
    ("@jest/globals", TestFramework::Jest),
    ("mocha", TestFramework::Mocha),
];
/// Modules of assertions that tests with the globals of Mocha import. Jest has its own.
const ASSERTIONS: [&str; 7] =
    ["assert", "assert/strict", "chai", "expect.js", "node:assert", "node:assert/strict", "should"];

/// Returns the framework of a file; `has_calls` says whether it calls `describe`, `it`, `test` or `suite`.
pub(crate) fn framework(
    language: Language,
    symbols: &[Symbol],
    imports: &[String],
    has_calls: bool,
) -> Option<TestFramework> {
    let is_imported = |name: &str| imports.binary_search_by(|import| import.as_str().cmp(name)).is_ok();
    let has_tests = symbols.iter().any(|symbol| symbol.is_test);
    match language {
        Language::TypeScript | Language::Tsx | Language::JavaScript => {
            let imported = MODULES.iter().find(|(module, _)| is_imported(module));
            let global = if ASSERTIONS.into_iter().any(is_imported) {
                TestFramework::Mocha
            } else {
                TestFramework::Jest
            };
            imported.map(|(_, framework)| *framework).or(has_calls.then_some(global))
        }
        Language::Python => {
            let is_pytest = is_imported("pytest")
                || symbols.iter().any(|symbol| !symbol.is_test && symbol.name.starts_with("test_"));
            let of_pytest = is_pytest.then_some(TestFramework::Pytest);
            if has_tests { Some(TestFramework::Unittest) } else { of_pytest }
        }
        Language::Rust => has_tests.then_some(TestFramework::RustTest),
        Language::Go => has_tests.then_some(TestFramework::GoTest),
        Language::Java => {
            let is_other = imports.iter().any(|import| import.starts_with("org.testng"));
            (has_tests && !is_other).then_some(TestFramework::Junit)
        }
    }
}
