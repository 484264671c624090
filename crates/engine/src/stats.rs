//! Figures about the node, for people and for administration.

use cairn_access::{Action, Principal, Resource};
use cairn_base::Position;
use cairn_seam::{ScrubStatus, StoreStats};
use serde::Serialize;

use crate::{Act, BusStats, Consumer, Engine, EngineError, SearchStatus, feed, metrics};

/// What [`Engine::stats`] answers.
#[derive(Debug, Clone, Serialize)]
pub struct EngineStats {
    /// The node's id, 32 hexadecimal digits.
    pub node_id: String,
    /// When the node was made, in Unix milliseconds.
    pub created_at_ms: u64,
    /// The version of cairn that answers.
    pub version: &'static str,
    /// The newest position that reads see.
    pub position: Position,
    /// How long this process has had the store open.
    pub uptime_ms: u64,
    /// The store's own figures: its kind and one number per row of the metrics table.
    #[serde(serialize_with = "metrics::serialize_store")]
    pub store: StoreStats,
    /// Who follows the change feed, and how far each has read.
    pub consumers: Vec<Consumer>,
    /// The live listeners.
    pub bus: BusStats,
    /// How the search is doing.
    pub search: SearchStatus,
    /// Background verification of all files.
    #[serde(skip)]
    pub scrub: ScrubStatus,
}

impl Engine {
    /// Whether somebody may see figures about the whole node.
    pub fn permit_figures(&self, principal: &Principal) -> Result<(), EngineError> {
        self.pipeline.permit(principal, &Act::new(Action::StatsRead, Resource::NODE)).map(drop)
    }

    /// Figures about the node.
    pub fn stats(&self, principal: &Principal) -> Result<EngineStats, EngineError> {
        let act = Act::new(Action::StatsRead, Resource::NODE);
        let (position, consumers) = self.read(principal, act, Position::START, |snapshot, scope| {
            Ok((snapshot.position(), feed::list(snapshot, scope)?))
        })?;
        let uptime = self.clock().monotonic().saturating_sub(self.opened_at);
        Ok(EngineStats {
            node_id: self.node().id.to_string(),
            created_at_ms: self.node().created_at_ms,
            version: env!("CARGO_PKG_VERSION"),
            position,
            uptime_ms: u64::try_from(uptime.as_millis()).unwrap_or(u64::MAX),
            store: self.pipeline.store().stats(),
            consumers,
            bus: self.pipeline.shared().bus.stats(),
            search: self.search_status(),
            scrub: self.scrub_status(),
        })
    }
}
