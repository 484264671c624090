//! Every keyspace and event kind, in one place: the numbers are stored, chosen once and never reused.
//!
//! The engine's own take 1 to 15; each memory gets a range of its own when it comes.

use cairn_seam::{EventKind, Keyspace};

use crate::references::Referring;

/// (node) → who this node is.
pub const NODE: Keyspace = Keyspace::new(1, "node");
/// (tenant, none, milliseconds, sequence) → who did what, or was not allowed to.
pub const AUDIT: Keyspace = Keyspace::new(2, "audit");
/// (node, none, name) → how far a follower of the change feed has read.
pub const CONSUMERS: Keyspace = Keyspace::new(3, "consumers");

/// Every ordered keyspace.
pub const KEYSPACES: &[Keyspace] = &[NODE, AUDIT, CONSUMERS];

/// Every keyspace whose records refer to blobs. What is missing here is swept a day after its upload.
pub const REFERRING: &[Referring] = &[];

/// A fresh store became a node. The body is the node record.
pub const NODE_INITIALISED: EventKind = EventKind(1);

/// Every kind of event and what people call it.
pub const EVENT_KINDS: &[(EventKind, &str)] = &[(NODE_INITIALISED, "node.initialised")];

/// What people call a kind of event.
pub fn event_name(kind: EventKind) -> Option<&'static str> {
    EVENT_KINDS.iter().find(|(known, _)| *known == kind).map(|(_, name)| *name)
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

        let kinds: BTreeSet<_> = EVENT_KINDS.iter().map(|(kind, _)| kind).collect();
        let names: BTreeSet<_> = EVENT_KINDS.iter().map(|(_, name)| name).collect();
        assert_eq!((kinds.len(), names.len()), (EVENT_KINDS.len(), EVENT_KINDS.len()));
        assert_eq!(
            (event_name(NODE_INITIALISED), event_name(EventKind(0))),
            (Some("node.initialised"), None)
        );
    }
}
