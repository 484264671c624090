//! What shared code needs to know of turns.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::{ContentHash, ContextId, Position, TenantId};
use cairn_seam::{EventKind, HashedKeyspace, Keyspace, StoreError};
use cairn_turns::{EntryKind, TreeObject, TurnsError, tables};
use parking_lot::Mutex;

use super::activity::Activity;
use super::event_ids::EventIdKeys;
use super::payloads::Payloads;
use super::registry::Registries;
use super::salvage::{LostTurns, PRIMARY};
use crate::memory::{Cleared, Memory, Primary, Salvage, Searchable, Track};
use crate::metrics::{Histogram, MetricKind, PrometheusText};
use crate::references::{Reference, Referring, TreeEntry, VisitReference};
use crate::{Act, Engine, EngineConfig, EngineError, limits};

/// The memory of turns, with what it keeps between calls.
pub(crate) struct Turns {
    /// Recently read payloads.
    pub(crate) payloads: Payloads,
    pub(crate) registries: Registries,
    pub(crate) strict_types: AtomicBool,
    pub(crate) remember_keys: Duration,
    /// When contexts were last active.
    pub(crate) activity: Arc<Activity>,
    /// The keys of event ids, derived when they are first needed.
    pub(crate) event_id_keys: OnceLock<EventIdKeys>,
    /// Tenants that described types since turns were last looked at again.
    pub(super) described: Mutex<BTreeSet<TenantId>>,
    /// Time that windows of turns took to read.
    pub(crate) windows: Histogram,
    /// Time that blobs took to read or to open.
    pub(crate) blobs: Histogram,
}

impl Turns {
    pub(crate) fn new(config: &EngineConfig, _now_ms: u64) -> Self {
        Turns {
            payloads: Payloads::new(limits::PAYLOAD_CACHE_BYTES),
            registries: Registries::default(),
            strict_types: AtomicBool::new(config.strict_types),
            remember_keys: config.remember_keys,
            activity: Arc::default(),
            event_id_keys: OnceLock::new(),
            described: Mutex::default(),
            windows: Histogram::new(),
            blobs: Histogram::new(),
        }
    }
}

impl Memory for Turns {
    fn name(&self) -> &'static str {
        "turns"
    }

    fn keyspaces(&self) -> &'static [Keyspace] {
        tables::KEYSPACES
    }

    fn hashed_keyspaces(&self) -> &'static [HashedKeyspace] {
        &[tables::IDEMPOTENCY]
    }

    fn event_kinds(&self) -> &'static [(EventKind, &'static str)] {
        tables::EVENT_KINDS
    }

    fn referring(&self) -> &'static [Referring] {
        REFERRING
    }

    fn search(&self) -> Option<&dyn Searchable> {
        Some(self)
    }

    fn tracked(&self) -> &'static [Keyspace] {
        &[tables::CONTEXTS]
    }

    fn track(&self) -> Option<Box<dyn Track>> {
        Some(Box::new(ActiveContexts { activity: Arc::clone(&self.activity), active: Vec::new() }))
    }

    fn clear_caches(&self, after: Cleared) {
        match after {
            Cleared::Compacted | Cleared::Forgotten => self.payloads.clear(),
            // Payloads are verified when they are read.
            Cleared::Repaired => {}
        }
    }

    fn primary(&self) -> &'static [Primary] {
        PRIMARY
    }

    fn salvage(&self) -> Option<Box<dyn Salvage>> {
        Some(Box::<LostTurns>::default())
    }

    fn write_metrics(&self, text: &mut PrometheusText) {
        let mut seconds = |name, help, histogram| {
            text.family(name, MetricKind::Histogram, help).histogram(&[], histogram);
        };
        seconds("cairn_turns_window_seconds", "Time a window of turns took to read.", &self.windows);
        seconds("cairn_blob_read_seconds", "Time a blob took to read or open.", &self.blobs);
        self.payloads.write_metrics(text);
    }
}

impl Engine {
    /// The scope of a tenant's turns, for work that the node does for itself.
    pub(super) fn own_scope(&self, tenant: TenantId) -> Result<Scope, EngineError> {
        let act = Act::new(Action::TurnsRead, Resource::tenant(tenant));
        Ok(self.pipeline.permit(&Principal::local_owner(), &act)?.scope())
    }
}

/// Contexts that a transaction writes, and when each was last active.
struct ActiveContexts {
    activity: Arc<Activity>,
    active: Vec<(ContextId, u64)>,
}

impl Track for ActiveContexts {
    fn restart(&mut self) {
        self.active.clear();
    }

    fn put(&mut self, keyspace: Keyspace, key: &[u8], value: &[u8]) {
        let Some(activity) = cairn_turns::activity_of(keyspace, key, value) else { return };
        match self.active.last_mut() {
            Some(last) if last.0 == activity.0 => *last = activity,
            Some(_) | None => self.active.push(activity),
        }
    }

    // A context that is gone is left out when somebody asks for it.
    fn delete(&mut self, _: Keyspace, _: &[u8]) {}

    fn delete_range(&mut self, _: Keyspace) {}

    fn committed(&mut self, tenant: TenantId, _: Position) {
        self.activity.note(tenant, &self.active);
    }
}

const REFERRING: &[Referring] = &[
    Referring {
        keyspace: tables::TURNS,
        called: Some("payload or tree of turn "),
        folder: Some(folder),
        references: turn_references,
    },
    Referring {
        keyspace: tables::TREES,
        called: Some("tree of turn "),
        folder: Some(folder),
        references: tree_references,
    },
    Referring { keyspace: tables::BUNDLES, called: None, folder: None, references: bundle_references },
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

fn undecodable(error: &TurnsError) -> StoreError {
    StoreError::Record { detail: error.to_string() }
}

fn folder(hash: &ContentHash, bytes: &[u8]) -> Option<Vec<TreeEntry>> {
    let tree = TreeObject::parse(hash, bytes).ok()?;
    let entry = |entry: cairn_turns::Entry| match entry.kind {
        EntryKind::Folder => TreeEntry::Folder(entry.hash),
        EntryKind::File | EntryKind::Link => TreeEntry::File(entry.hash),
    };
    Some(tree.entries.into_iter().map(entry).collect())
}
