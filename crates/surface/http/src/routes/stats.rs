//! `GET /v1/admin/stats`: figures about the node, for people.

use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use cairn_engine::{Consumer, EngineStats};
use cairn_gate::Admission;
use cairn_wire::stats::{Bus, Follower, Stats};

use crate::app::AppState;
use crate::call::Asking;
use crate::error::ErrorBody;
use crate::{ApiError, IntoWire};

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
    Ok(Json(stats.into_wire()))
}

impl IntoWire for EngineStats {
    type Wire = Stats;

    fn into_wire(self) -> Stats {
        let follower = |consumer: Consumer| Follower {
            name: consumer.name.to_string(),
            position: consumer.position.to_stored(),
            advanced_at_ms: consumer.advanced_at_ms,
        };
        Stats {
            node_id: self.node_id,
            created_at_ms: self.created_at_ms,
            version: self.version.to_owned(),
            position: self.position.to_stored(),
            uptime_ms: self.uptime_ms,
            store: self.store.into_wire(),
            consumers: self.consumers.into_iter().map(follower).collect(),
            bus: Bus {
                listeners: self.bus.listeners,
                published: self.bus.published,
                lagged: self.bus.lagged,
            },
            search: (&self.search).into_wire(),
            scrub: (&self.scrub).into_wire(),
        }
    }
}
