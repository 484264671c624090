//! The engine's own keyspaces and events: 1 to 15. Each memory has a range of its own, in its own `tables.rs`;
//! the list of memories has all of them.

use cairn_seam::{EventKind, HashedKeyspace, Keyspace};

use crate::memories::Memories;
use crate::memory::{Memory, Primary, PrimaryId};
use crate::{EngineConfig, Referring};

/// (node) → who this node is.
pub const NODE: Keyspace = Keyspace::new(1, "node");
/// (tenant, none, milliseconds, sequence) → who did what, or was not allowed to.
pub const AUDIT: Keyspace = Keyspace::new(2, "audit");
/// (node, none, name) → how far a follower of the change feed has read.
pub const CONSUMERS: Keyspace = Keyspace::new(3, "consumers");
/// (node) → 32 random bytes: what tenants must learn nothing from is sealed under them.
pub const SECRET: Keyspace = Keyspace::new(4, "secret");

/// A fresh store became a node. The body is the node record.
pub const NODE_INITIALISED: EventKind = EventKind(1);

/// The records of the node itself.
pub(crate) struct NodeRecords;

impl NodeRecords {
    pub(crate) fn new(_: &EngineConfig, _now_ms: u64) -> Self {
        NodeRecords
    }
}

impl Memory for NodeRecords {
    fn name(&self) -> &'static str {
        "node"
    }

    fn keyspaces(&self) -> &'static [Keyspace] {
        &[NODE, AUDIT, CONSUMERS, SECRET]
    }

    fn event_kinds(&self) -> &'static [(EventKind, &'static str)] {
        &[(NODE_INITIALISED, "node.initialised")]
    }

    fn primary(&self) -> &'static [Primary] {
        &[
            Primary { keyspace: AUDIT, kind: "audit line", id: PrimaryId::Moment },
            Primary { keyspace: CONSUMERS, kind: "consumer", id: PrimaryId::Text },
        ]
    }
}

/// Every ordered keyspace of the built-in memories.
pub fn keyspaces() -> Vec<Keyspace> {
    built_in().keyspaces()
}

/// Every hashed keyspace of the seam and of the built-in memories.
pub fn hashed_keyspaces() -> Vec<HashedKeyspace> {
    built_in().hashed_keyspaces()
}

/// Number and name of every kind of search document of the built-in memories.
pub fn collections() -> Vec<(u8, &'static str)> {
    built_in().collections().iter().map(|collection| (collection.number, collection.name)).collect()
}

/// Every keyspace of the built-in memories whose records refer to blobs.
pub fn referring() -> Vec<Referring> {
    built_in().referring()
}

/// Every kind of event of the built-in memories and its name.
pub fn event_kinds() -> Vec<(EventKind, &'static str)> {
    built_in().event_kinds()
}

/// The memories of an engine that nobody configured, for work without one.
pub(crate) fn built_in() -> Memories {
    Memories::new(&EngineConfig::default(), 0)
}
