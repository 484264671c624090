//! Symbols of source files, and the requirements that they implement.

use std::collections::{BTreeMap, BTreeSet};

use crate::branch::{Branch, NodeKey};
use crate::limits::{SYMBOL_LINKS_FILES_MAX, SYMBOL_LINKS_ROWS_MAX};
use crate::model::{EntityType, Relation};
use crate::tools::{SymbolLinks, SymbolLinksInput, SymbolLinksOutput};
use crate::{KbError, Result};

/// Returns the symbols of the files with their keys; the caller fills in `granularity_reason`, which only the whole
/// entity has. Fails if a limit is exceeded.
///
/// A source file is compared without a leading `./` and without a fragment.
pub fn symbol_links(branch: &Branch, input: &SymbolLinksInput) -> Result<(Vec<NodeKey>, SymbolLinksOutput)> {
    for (parameter, list) in [("files", &input.files), ("requirements", &input.requirements)] {
        if list.len() > SYMBOL_LINKS_FILES_MAX {
            let message = format!("{} are more than the {SYMBOL_LINKS_FILES_MAX} allowed", list.len());
            return Err(KbError::argument(parameter, message));
        }
    }
    let files: BTreeMap<&str, &str> = input.files.iter().map(|file| (bare(file), file.as_str())).collect();
    let mut output = SymbolLinksOutput::default();
    let mut keys = Vec::new();
    for (key, node) in branch.by_type(Some(EntityType::Symbol)) {
        let file = node.source_file.as_deref().map(bare).and_then(|file| files.get(file));
        let Some(file) = file else { continue };
        if output.symbols.len() >= SYMBOL_LINKS_ROWS_MAX {
            output.truncated = true;
            break;
        }
        let ids = branch.targets(key, Relation::Implements).filter_map(|to| branch.node(to));
        let ids: BTreeSet<String> =
            ids.filter(|node| node.kind == EntityType::Req).map(|node| node.id.to_string()).collect();
        keys.push(key);
        output.symbols.push(SymbolLinks {
            id: node.id.to_string(),
            title: node.title.to_string(),
            source_file: (*file).to_owned(),
            implements: ids.into_iter().collect(),
            is_test: branch.targets(key, Relation::ExecutableFor).next().is_some(),
            granularity_reason: None,
        });
    }
    let is_req = |id: &&String| branch.find(id).is_some_and(|(_, node)| node.kind == EntityType::Req);
    let known: BTreeSet<&String> = input.requirements.iter().filter(is_req).collect();
    output.requirements = known.into_iter().cloned().collect();
    Ok((keys, output))
}

fn bare(file: &str) -> &str {
    let file = file.split('#').next().unwrap_or_default();
    file.strip_prefix("./").unwrap_or(file)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::branch::{Edge, Node};

    #[test]
    fn symbols_of_the_files_with_their_requirements() {
        let mut branch = Branch::default();
        let mut put = |key: u64, kind, id: &str, file: Option<&str>| {
            let node = Node {
                source_file: file.map(Into::into),
                ..crate::report::tests::node(&format!("{kind} {id}"))
            };
            branch.put(NodeKey(key), node);
        };
        put(1, EntityType::Req, "REQ-1", None);
        put(2, EntityType::Symbol, "S-1", Some("src/a.ts"));
        put(3, EntityType::Symbol, "S-2", Some("./src/a.ts#L3"));
        put(4, EntityType::Symbol, "S-3", Some("src/a.tsx"));
        put(5, EntityType::Test, "T-1", None);
        for (relation, from, to) in
            [(Relation::Implements, 2, 1), (Relation::Implements, 2, 9), (Relation::ExecutableFor, 3, 5)]
        {
            branch.link(Edge { relation, from: NodeKey(from), to: NodeKey(to) });
        }
        let input = SymbolLinksInput {
            files: vec!["src/a.ts".into(), "src/b.ts".into()],
            requirements: vec!["T-1".into(), "REQ-1".into(), "REQ-2".into(), "REQ-1".into()],
        };
        let (keys, output) = symbol_links(&branch, &input).expect("within the limits");
        assert_eq!(keys, [NodeKey(2), NodeKey(3)]);
        let rows: Vec<_> = output
            .symbols
            .iter()
            .map(|row| (row.id.as_str(), row.source_file.as_str(), row.implements.len(), row.is_test))
            .collect();
        assert_eq!(rows, [("S-1", "src/a.ts", 1, false), ("S-2", "src/a.ts", 0, true)]);
        assert_eq!(output.requirements, ["REQ-1"]);
    }

    #[test]
    fn lists_are_bounded() {
        let input = |count: usize| SymbolLinksInput {
            files: (0..count).map(|file| file.to_string()).collect(),
            requirements: Vec::new(),
        };
        let check = |count| symbol_links(&Branch::default(), &input(count)).is_ok();
        assert!(check(SYMBOL_LINKS_FILES_MAX) && !check(SYMBOL_LINKS_FILES_MAX + 1));
    }
}
