//! What shared code needs to know of the graph.

use std::sync::Arc;

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::{Position, SpaceId, TenantId};
use cairn_graph::{Cache, Changes, GraphError, tables};
use cairn_seam::{EventKind, Keyspace, MaintenanceReport, OnStage, StoreError};

use super::lifecycle::Copies;
use super::salvage::{LostGraph, PRIMARY};
use super::{Indexing, Sleeping, Spaces};
use crate::memory::{Cleared, Memory, Primary, Salvage, Searchable, Track};
use crate::metrics::PrometheusText;
use crate::references::{Reference, Referring, VisitReference};
use crate::{Act, Engine, EngineConfig, EngineError};

/// The memory of what is known, with what it keeps between calls.
pub(crate) struct Graph {
    /// Recently read records and lists of links.
    pub(crate) cache: Arc<Cache>,
    pub(crate) spaces: Spaces,
    pub(crate) indexing: Indexing,
    /// Sleep cycles by themselves, and where one is under way.
    pub(crate) sleeping: Sleeping,
    /// Spaces that are being copied, and those that are not finished.
    pub(crate) copies: Arc<Copies>,
}

impl Graph {
    pub(crate) fn new(config: &EngineConfig, _now_ms: u64) -> Self {
        Graph {
            cache: Arc::new(Cache::new(config.graph_cache_bytes)),
            spaces: Spaces::default(),
            indexing: Indexing::new(config.auto_indexes),
            sleeping: Sleeping::new(config.sleep),
            copies: Arc::default(),
        }
    }
}

impl Memory for Graph {
    fn name(&self) -> &'static str {
        "graph"
    }

    fn keyspaces(&self) -> &'static [Keyspace] {
        tables::KEYSPACES
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
        tables::KEYSPACES
    }

    fn track(&self) -> Option<Box<dyn Track>> {
        Some(Box::new(Tracking { cached: Changes::new(&self.cache), copies: Arc::clone(&self.copies) }))
    }

    fn clear_caches(&self, after: Cleared) {
        match after {
            Cleared::Forgotten | Cleared::Repaired => self.cache.clear(),
            // Records refer to what is still there.
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
        engine.verify_indexes(repair, report, on_stage)
    }

    fn upkeep(&self, engine: &Engine, on_stage: OnStage<'_>) {
        engine.look_after_spaces();
        engine.look_after_indexes();
        engine.sleep_when_due(on_stage);
    }

    fn primary(&self) -> &'static [Primary] {
        PRIMARY
    }

    fn salvage(&self) -> Option<Box<dyn Salvage>> {
        Some(Box::<LostGraph>::default())
    }

    fn write_metrics(&self, text: &mut PrometheusText) {
        super::cache::write_metrics(&self.cache, text);
    }
}

impl Engine {
    /// The scope of a space, for work that the node does for itself.
    pub(crate) fn own_space(&self, tenant: TenantId, space: SpaceId) -> Result<Scope, EngineError> {
        let act = Act::new(Action::GraphRead, Resource::space(tenant, space));
        Ok(self.pipeline.permit(&Principal::local_owner(), &act)?.scope())
    }
}

/// What a transaction changes of what the cache may hold, and of spaces that are being copied.
struct Tracking {
    cached: Changes,
    copies: Arc<Copies>,
}

impl Track for Tracking {
    fn put(&mut self, keyspace: Keyspace, key: &[u8], _: &[u8]) {
        self.cached.note(keyspace, key);
        self.copies.note(keyspace, key);
    }

    fn delete(&mut self, keyspace: Keyspace, key: &[u8]) {
        self.cached.note(keyspace, key);
        self.copies.note(keyspace, key);
    }

    fn delete_range(&mut self, keyspace: Keyspace) {
        self.cached.note_range(keyspace);
        self.copies.note_range(keyspace);
    }

    fn committed(&mut self, _: TenantId, at: Position) {
        self.cached.committed(at);
    }

    fn aborted(&mut self) {
        self.cached.aborted();
    }
}

const REFERRING: &[Referring] = &[
    Referring {
        keyspace: tables::CONCEPTS,
        called: Some("content of concept C:"),
        folder: None,
        references: concept_references,
    },
    Referring {
        keyspace: tables::LINKS,
        called: Some("content of link P:"),
        folder: None,
        references: link_references,
    },
];

/// A long concept keeps its content in a blob.
fn concept_references(value: &[u8], visit: VisitReference<'_>) -> Result<(), StoreError> {
    let blob = cairn_graph::blob_of_concept(value).map_err(|error| undecodable(&error))?;
    blob.into_iter().for_each(|hash| visit(Reference::Blob(hash)));
    Ok(())
}

fn link_references(value: &[u8], visit: VisitReference<'_>) -> Result<(), StoreError> {
    let blob = cairn_graph::blob_of_link(value).map_err(|error| undecodable(&error))?;
    blob.into_iter().for_each(|hash| visit(Reference::Blob(hash)));
    Ok(())
}

fn undecodable(error: &GraphError) -> StoreError {
    StoreError::Record { detail: error.to_string() }
}
