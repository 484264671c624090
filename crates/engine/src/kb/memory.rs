//! The requirements KB, as shared code knows it.

use std::sync::Arc;

use cairn_kb::{SparqlEndpoint, tables};
use cairn_seam::{EventKind, Keyspace, MaintenanceReport, OnStage};

use super::branches::Branches;
use super::salvage::LostBranches;
use crate::memory::{Cleared, Memory, Primary, PrimaryId, Salvage};
use crate::{Engine, EngineConfig, EngineError};

/// The memory of requirements, with what it keeps between calls.
pub(crate) struct Kb {
    pub(super) branches: Branches,
    /// Client for SPARQL endpoints elsewhere, if remote queries are on.
    pub(super) sparql: Option<Arc<dyn SparqlEndpoint>>,
    /// Changes of a sync that are stored in one transaction.
    pub(super) sync_changes_max: usize,
}

impl Kb {
    pub(crate) fn new(config: &EngineConfig, _now_ms: u64) -> Self {
        Kb {
            branches: Branches::default(),
            sparql: config.sparql.clone(),
            sync_changes_max: config.kb_sync_changes_max,
        }
    }
}

impl Memory for Kb {
    fn name(&self) -> &'static str {
        "kb"
    }

    fn keyspaces(&self) -> &'static [Keyspace] {
        tables::KEYSPACES
    }

    fn event_kinds(&self) -> &'static [(EventKind, &'static str)] {
        tables::EVENT_KINDS
    }

    fn clear_caches(&self, after: Cleared) {
        match after {
            Cleared::Forgotten | Cleared::Repaired => self.branches.forget_all(),
            // Entities do not change by compaction.
            Cleared::Compacted => {}
        }
    }

    fn verify(
        &self,
        engine: &Engine,
        repair: bool,
        report: &mut MaintenanceReport,
        on_stage: OnStage<'_>,
    ) -> Result<(), EngineError> {
        engine.verify_kb(repair, report, on_stage)
    }

    fn primary(&self) -> &'static [Primary] {
        PRIMARY
    }

    fn salvage(&self) -> Option<Box<dyn Salvage>> {
        Some(Box::new(LostBranches))
    }
}

/// Records that are not rebuilt from others. Entities are concepts of the graph.
const PRIMARY: &[Primary] = &[
    Primary { keyspace: tables::BRANCHES, kind: "KB branch", id: PrimaryId::Bytes },
    Primary { keyspace: tables::VERSIONS, kind: "version of KB branch", id: PrimaryId::Bytes },
];
