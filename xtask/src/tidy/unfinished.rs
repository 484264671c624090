//! `todo!`, `unimplemented!` and `dbg!` are for an afternoon, not for the repository.

use super::Finding;
use super::source::code_only;
use super::tree::Tree;

const MACROS: &[&str] = &["todo", "unimplemented", "dbg"];

pub(super) fn look(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, source) in tree.files_ending(".rs") {
        let code = code_only(source);
        for name in MACROS {
            let calls = code.match_indices(name).filter(|(at, _)| is_call(&code, *at, name));
            findings.extend(
                calls.map(|(at, _)| {
                    Finding::at(path, &code, at, format!("`{name}!` is not for product code"))
                }),
            );
        }
    }
    findings
}

fn is_call(code: &str, at: usize, name: &str) -> bool {
    let inside_word = code[..at].ends_with(|c: char| c.is_alphanumeric() || c == '_');
    // `!=` after a variable of that name is a comparison.
    let mut after = code[at + name.len()..].trim_start().chars();
    !inside_word && after.next() == Some('!') && after.next() != Some('=')
}

#[cfg(test)]
mod tests {
    use super::super::tree::made_up;
    use super::*;

    fn check(source: &str, expected: &[&str]) {
        let tree = made_up::files(&[("crates/base/src/lib.rs", source)]);
        let places: Vec<String> = look(&tree).into_iter().map(|finding| finding.to_string()).collect();
        assert_eq!(places, expected, "{source}");
    }

    #[test]
    fn calls_are_found_with_their_line() {
        check("fn f() {\n    todo!()\n}", &["crates/base/src/lib.rs:2: `todo!` is not for product code"]);
        check("std::dbg ! (1)", &["crates/base/src/lib.rs:1: `dbg!` is not for product code"]);
        check("unimplemented![]", &["crates/base/src/lib.rs:1: `unimplemented!` is not for product code"]);
    }

    #[test]
    fn other_text_is_left_alone() {
        check("// todo!()\n/// dbg!(x)\nlet s = \"unimplemented!()\";", &[]);
        check("let todo = 1; my_todo!(); if todo != 2 {}", &[]);
    }

    #[test]
    fn only_rust_is_looked_at() {
        assert!(look(&made_up::files(&[("docs/notes.md", "dbg!(x)")])).is_empty());
    }
}
