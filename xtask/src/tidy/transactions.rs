//! Surfaces see no transactions and no permissions: they call use cases of the engine, which own them.

use super::Finding;
use super::source::{code_only, words};
use super::tree::Tree;

/// The transaction of the store seam, what a permit yields, and what a permit is asked for.
const NAMES: &[&str] = &["WriteTx", "Scope", "Action"];

pub(super) fn look(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for (path, source) in tree.files_ending(".rs").filter(|(path, _)| is_surface(path)) {
        let code = code_only(source);
        for (at, word) in words(&code).filter(|(_, word)| NAMES.contains(word)) {
            let complaint = format!("a surface sees no `{word}`: move this into a use case of the engine");
            findings.push(Finding::at(path, &code, at, complaint));
        }
    }
    findings
}

/// Whether it is product code of a surface or of the program.
fn is_surface(path: &str) -> bool {
    let Some(inner) = path.strip_prefix("crates/") else { return false };
    let of_surface = |inner: &str| inner.split_once('/').is_some_and(|(_, rest)| rest.starts_with("src/"));
    inner.starts_with("cairn/src/") || inner.strip_prefix("surface/").is_some_and(of_surface)
}

#[cfg(test)]
mod tests {
    use super::super::tree::made_up;
    use super::*;

    #[test]
    fn surfaces_see_no_transactions() {
        for (path, source, fine) in [
            ("crates/surface/http/src/call.rs", "fn write(tx: &mut dyn WriteTx) {}", false),
            ("crates/surface/gate/src/run/mod.rs", "use cairn_seam::{Blob, WriteTx};", false),
            ("crates/cairn/src/main.rs", "use cairn_seam::WriteTx;", false),
            ("crates/surface/http/src/call.rs", "gate.permit(Action::TurnsRead)", false),
            ("crates/surface/http/src/call.rs", "fn read(scope: &Scope) {}", false),
            ("crates/surface/http/src/call.rs", "fn scope(action: ArgAction) {}", true),
            ("crates/surface/http/src/call.rs", "// no WriteTx here", true),
            ("crates/surface/http/tests/it/turns.rs", "use cairn_seam::WriteTx;", true),
            ("crates/engine/src/pipeline.rs", "use cairn_seam::WriteTx;", true),
            ("bench/src/store.rs", "use cairn_seam::WriteTx;", true),
        ] {
            assert_eq!(look(&made_up::files(&[(path, source)])).is_empty(), fine, "{path}: {source}");
        }
    }
}
