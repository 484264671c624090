//! The gate and its settings.

use std::sync::Arc;
use std::time::Duration;

use cairn_access::Principal;
use cairn_engine::{Engine, PrometheusText};
use tokio::sync::{Notify, Semaphore};

use crate::allowance::{Purse, Seats};
use crate::figures::Figures;
use crate::query::Queries;
use crate::{Allowance, Authentication, RequestId, limits};

/// What refused requests are told to wait. A queue as long as ours empties well within a second, and
/// whole seconds are all that `Retry-After` can say.
pub(crate) const RETRY_AFTER_S: u32 = 1;

/// Bounds of a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GateConfig {
    /// Most requests that run at once; at least 1.
    pub in_flight_max: usize,
    /// Most requests that wait for their turn.
    pub waiting_max: usize,
    /// Time a request has from its arrival to its answer.
    pub deadline: Duration,
    /// Most reads that run on threads of their own at once; at least 1.
    pub readers_max: usize,
    /// Most queries that run at once beside them; at least 1.
    pub queries_max: usize,
    /// Most queries beyond these that have run for long; at least 1.
    pub long_queries_max: usize,
    /// Whether callers have to say who they are.
    pub authentication: Authentication,
    /// What each of them may do.
    pub allowance: Allowance,
}

impl Default for GateConfig {
    fn default() -> Self {
        GateConfig {
            in_flight_max: limits::HTTP_IN_FLIGHT_MAX,
            waiting_max: limits::HTTP_WAITING_MAX,
            deadline: limits::HTTP_DEADLINE,
            readers_max: limits::READERS_MAX,
            queries_max: limits::QUERIES_MAX,
            long_queries_max: limits::LONG_QUERIES_MAX,
            authentication: Authentication::Off,
            allowance: Allowance::default(),
        }
    }
}

/// The way into an engine for async surfaces. Cheap to clone; clones share their bounds.
#[derive(Clone)]
pub struct Gate {
    pub(crate) inner: Arc<Inner>,
}

pub(crate) struct Inner {
    pub(crate) engine: Arc<Engine>,
    pub(crate) config: GateConfig,
    /// One permit per request that runs. Closed when draining.
    pub(crate) running: Arc<Semaphore>,
    /// One permit per thread that reads.
    pub(crate) readers: Arc<Semaphore>,
    pub(crate) queries: Queries,
    /// Rung whenever a request ends.
    pub(crate) ended: Notify,
    pub(crate) figures: Figures,
    pub(crate) purse: Purse,
    pub(crate) seats: Seats,
    /// Made once: requests clone them.
    pub(crate) local_owner: Principal,
    pub(crate) anonymous: Principal,
}

impl Gate {
    /// Puts a gate before an engine.
    pub fn new(engine: Arc<Engine>, config: GateConfig) -> Self {
        let bound = |max: usize| max.clamp(1, Semaphore::MAX_PERMITS);
        let config = GateConfig {
            in_flight_max: bound(config.in_flight_max),
            readers_max: bound(config.readers_max),
            queries_max: bound(config.queries_max),
            long_queries_max: bound(config.long_queries_max),
            ..config
        };
        let inner = Inner {
            engine,
            config,
            running: Arc::new(Semaphore::new(config.in_flight_max)),
            readers: Arc::new(Semaphore::new(config.readers_max)),
            queries: Queries::new(&config),
            ended: Notify::new(),
            figures: Figures::default(),
            purse: Purse::new(&config.allowance),
            seats: Seats::default(),
            local_owner: Principal::local_owner(),
            anonymous: Principal::anonymous(),
        };
        Gate { inner: Arc::new(inner) }
    }

    /// The engine behind the gate, for what must answer also under overload: health and metrics.
    pub fn engine(&self) -> &Arc<Engine> {
        &self.inner.engine
    }

    /// The bounds in force.
    pub fn config(&self) -> &GateConfig {
        &self.inner.config
    }

    /// The client's request id if it sent a usable one, else a new one.
    pub fn request_id(&self, from_client: Option<&str>) -> RequestId {
        from_client
            .and_then(RequestId::parse)
            .unwrap_or_else(|| RequestId::random(&**self.inner.engine.entropy()))
    }

    /// Writes the gate's metrics.
    pub fn write_metrics(&self, text: &mut PrometheusText) {
        let in_flight = self.in_flight();
        let reading = self.inner.config.readers_max - self.inner.readers.available_permits();
        self.inner.figures.write(text, in_flight, reading, self.inner.queries.running(&self.inner.config));
    }
}

impl std::fmt::Debug for Gate {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Gate").field("config", &self.inner.config).finish_non_exhaustive()
    }
}
