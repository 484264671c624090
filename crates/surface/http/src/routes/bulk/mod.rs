//! Much at once: `GET /v1/export`, `POST /v1/import` and `POST /v1/admin/prune` for turns,
//! `GET /v1/kip/export` and `POST /v1/kip/import` for what is known.
//!
//! Exports and imports stand outside of admission and deadline, because they take as long as they take.
//! There are only a few at once, and none holds a thread while its client takes its time.

mod body;
mod data_in;
mod data_out;
mod export;
mod import;
mod kip_export;
mod kip_import;
mod kip_params;
mod lines_in;
mod prune;
mod read;
mod wire;

use std::sync::Arc;

use cairn_base::{ErrorCode, limits};
use tokio::sync::OwnedSemaphorePermit;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

pub(crate) use self::body::{END, ENDS_IN_TRAILERS, ERROR};
pub(crate) use self::export::LAST_TURN;
pub use self::import::ImportReport;
pub(crate) use self::kip_export::NUMBERS;
pub use self::kip_import::KipImportReport;
pub use self::prune::{PruneJob, PruneReport};
use crate::ApiError;
use crate::app::AppState;

/// Outside of the frame's limits.
pub(super) fn streams() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(export::export))
        .routes(routes!(import::import))
        .routes(routes!(kip_export::kip_export))
        .routes(routes!(kip_import::kip_import))
}

/// Inside of them.
pub(super) fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(prune::prune))
}

/// A place among exports and imports, or a request to come back.
fn place(app: &AppState) -> Result<OwnedSemaphorePermit, ApiError> {
    Arc::clone(&app.bulk).try_acquire_owned().map_err(|_| {
        ApiError::new(ErrorCode::Overloaded, "as many exports and imports are under way as may be")
            .detail("streams_max", limits::BULK_STREAMS_MAX)
    })
}
