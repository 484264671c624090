//! `GET /v1/admin/stats`: figures about the node, for people.

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use cairn_engine::{Consumer, EngineStats};
use cairn_gate::Admission;
use serde::Serialize;
use utoipa::ToSchema;

use super::scrub::ScrubFigures;
use super::search::status::SearchFigures;
use super::store_figures::StoreFigures;
use crate::ApiError;
use crate::app::AppState;
use crate::call::Asking;
use crate::error::ErrorBody;

/// Figures about the node.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Stats {
    /// The node's id.
    node_id: String,
    /// When the node was made, in Unix milliseconds.
    created_at_ms: u64,
    /// The version of cairn that answers.
    version: &'static str,
    /// The newest position that reads see. Positions can be compared and mean nothing else.
    position: u64,
    /// How long the server has been up.
    uptime_ms: u64,
    /// The store's own.
    store: StoreFigures,
    /// Who follows the change feed.
    consumers: Vec<Follower>,
    /// Live listeners.
    bus: Bus,
    /// How the search is doing.
    search: SearchFigures,
    /// Background verification of all files.
    scrub: ScrubFigures,
}

/// A follower of the change feed.
#[derive(Debug, Serialize, ToSchema)]
struct Follower {
    /// Its name.
    name: String,
    /// Everything up to here it has dealt with.
    position: u64,
    /// When it said so, in Unix milliseconds.
    advanced_at_ms: u64,
}

/// Live listeners.
#[derive(Debug, Serialize, ToSchema)]
struct Bus {
    /// Listeners now.
    listeners: usize,
    /// Transactions announced.
    published: u64,
    /// Times a listener fell behind.
    lagged: u64,
}

/// Figures about the node
#[utoipa::path(
    get,
    path = "/v1/admin/stats",
    tag = "admin",
    responses(
        (status = 200, description = "The figures", body = Stats),
        (status = 503, description = "Too much is going on; Retry-After says when to come back", body = ErrorBody),
        (status = 504, description = "It took too long", body = ErrorBody),
    )
)]
pub(super) async fn stats(
    State(app): State<AppState>,
    asking: Asking,
    Extension(admission): Extension<Arc<Admission>>,
) -> Result<Json<Stats>, ApiError> {
    let principal = asking.principal();
    let stats = app.gate.read(&admission, move |engine| engine.stats(&principal)).await?;
    Ok(Json(Stats::to_wire(stats)))
}

impl Stats {
    fn to_wire(stats: EngineStats) -> Self {
        let store = StoreFigures::from(&stats.store);
        let search = SearchFigures::from(&stats.search);
        let scrub = ScrubFigures::from(&stats.scrub);
        let follower = |consumer: Consumer| Follower {
            name: consumer.name.to_string(),
            position: consumer.position.0,
            advanced_at_ms: consumer.advanced_at_ms,
        };
        Stats {
            node_id: stats.node_id,
            created_at_ms: stats.created_at_ms,
            version: stats.version,
            position: stats.position.0,
            uptime_ms: stats.uptime_ms,
            store,
            consumers: stats.consumers.into_iter().map(follower).collect(),
            bus: Bus {
                listeners: stats.bus.listeners,
                published: stats.bus.published,
                lagged: stats.bus.lagged,
            },
            search,
            scrub,
        }
    }
}
