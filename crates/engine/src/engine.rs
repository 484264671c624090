//! The engine: opening, closing, and the three ways in.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

use cairn_access::{Principal, Scope};
use cairn_base::{Clock, Entropy, Position};
use cairn_seam::{Health, ScrubPolicy, Snapshot, Store, WriteTx};
use parking_lot::Mutex;

use crate::access::{Logins, ensure_local_owner};
use crate::memories::Memories;
use crate::memory::Memory;
use crate::pipeline::Pipeline;
use crate::search::{SearchScrub, Searching};
use crate::secret::Secret;
use crate::upkeep::Upkeep;
use crate::{
    Act, Committed, CompactionPolicy, EngineConfig, EngineError, Node, PrometheusText, SearchMode, node,
    secret,
};

/// One node over one store. Share it behind an [`Arc`]; every method takes `&self`.
pub struct Engine {
    pub(crate) pipeline: Pipeline,
    pub(crate) upkeep: Upkeep,
    pub(crate) opened_at: Duration,
    /// When the store was last compacted by itself; at first, when the engine was opened.
    pub(crate) compacted_at: Mutex<Duration>,
    /// How the store is compacted.
    pub(crate) compaction: Mutex<CompactionPolicy>,
    /// Held while maintenance runs: one at a time.
    pub(crate) maintaining: Mutex<()>,
    /// Every memory, with what it keeps between calls.
    pub(crate) memories: Memories,
    pub(crate) logins: Logins,
    pub(crate) searching: Arc<Searching>,
    pub(crate) search_scrub: SearchScrub,
    pub(crate) secret: Secret,
    node: Node,
    entropy: Arc<dyn Entropy>,
}

impl Engine {
    /// Takes a store into service; a fresh one becomes a node with an id of its own.
    ///
    /// Starts the threads that `config` asks for; [`close`](Engine::close) ends them.
    ///
    /// # Panics
    /// If two memories have the same name, or a keyspace, event kind or search collection in common.
    pub fn open(
        store: Arc<dyn Store>,
        clock: Arc<dyn Clock>,
        entropy: Arc<dyn Entropy>,
        config: EngineConfig,
    ) -> Result<Arc<Engine>, EngineError> {
        let (opened_at, opened_at_ms) = (clock.monotonic(), clock.now_ms());
        let memories = Memories::new(&config, opened_at_ms);
        let pipeline = Pipeline::new(store, clock, &memories);
        let node = node::load_or_initialise(&pipeline, &*entropy)?;
        let secret = secret::load_or_make(&pipeline, &*entropy)?;
        ensure_local_owner(&pipeline)?;
        let engine = Arc::new(Engine {
            searching: Arc::clone(&pipeline.shared().searching),
            pipeline,
            search_scrub: SearchScrub::default(),
            upkeep: Upkeep::default(),
            opened_at,
            compacted_at: Mutex::new(opened_at),
            compaction: Mutex::new(config.compaction),
            maintaining: Mutex::default(),
            memories,
            logins: Logins::new(&*entropy, &secret),
            secret,
            node,
            entropy,
        });
        if let Some(audience) = config.audience {
            engine.set_audience(audience);
        }
        if config.scrub.is_some() {
            engine.set_scrub(config.scrub);
        }
        match config.search {
            SearchMode::Off => {}
            SearchMode::Located(home) => engine.set_search_home(home),
            SearchMode::Kept(home) => engine.start_search(home)?,
        }
        if let Some(every) = config.upkeep_every {
            engine.start_upkeep(every)?;
        }
        Ok(engine)
    }

    /// Who this node is.
    pub fn node(&self) -> &Node {
        &self.node
    }

    /// Every memory of this engine.
    pub fn memories(&self) -> &[Arc<dyn Memory>] {
        self.memories.all()
    }

    /// Changes something and returns when it is durable.
    ///
    /// The closure may run more than once and only its last run counts; what it must not do is in
    /// [`cairn_seam::TxBody`]. Blocks.
    pub fn transact<T: Send + 'static>(
        &self,
        principal: &Principal,
        act: Act,
        body: impl FnMut(&mut dyn WriteTx, &Scope) -> Result<T, EngineError> + Send + 'static,
    ) -> Result<Committed<T>, EngineError> {
        self.pipeline.transact(principal, &act, body)
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
        // A store without files has nothing to verify.
        if let Some(local) = self.pipeline.store().local() {
            local.set_scrub(policy);
        }
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
        self.memories.write_metrics(text);
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
        self.memories.all().iter().for_each(|memory| memory.closing(self));
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
