//! A branch in memory, and who may change it.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cairn_access::Scope;
use cairn_base::{SpaceId, TenantId, to_iso_utc};
use cairn_kb::sync::Files;
use cairn_kb::tools::{StatusOutput, SyncState};
use cairn_kb::{Branch, BranchRecord, CheckState, Entity, NodeKey, Schema, Version};
use parking_lot::{Mutex, RwLock};

/// A branch in memory.
pub(super) struct BranchState {
    pub(super) record: BranchRecord,
    pub(super) version: Version,
    pub(super) schema: Schema,
    pub(super) branch: Branch,
    /// Files that it was synced from.
    pub(super) files: Files,
    /// The rules, once a caller asked for them.
    pub(super) checks: Option<CheckState>,
}

/// A branch that is or was in memory.
pub(super) struct Held {
    pub(super) tenant: TenantId,
    pub(super) space: SpaceId,
    /// Held by a write from its examination until its outcome is known.
    pub(super) writing: Mutex<()>,
    /// The branch; `None` if it has to be read.
    pub(super) state: RwLock<Option<BranchState>>,
    /// When it was last used, on a counter of the node.
    used: AtomicU64,
}

impl Held {
    pub(super) fn new(tenant: TenantId, space: SpaceId) -> Arc<Self> {
        Arc::new(Held {
            tenant,
            space,
            writing: Mutex::default(),
            state: RwLock::default(),
            used: AtomicU64::new(0),
        })
    }

    pub(super) fn touch(&self, now: u64) {
        self.used.store(now, Ordering::Relaxed);
    }

    pub(super) fn last_used(&self) -> u64 {
        self.used.load(Ordering::Relaxed)
    }

    /// Entities in memory; 0 while the branch is being changed or read.
    pub(super) fn entities(&self) -> usize {
        self.state.try_read().and_then(|state| Some(state.as_ref()?.branch.len())).unwrap_or(0)
    }
}

impl BranchState {
    /// The rules, built if nobody has asked for them yet.
    pub(super) fn checks(&mut self) -> &mut CheckState {
        self.checks.get_or_insert_with(|| CheckState::build(&self.branch, &mut |_, _| {}))
    }

    /// The type and number of entities, for reading them.
    pub(super) fn wanted(&self, keys: &[NodeKey]) -> Vec<(NodeKey, cairn_kb::EntityType)> {
        keys.iter().filter_map(|key| Some((*key, self.branch.node(*key)?.kind))).collect()
    }

    pub(super) fn status(&self) -> StatusOutput {
        let BranchRecord { workspace, branch, copied_from, space, .. } = &self.record;
        let was_written = self.version.written_at_ms > 0;
        let (diverged, with_problems) = (self.branch.diverged() as u64, self.files.with_problems() as u64);
        let stale_reasons = stale_reasons(diverged, with_problems);
        let is_stale = !stale_reasons.is_empty();
        StatusOutput {
            workspace: workspace.clone(),
            branch: branch.clone(),
            snapshot_id: snapshot_id(*space, self.version),
            synced_at: was_written.then(|| to_iso_utc(self.version.written_at_ms)),
            dirty: is_stale,
            // Without the files it is not known to be fresh.
            sync_state: if is_stale { SyncState::Stale } else { SyncState::Unknown },
            kb_path: kb_uri(workspace, branch),
            last_sync_source: if was_written { "persisted" } else { "unknown" }.to_owned(),
            entities: self.branch.len() as u64,
            relationships: self.branch.edge_count() as u64,
            last_sync_at: self.files.last_sync_at().map(str::to_owned),
            file_owned: self.branch.file_owned() as u64,
            diverged,
            files_with_problems: with_problems,
            stale_reason_count: stale_reasons.len() as u64,
            stale_reasons,
            copied_from: copied_from.clone(),
        }
    }
}

/// Reasons why documents and KB differ that are known without the documents.
fn stale_reasons(diverged: u64, with_problems: u64) -> Vec<String> {
    let count = |count: u64, one: &str, many: &str| match count {
        0 => None,
        1 => Some(format!("1 {one}")),
        count => Some(format!("{count} {many}")),
    };
    let diverged = count(diverged, "entity has diverged", "entities have diverged");
    let with_problems = count(with_problems, "document has problems", "documents have problems");
    diverged.into_iter().chain(with_problems).collect()
}

/// Opaque; changes with every write.
pub(super) fn snapshot_id(space: SpaceId, version: Version) -> String {
    format!("{:x}.{:x}", space.0, version.number)
}

/// The URI of the KB of a branch.
fn kb_uri(workspace: &str, branch: &str) -> String {
    let mut uri = format!("cairn://kb/{workspace}/");
    for byte in branch.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => uri.push(char::from(byte)),
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// Reads whole entities in the order of their keys; those that are gone are left out.
pub(super) fn read_entities(
    view: &cairn_graph::View<'_>,
    schema: &Schema,
    wanted: &[(NodeKey, cairn_kb::EntityType)],
) -> Result<Vec<Entity>, crate::EngineError> {
    Ok(cairn_kb::entities(view, schema, wanted)?.into_iter().flatten().collect())
}

/// The scope of a space under a permit for its tenant.
pub(super) fn space_scope(scope: &Scope, space: SpaceId) -> Result<Scope, crate::EngineError> {
    crate::graph::inside(scope, space)
}
