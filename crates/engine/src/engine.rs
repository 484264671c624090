//! The engine: opening, closing, and the three ways in.

use std::fmt;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use cairn_access::{Principal, Scope};
use cairn_base::{Clock, Entropy, Position, limits};
use cairn_seam::{Health, ScrubPolicy, Snapshot, Store, WriteTx};
use parking_lot::Mutex;

use crate::access::{Logins, ensure_local_owner};
use crate::event_ids::EventIdKeys;
use crate::kip::{Indexing, KipLog, KipMetrics, Sleeping, Spaces};
use crate::payloads::Payloads;
use crate::pipeline::Pipeline;
use crate::registry::Registries;
use crate::search::{SearchScrub, Searching};
use crate::upkeep::Upkeep;
use crate::{Act, Committed, CompactionPolicy, EngineError, Node, PrometheusText, node, secret};

/// One node over one store. Share it behind an [`Arc`]; every method takes `&self`.
pub struct Engine {
    pub(crate) pipeline: Pipeline,
    pub(crate) upkeep: Upkeep,
    pub(crate) opened_at: Duration,
    /// When the store was last compacted by itself; at first, when the engine was opened.
    pub(crate) compacted_at: Mutex<Duration>,
    /// How the store is compacted.
    pub(crate) compaction: Mutex<CompactionPolicy>,
    /// How it goes to sleep by itself, and where somebody is at it.
    pub(crate) sleeping: Sleeping,
    /// Held while maintenance runs: one at a time.
    pub(crate) maintaining: Mutex<()>,
    /// Payloads that were read lately.
    pub(crate) payloads: Payloads,
    pub(crate) registries: Registries,
    pub(crate) strict_types: AtomicBool,
    pub(crate) logins: Logins,
    pub(crate) searching: Arc<Searching>,
    pub(crate) search_scrub: SearchScrub,
    pub(crate) event_id_keys: EventIdKeys,
    pub(crate) spaces: Spaces,
    pub(crate) kip_log: KipLog,
    pub(crate) indexing: Indexing,
    pub(crate) kip_metrics: KipMetrics,
    node: Node,
    entropy: Arc<dyn Entropy>,
}

impl Engine {
    /// Takes a store into service; a fresh one becomes a node with an id of its own.
    pub fn open(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
    ) -> Result<Arc<Engine>, EngineError> {
        let (opened_at, opened_at_ms) = (clock.monotonic(), clock.now_ms());
        let pipeline = Pipeline::new(store, clock);
        let node = node::load_or_initialise(&pipeline, &*entropy)?;
        let secret = secret::load_or_make(&pipeline, &*entropy)?;
        ensure_local_owner(&pipeline)?;
        Ok(Arc::new(Engine {
            searching: Arc::clone(&pipeline.shared().searching),
            pipeline,
            search_scrub: SearchScrub::default(),
            upkeep: Upkeep::default(),
            opened_at,
            compacted_at: Mutex::new(opened_at),
            compaction: Mutex::default(),
            sleeping: Sleeping::default(),
            maintaining: Mutex::default(),
            payloads: Payloads::new(limits::PAYLOAD_CACHE_BYTES),
            registries: Registries::default(),
            strict_types: AtomicBool::new(false),
            logins: Logins::new(&*entropy, &secret),
            event_id_keys: EventIdKeys::new(&secret),
            spaces: Spaces::default(),
            kip_log: KipLog::new(opened_at_ms),
            indexing: Indexing::default(),
            kip_metrics: KipMetrics::default(),
            node,
            entropy,
        }))
    }

    /// Who this node is.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// Changes something and returns when it is durable.
    ///
    /// The closure may run more than once and only its last run counts; what it must not do is in
    /// [`cairn_seam::TxBody`]. Blocks: async surfaces use [`submit`](Engine::submit).
    pub fn transact<T: Send + 'static>(
        &self,
        principal: &Principal,
        act: Act,
        body: impl FnMut(&mut dyn WriteTx, &Scope) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<Committed<T>, EngineError> {
        self.pipeline.transact(principal, &act, body)
    }

    /// Queues a change; `done` is called once, when it is durable or has failed.
    ///
    /// `done` runs on a thread of the store, or on the calling one if the act is refused: it must not
    /// block.
    pub fn submit<T: Send + 'static>(
        &self,
        principal: &Principal,
        act: Act,
        body: impl FnMut(&mut dyn WriteTx, &Scope) -> Result<T, EngineError> + Send + 'static,
        done: impl FnOnce(Result<Committed<T>, EngineError>) + Send + 'static,
    ) {
        self.pipeline.submit(principal, &act, body, done);
    }

    /// Reads at one position that holds at least everything up to `at_least`.
    pub fn read<T>(
        &self,
        principal: &Principal,
        act: Act,
        at_least: Position,
        body: impl FnOnce(&dyn Snapshot, &Scope) -> Result<T, EngineError>,
    ) -> Result<T, EngineError> {
        self.pipeline.read(principal, &act, at_least, body)
    }

    /// The newest position that reads see.
    pub fn position(&self) -> Position {
        self.pipeline.store().position()
    }

    /// Whether reads and writes are served, and if not, why.
    pub fn health(&self) -> Health {
        self.pipeline.store().health()
    }

    /// Has the store verify its files in the background like this from now on, or not at all.
    pub fn set_scrub(&self, policy: Option<ScrubPolicy>) {
        self.pipeline.store().set_scrub(policy);
    }

    /// The clock everything here goes by.
    pub fn clock(&self) -> &Arc<dyn Clock> {
        &self.pipeline.shared().clock
    }

    /// The source of every id.
    pub fn entropy(&self) -> &Arc<dyn Entropy> {
        &self.entropy
    }

    /// Writes the engine's and the store's metrics; surfaces add their own to the same text.
    pub fn write_metrics(&self, text: &mut PrometheusText) {
        crate::metrics::write_store(text, &self.pipeline.store().stats());
        let shared = self.pipeline.shared();
        shared.metrics.write(text);
        shared.bus.write_metrics(text);
        self.payloads.write_metrics(text);
        crate::kip::write_cache_metrics(&shared.graph_cache, text);
        self.kip_metrics.write(text);
        self.searching.write_metrics(text, self.search_behind());
        crate::metrics::write_scrub(text, &self.scrub_status());
    }

    /// The engine's and the store's metrics in Prometheus' text format.
    pub fn render_prometheus(&self) -> String {
        let mut text = PrometheusText::new();
        self.write_metrics(&mut text);
        text.finish()
    }

    /// Stops upkeep and search, dismisses listeners and closes the store, which finishes what is queued.
    ///
    /// Afterwards writes are refused as [`cairn_seam::StoreError::Closed`]. Closing twice is fine.
    pub fn close(&self) -> Result<(), EngineError> {
        self.upkeep.stop();
        self.searching.stop();
        self.pipeline.shared().bus.close();
        Ok(self.pipeline.store().close()?)
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        self.upkeep.ask_to_stop();
        self.searching.ask_to_stop();
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Engine").field("node", &self.node).finish_non_exhaustive()
    }
}
