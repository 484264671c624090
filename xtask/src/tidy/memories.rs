//! Shared code of the engine names no memory: it walks the list of them.

use super::Finding;
use super::source::{code_only, words};
use super::tree::Tree;

/// The engine.
const ENGINE: &str = "crates/engine/src/";

/// The file that makes a folder of the engine the folder of a memory.
const MEMORY: &str = "memory.rs";

/// A folder with such a file that is shared all the same: every memory has callers.
const SHARED: &str = "access";

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

/// Crates beside `cairn_<memory>` that only memories use.
const CRATES: &[&str] = &["cairn_query"];

pub(super) fn look(tree: &Tree) -> Vec<Finding> {
    let memories: Vec<&str> = tree.files_ending(MEMORY).filter_map(|(path, _)| memory_of(path)).collect();
    let mut findings = Vec::new();
    for (path, source) in tree.files_ending(".rs") {
        let shared = path.strip_prefix(ENGINE).filter(|inner| is_shared(inner, &memories));
        let Some(inner) = shared else { continue };
        let code = code_only(source);
        for (at, word) in words(&code).filter(|(_, word)| names_one(word, &memories)) {
            let complaint = format!(
                "`{word}` names a memory in shared code ({inner}): ask the list of memories, or move it into \
                 the folder of the memory"
            );
            findings.push(Finding::at(path, &code, at, complaint));
        }
    }
    findings
}

/// The memory that a file `<memory>/memory.rs` of the engine belongs to.
fn memory_of(path: &str) -> Option<&str> {
    let folder = path.strip_prefix(ENGINE)?.strip_suffix(MEMORY)?.strip_suffix('/')?;
    (!folder.contains('/') && folder != SHARED).then_some(folder)
}

fn is_shared(inner: &str, memories: &[&str]) -> bool {
    let folder = inner.split_once('/').map_or("", |(folder, _)| folder);
    !memories.contains(&folder) && !TABLES.contains(&inner)
}

/// Whether a part of a word is the name of a memory: `graph_cache`, `clear_graph`, `TurnsError`.
fn names_one(word: &str, memories: &[&str]) -> bool {
    CRATES.contains(&word) || parts(word).any(|part| memories.contains(&&*part))
}

/// The parts of `snake_case` and `CamelCase`, in lower case.
fn parts(word: &str) -> impl Iterator<Item = String> {
    let begins =
        |at: usize| word[at..].starts_with(char::is_uppercase) && !word[..at].ends_with(char::is_uppercase);
    let mut text = String::with_capacity(word.len() + 4);
    for (at, letter) in word.char_indices() {
        if begins(at) {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text.split('_').map(str::to_owned).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::super::tree::made_up;
    use super::*;

    /// Checks a file beside the memories turns, graph, kip and kb.
    fn check(path: &str, source: &str, fine: bool) {
        let mut files = vec![(path, source)];
        let memories =
            ["turns", "graph", "kip", "kb", SHARED].map(|memory| format!("{ENGINE}{memory}/{MEMORY}"));
        files.extend(memories.iter().map(|path| (path.as_str(), "")));
        assert_eq!(look(&made_up::files(&files)).is_empty(), fine, "{path}: {source}");
    }

    #[test]
    fn shared_code_names_no_memory() {
        let shared = "crates/engine/src/maintain.rs";
        check(shared, "for memory in self.memories.all() {}", true);
        check(shared, "self.graph_cache.clear();", false);
        check(shared, "self.clear_graph();", false);
        check(shared, "use cairn_turns::Turn;", false);
        check(shared, "use cairn_query::Budget;", false);
        check(shared, "use crate::kip::KipLog;", false);
        check(shared, "use crate::kb::Rules;", false);
        check(shared, "use crate::access::Logins;", true);
        check(shared, "Action::TurnsRead", false);
        check(shared, "// turns and graph", true);
        check(shared, "\"turns\"", true);
        check(shared, "let turn: TurnId = turned();", true);
        check("crates/engine/src/pipeline/undertake.rs", "TurnsError", false);
        check("crates/engine/src/access/logins.rs", "TurnsError", false);
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
