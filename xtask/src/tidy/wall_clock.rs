//! Tests that assert how long something takes fail on machines that are busy.
//!
//! A test bounds by steps, by a clock that it moves itself, or by a watchdog that only a hang runs into (five
//! minutes). Benchmarks measure; they assert nothing.

use super::Finding;
use super::source::code_only;
use super::tree::Tree;

const ASSERT: &str = "assert!(";
const ELAPSED: &str = ".elapsed()";
const COMPLAINT: &str = "an assertion that time on the wall is short fails on a busy machine; bound by steps, or by a \
                         watchdog that only a hang runs into";

pub(super) fn look(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, source) in tree.files_ending(".rs").filter(|(path, _)| !path.starts_with("bench/")) {
        let code = code_only(source);
        let asserts = code.match_indices(ASSERT).map(|(at, _)| at);
        let short = asserts.filter(|at| is_upper_bound(inside(&code[at + ASSERT.len()..])));
        findings.extend(short.map(|at| Finding::at(path, &code, at, COMPLAINT)));
    }
    findings
}

/// What stands between a parenthesis that was opened and its end.
fn inside(code: &str) -> &str {
    let mut depth = 1_usize;
    for (at, character) in code.char_indices() {
        match character {
            '(' => depth += 1,
            ')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &code[..at];
        }
    }
    code
}

/// Whether it says that elapsed time is less than something, in either order.
fn is_upper_bound(condition: &str) -> bool {
    condition.match_indices(ELAPSED).any(|(at, _)| {
        let after = condition[at + ELAPSED.len()..].trim_start();
        let before = condition[..at].trim_end_matches(|c: char| c.is_alphanumeric() || "_.".contains(c));
        let before = before.trim_end().trim_end_matches('=');
        // A closure's arrow and a path's end look like it from behind.
        let is_greater = before.ends_with('>') && !before.ends_with("=>") && !before.ends_with("->");
        after.starts_with('<') || is_greater
    })
}

#[cfg(test)]
mod tests {
    use super::super::tree::made_up;
    use super::*;

    fn check(path: &str, source: &str, lines: &[usize]) {
        let expected: Vec<String> = lines.iter().map(|line| format!("{path}:{line}")).collect();
        let found: Vec<String> =
            look(&made_up::files(&[(path, source)])).into_iter().map(|finding| finding.place).collect();
        assert_eq!(found, expected, "{source}");
    }

    #[test]
    fn upper_bounds_are_found_with_their_line() {
        let path = "crates/base/src/lib.rs";
        check(path, "assert!(since.elapsed() < LONG);", &[1]);
        check(
            path,
            "\nassert!(\n    is_done && since.elapsed() <= Duration::from_secs(40),\n    \"{x}\"\n);",
            &[2],
        );
        check(
            path,
            "assert!(LONG > since.elapsed(), \"x\"); assert!(LONG >= self.since.elapsed());",
            &[1, 1],
        );
    }

    #[test]
    fn other_uses_of_time_are_left_alone() {
        let path = "crates/base/tests/it/main.rs";
        for fine in [
            "assert!(since.elapsed() > Duration::from_secs(2), \"< {x}\");",
            "assert!(Instant::now() < until, \"it hangs\");",
            "assert_eq!(started.elapsed(), CONFIG.deadline);",
            "if since.elapsed() < LONG { assert!(a < b) }",
            "// assert!(since.elapsed() < LONG)",
            "assert!(a < f(since.elapsed()));",
        ] {
            check(path, fine, &[]);
        }
        check("bench/src/main.rs", "assert!(since.elapsed() < LONG);", &[]);
    }
}
