//! What folders must not know of: each row is a promise of `ARCHITECTURE.md` that no manifest can hold.

use super::Finding;
use super::source::code_only;
use super::tree::Tree;

/// A folder, a path that its code must not name, and why.
const ROWS: &[(&str, &str, &str)] = &[
    (
        "crates/engine/src/graph/",
        "cairn_kip",
        "the graph service is used without KIP: text and its errors belong to crates/engine/src/kip",
    ),
    (
        "crates/engine/src/graph/",
        "cairn_query",
        "the graph service is used without KIP: plans and their errors belong to crates/engine/src/kip",
    ),
    (
        "crates/engine/src/graph/",
        "crate::kip",
        "the graph service is below the language door: let crates/engine/src/kip call it",
    ),
];

pub(super) fn look(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, source) in tree.files_ending(".rs") {
        let rows: Vec<_> = ROWS.iter().filter(|(folder, ..)| path.starts_with(folder)).collect();
        if rows.is_empty() {
            continue;
        }
        let code = code_only(source);
        for (_, name, why) in rows {
            let uses = code.match_indices(name).filter(|(at, _)| is_whole(&code, *at, name));
            findings.extend(uses.map(|(at, _)| Finding::at(path, &code, at, format!("`{name}`: {why}"))));
        }
    }
    findings
}

/// Whether a name is not a part of a longer one.
fn is_whole(code: &str, at: usize, name: &str) -> bool {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    !code[..at].ends_with(is_word) && !code[at + name.len()..].starts_with(is_word)
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
    fn the_graph_service_knows_no_kip() {
        let path = "crates/engine/src/graph/spaces.rs";
        check(
            path,
            "use cairn_kip::KipError;\nuse cairn_query::Found;\nuse crate::kip::KipForm;",
            &[1, 2, 3],
        );
        check(path, "//! See [`crate::kip`].\nuse cairn_kipper::X;\nuse crate::kipper;", &[]);
        check("crates/engine/src/kip/mod.rs", "use cairn_kip::KipError;", &[]);
    }
}
