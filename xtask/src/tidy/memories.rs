//! Shared code of the engine names no memory: it walks the list of them.

use super::Finding;
use super::source::{code_only, words};
use super::tree::Tree;

/// The engine.
const ENGINE: &str = "crates/engine/src/";

/// The folders of memories, which name themselves and what they build on.
const FOLDERS: &[&str] = &["turns/", "graph/", "kip/"];

/// Shared files that are tables with rows of every memory.
const TABLES: &[&str] = &[
    // The list of memories.
    "memories.rs",
    // The table of contents, which exports their use cases.
    "lib.rs",
    // Errors that callers match on, their codes, and hints for them.
    "error.rs",
    "code.rs",
    "hint.rs",
    // Settings and limits.
    "config.rs",
    "limits.rs",
];

/// Names of memories and of the crates that only they use.
const NAMES: &[&str] = &["turns", "graph", "kip", "cairn_turns", "cairn_graph", "cairn_kip", "cairn_query"];

pub(super) fn look(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, source) in tree.files_ending(".rs") {
        let Some(inner) = path.strip_prefix(ENGINE).filter(|inner| is_shared(inner)) else { continue };
        let code = code_only(source);
        for (at, word) in words(&code).filter(|(_, word)| is_named(word)) {
            let complaint = format!(
                "`{word}` names a memory in shared code ({inner}): ask the list of memories, or move it into \
                 the folder of the memory"
            );
            findings.push(Finding::at(path, &code, at, complaint));
        }
    }
    findings
}

fn is_shared(inner: &str) -> bool {
    !FOLDERS.iter().any(|folder| inner.starts_with(folder)) && !TABLES.contains(&inner)
}

/// Whether a word is, or begins with, the name of a memory: `graph_cache`, `TurnsError`.
fn is_named(word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    NAMES.iter().any(|name| word.starts_with(name))
}

#[cfg(test)]
mod tests {
    use super::super::tree::made_up;
    use super::*;

    fn check(path: &str, source: &str, fine: bool) {
        assert_eq!(look(&made_up::files(&[(path, source)])).is_empty(), fine, "{path}: {source}");
    }

    #[test]
    fn shared_code_names_no_memory() {
        let shared = "crates/engine/src/maintain.rs";
        check(shared, "for memory in self.memories.all() {}", true);
        check(shared, "self.graph_cache.clear();", false);
        check(shared, "use cairn_turns::Turn;", false);
        check(shared, "use crate::kip::KipLog;", false);
        check(shared, "Action::TurnsRead", false);
        check(shared, "// turns and graph", true);
        check(shared, "\"turns\"", true);
        check(shared, "let turn: TurnId = turned();", true);
        check("crates/engine/src/pipeline/undertake.rs", "TurnsError", false);
    }

    #[test]
    fn memories_and_tables_name_them() {
        for path in
            ["turns/append.rs", "graph/sleep/mod.rs", "kip/mod.rs", "memories.rs", "lib.rs", "error.rs"]
        {
            check(&format!("{ENGINE}{path}"), "use cairn_graph::View;", true);
        }
        check("crates/engine/tests/it/turns.rs", "use cairn_turns::Turn;", true);
        check("crates/surface/http/src/app.rs", "use cairn_turns::Turn;", true);
    }
}
