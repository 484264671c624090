//! Test files by the conventions for their names.

use crate::Language;

/// Whether a path below the root of a repository is that of a test file, by the conventions of its language.
///
/// Tests inside of other files are not seen by their path: [`Symbol::is_test`](crate::Symbol::is_test) says so.
pub fn is_test_path(path: &str) -> bool {
    let Some(language) = Language::of_path(path) else { return false };
    let (folders, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let is_below = |names: &[&str]| folders.split('/').any(|folder| names.contains(&folder));
    match language {
        Language::TypeScript | Language::Tsx | Language::JavaScript => {
            let marks = [".test", ".spec", ".cy", ".e2e", "_test", "-test"];
            marks.iter().any(|mark| stem.ends_with(mark))
                || is_below(&["__tests__", "__mocks__", "test", "tests", "e2e", "spec"])
        }
        Language::Python => {
            stem.starts_with("test_")
                || stem.ends_with("_test")
                || stem == "conftest"
                || is_below(&["test", "tests"])
        }
        Language::Rust => stem == "tests" || is_below(&["tests", "benches"]),
        Language::Go => stem.ends_with("_test"),
        Language::Java => {
            let marks = ["Test", "Tests", "IT", "TestCase"];
            marks.iter().any(|mark| stem.ends_with(mark)) || is_below(&["test", "tests", "androidTest"])
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_follow_the_conventions_of_the_language() {
        for path in [
            "src/a.test.ts",
            "src/a.spec.tsx",
            "a_test.js",
            "src/__tests__/a.ts",
            "test/a.mjs",
            "tests/unit/a.cts",
            "test_a.py",
            "pkg/a_test.py",
            "conftest.py",
            "tests/helper.py",
            "crates/x/tests/it/main.rs",
            "src/write/tests.rs",
            "benches/b.rs",
            "pkg/a_test.go",
            "src/test/java/org/A.java",
            "src/main/java/ATest.java",
        ] {
            assert!(is_test_path(path), "{path}");
        }
        for path in [
            "src/attest.ts",
            "src/contest.py",
            "src/latest.js",
            "src/testing.rs",
            "src/test.go",
            "src/Attestation.java",
            "tests/data.json",
            "tests/readme",
            "a.test.md",
        ] {
            assert!(!is_test_path(path), "{path}");
        }
    }
}
