//! Settings of an engine, given once when it is opened.

use std::sync::Arc;
use std::time::Duration;

use cairn_kb::SparqlEndpoint;
use cairn_seam::ScrubPolicy;

use crate::memory::Memory;
use crate::{CompactionPolicy, SearchHome, Signing, SleepPolicy, limits};

/// Settings of an engine.
///
/// The default is an engine that does nothing by itself: no upkeep, no scrubbing, no sleep, no search index.
#[derive(Debug, Clone)]
pub struct EngineConfig {
    /// When the store is compacted, and how long changes are kept. Takes effect with upkeep.
    pub compaction: CompactionPolicy,
    /// When sleep cycles run by themselves. Takes effect with upkeep.
    pub sleep: SleepPolicy,
    /// Background verification of the store's files; none by default. Takes effect with upkeep.
    pub scrub: Option<ScrubPolicy>,
    /// Interval of background upkeep; no upkeep thread by default.
    pub upkeep_every: Option<Duration>,
    /// The search index of the node.
    pub search: SearchMode,
    /// Id that JWTs address this node by; without one no JWT is accepted.
    pub audience: Option<String>,
    /// Whether turns must be of published types.
    pub strict_types: bool,
    /// How long idempotency keys of appends are remembered.
    pub remember_keys: Duration,
    /// Maximum number of automatic indexes of one space; 0 creates none.
    pub auto_indexes: usize,
    /// Maximum bytes of the graph cache; 0 disables it.
    pub graph_cache_bytes: u64,
    /// The key that this node signs with; without one it signs nothing for its users.
    pub signing: Option<Arc<dyn Signing>>,
    /// How long the content of a deleted artifact is kept; `None` keeps it.
    pub keep_deleted_content: Option<Duration>,
    /// Client for SPARQL endpoints elsewhere; without one remote queries are off.
    pub sparql: Option<Arc<dyn SparqlEndpoint>>,
    /// Changes of a sync of a KB that are stored in one transaction; a larger one is staged.
    pub kb_sync_changes_max: usize,
    /// Memories beside the built-in ones.
    pub memories: Vec<Arc<dyn Memory>>,
}

/// The search index of a node.
#[derive(Debug, Clone, Default)]
pub enum SearchMode {
    /// No index.
    #[default]
    Off,
    /// An index that is not opened: maintenance knows where its files are.
    Located(SearchHome),
    /// An index that follows the change feed on a thread of its own.
    Kept(SearchHome),
}

impl Default for EngineConfig {
    fn default() -> Self {
        EngineConfig {
            compaction: CompactionPolicy::default(),
            sleep: SleepPolicy::default(),
            scrub: None,
            upkeep_every: None,
            search: SearchMode::Off,
            audience: None,
            strict_types: false,
            remember_keys: cairn_turns::limits::IDEMPOTENCY_REMEMBERED,
            auto_indexes: limits::GRAPH_AUTO_INDEXES,
            graph_cache_bytes: limits::GRAPH_CACHE_BYTES_DEFAULT,
            signing: None,
            keep_deleted_content: Some(limits::KEEP_DELETED_CONTENT),
            sparql: None,
            kb_sync_changes_max: cairn_seam::limits::COMMIT_CHANGES_MAX,
            memories: Vec::new(),
        }
    }
}
