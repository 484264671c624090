//! Every keyspace and event kind, in one place: the numbers are stored, chosen once and never reused.
//!
//! The engine's own take 1 to 15; each memory has a range of its own, in its own `tables.rs`.

use cairn_access::tables as access;
use cairn_graph::{GraphError, tables as graph};
use cairn_seam::{EventKind, Keyspace, StoreError};
use cairn_turns::{TurnsError, tables as turns};

use crate::references::{Reference, Referring, VisitReference};

/// (node) → who this node is.
pub const NODE: Keyspace = Keyspace::new(1, "node");
/// (tenant, none, milliseconds, sequence) → who did what, or was not allowed to.
pub const AUDIT: Keyspace = Keyspace::new(2, "audit");
/// (node, none, name) → how far a follower of the change feed has read.
pub const CONSUMERS: Keyspace = Keyspace::new(3, "consumers");
/// (node) → 32 random bytes: what tenants must learn nothing from is sealed under them.
pub const SECRET: Keyspace = Keyspace::new(4, "secret");
/// (scope, hash of what an import is called) → how much of its input is imported.
pub const KIP_IMPORTS: Keyspace = Keyspace::new(5, "kip-imports");

/// Every ordered keyspace.
pub const KEYSPACES: &[Keyspace] = &[
    NODE,
    AUDIT,
    CONSUMERS,
    SECRET,
    KIP_IMPORTS,
    turns::COUNTERS,
    turns::CONTEXTS,
    turns::TURNS,
    turns::TREES,
    turns::TYPES,
    turns::TYPE_NUMBERS,
    turns::BRANCHES,
    turns::BUNDLES,
    turns::DESCRIPTORS,
    turns::ENUMS,
    turns::REGISTRY,
    turns::METADATA,
    turns::ROOTS,
    turns::TERMS,
    turns::FORKS,
    turns::TIMES,
    turns::IMPORTED_CONTEXTS,
    turns::IMPORTED_TURNS,
    turns::BUNDLE_ORDER,
    access::TENANTS,
    access::TENANT_NAMES,
    access::KEY_HOMES,
    access::USERS,
    access::TEAMS,
    access::TEAMS_OF_USERS,
    access::MEMBERS,
    access::TOKENS,
    access::TOKENS_OF_USERS,
    access::KEYS,
    access::KEYS_OF_USERS,
    graph::COUNTERS,
    graph::CONCEPTS,
    graph::HOMES,
    graph::NAMES,
    graph::LINKS,
    graph::SPO,
    graph::PSO,
    graph::OPS,
    graph::STATISTICS,
    graph::SPACES,
    graph::SPACE_NAMES,
    graph::INDEXES,
    graph::INDEX_ENTRIES,
];

/// Every keyspace whose records refer to blobs. What is missing here is swept a day after its upload.
pub const REFERRING: &[Referring] = &[
    Referring { keyspace: turns::TURNS, references: turn_references },
    Referring { keyspace: turns::TREES, references: tree_references },
    Referring { keyspace: turns::BUNDLES, references: bundle_references },
    Referring { keyspace: graph::CONCEPTS, references: concept_references },
    Referring { keyspace: graph::LINKS, references: link_references },
];

/// A turn refers to its payload, and to the tree it came with.
fn turn_references(value: &[u8], visit: VisitReference<'_>) -> Result<(), StoreError> {
    let (payload, tree) = cairn_turns::blobs_of_turn(value).map_err(|error| undecodable(&error))?;
    visit(Reference::Blob(payload));
    tree.into_iter().for_each(|root| visit(Reference::Tree(root)));
    Ok(())
}

fn tree_references(value: &[u8], visit: VisitReference<'_>) -> Result<(), StoreError> {
    let root = cairn_turns::root_of_tree(value).map_err(|error| undecodable(&error))?;
    root.into_iter().for_each(|root| visit(Reference::Tree(root)));
    Ok(())
}

fn bundle_references(value: &[u8], visit: VisitReference<'_>) -> Result<(), StoreError> {
    let bytes = cairn_turns::registry::bundle_of_record(value).map_err(|error| undecodable(&error))?;
    visit(Reference::Blob(bytes));
    Ok(())
}

/// A long concept keeps its content in a blob.
fn concept_references(value: &[u8], visit: VisitReference<'_>) -> Result<(), StoreError> {
    let blob = cairn_graph::blob_of_concept(value).map_err(|error| unreadable(&error))?;
    blob.into_iter().for_each(|hash| visit(Reference::Blob(hash)));
    Ok(())
}

fn link_references(value: &[u8], visit: VisitReference<'_>) -> Result<(), StoreError> {
    let blob = cairn_graph::blob_of_link(value).map_err(|error| unreadable(&error))?;
    blob.into_iter().for_each(|hash| visit(Reference::Blob(hash)));
    Ok(())
}

fn unreadable(error: &GraphError) -> StoreError {
    StoreError::Record { detail: error.to_string() }
}

fn undecodable(error: &TurnsError) -> StoreError {
    StoreError::Record { detail: error.to_string() }
}

/// A fresh store became a node. The body is the node record.
pub const NODE_INITIALISED: EventKind = EventKind(1);

/// The engine's own kinds of event and what people call them.
const OWN_EVENT_KINDS: &[(EventKind, &str)] = &[(NODE_INITIALISED, "node.initialised")];

/// Every kind of event and what people call it.
pub fn event_kinds() -> impl Iterator<Item = (EventKind, &'static str)> {
    OWN_EVENT_KINDS.iter().chain(turns::EVENT_KINDS).chain(graph::EVENT_KINDS).copied()
}

/// What people call a kind of event.
pub fn event_name(kind: EventKind) -> Option<&'static str> {
    event_kinds().find(|(known, _)| *known == kind).map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn numbers_and_names_are_unique() {
        let ids: BTreeSet<_> = KEYSPACES.iter().map(|keyspace| keyspace.id).collect();
        let names: BTreeSet<_> = KEYSPACES.iter().map(|keyspace| keyspace.name).collect();
        assert_eq!((ids.len(), names.len()), (KEYSPACES.len(), KEYSPACES.len()));

        let kinds: BTreeSet<_> = event_kinds().map(|(kind, _)| kind).collect();
        let names: BTreeSet<_> = event_kinds().map(|(_, name)| name).collect();
        assert_eq!((kinds.len(), names.len()), (event_kinds().count(), event_kinds().count()));
        assert!(
            turns::KEYSPACES
                .iter()
                .chain(access::KEYSPACES)
                .chain(graph::KEYSPACES)
                .all(|keyspace| KEYSPACES.contains(keyspace))
        );
        assert_eq!(
            (event_name(NODE_INITIALISED), event_name(EventKind(0))),
            (Some("node.initialised"), None)
        );
    }
}
