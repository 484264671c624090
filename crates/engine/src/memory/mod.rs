//! The engine's view of a memory: everything that shared code needs to know of it.
//!
//! A memory is a folder `engine/src/<memory>` with its use cases, an implementation of [`Memory`] in its
//! `memory.rs`, its pure parts in `core`, and one row in `memories.rs`. Shared code walks the list and names
//! none of them; `cargo xtask tidy` holds that. Use cases (append, export, live events) are methods that a memory
//! adds to [`Engine`]: nothing shared calls them, so they are not here.

mod salvage;
mod search;
mod track;

use std::fmt;

use cairn_access::Principal;
use cairn_base::{ContentHash, TenantId};
use cairn_seam::{EventKind, HashedKeyspace, Keyspace, MaintenanceReport, OnStage, Selection, Snapshot};

pub use self::salvage::{Primary, PrimaryId, Salvage};
pub use self::search::{Searchable, Walk};
pub use self::track::Track;
use crate::{Engine, EngineError, PrometheusText, Referring};

/// A memory, or another part of the engine that has keyspaces of its own.
///
/// Everything but the name and the keyspaces has a default for memories that do not have it.
pub trait Memory: Send + Sync + 'static {
    /// Its name, for people.
    fn name(&self) -> &'static str;

    /// Its ordered keyspaces. Numbers and names are stored: chosen once and never reused.
    fn keyspaces(&self) -> &'static [Keyspace];

    /// Its hashed keyspaces, numbered in the same way among each other.
    fn hashed_keyspaces(&self) -> &'static [HashedKeyspace] {
        &[]
    }

    /// The kinds of its events, and their names.
    fn event_kinds(&self) -> &'static [(EventKind, &'static str)] {
        &[]
    }

    /// Its keyspaces whose records refer to blobs. A blob that no record refers to is swept a day after its
    /// upload.
    fn referring(&self) -> &'static [Referring] {
        &[]
    }

    /// Its side of the search index, if something of it can be found by its words.
    fn search(&self) -> Option<&dyn Searchable> {
        None
    }

    /// Whether a blob of a tenant belongs to records of this memory, and the caller may read none of them. Asked before
    /// a blob is read by its name alone.
    fn hides_blob(
        &self,
        engine: &Engine,
        snapshot: &dyn Snapshot,
        principal: &Principal,
        tenant: TenantId,
        hash: &ContentHash,
    ) -> Result<bool, EngineError> {
        let _ = (engine, snapshot, principal, tenant, hash);
        Ok(false)
    }

    /// Keyspaces whose changes it tracks, for caches that must follow the store.
    fn tracked(&self) -> &'static [Keyspace] {
        &[]
    }

    /// The notes of one transaction that changes a [tracked](Memory::tracked) keyspace; made when it first does.
    fn track(&self) -> Option<Box<dyn Track>> {
        None
    }

    /// Drops cached records that may be gone or different in the store.
    fn clear_caches(&self, after: Cleared) {
        let _ = after;
    }

    /// Verifies that its derived records agree with the others; adds what is wrong to the report, and rebuilds
    /// it if `repair` is set. The store's own files were found to be whole before.
    fn verify(
        &self,
        engine: &Engine,
        repair: bool,
        report: &mut MaintenanceReport,
        on_stage: OnStage<'_>,
    ) -> Result<(), EngineError> {
        let _ = (engine, repair, report, on_stage);
        Ok(())
    }

    /// Does what is due, about once a second. Failures are its own to log; `on_stage` says when to stop.
    fn upkeep(&self, engine: &Engine, on_stage: OnStage<'_>) {
        let _ = (engine, on_stage);
    }

    /// The engine closes: what is only in memory can be stored.
    fn closing(&self, engine: &Engine) {
        let _ = engine;
    }

    /// Reads a selector of this memory for what is to be forgotten, and removes it; returns what has to go from history
    /// too. `None` if the selector is not this memory's.
    fn forget(&self, engine: &Engine, selector: &str) -> Result<Option<Vec<Selection>>, EngineError> {
        let _ = (engine, selector);
        Ok(None)
    }

    /// Its records that are not rebuilt from others, for salvage.
    fn primary(&self) -> &'static [Primary] {
        &[]
    }

    /// Begins to take note of what a damaged store held.
    fn salvage(&self) -> Option<Box<dyn Salvage>> {
        None
    }

    /// Writes its metrics.
    fn write_metrics(&self, text: &mut PrometheusText) {
        let _ = text;
    }
}

/// Why caches are cleared.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cleared {
    /// The store was compacted: blobs that nothing referred to may be gone.
    Compacted,
    /// Records and blobs were removed for good; nothing of them may be kept anywhere.
    Forgotten,
    /// Damaged files were repaired: what was read of them may have been wrong.
    Repaired,
}

impl fmt::Debug for dyn Memory {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Memory").field(&self.name()).finish()
    }
}
