//! Much at once: `GET /v1/export`, `POST /v1/import` and `POST /v1/admin/prune` for turns,
//! `GET /v1/kip/export` and `POST /v1/kip/import` for what is known, `GET /v1/artifacts/export` and
//! `POST /v1/artifacts/import` for what was published.
//!
//! Exports and imports stand outside of admission and deadline, because they take as long as they take.
//! There are only a few at once, and none holds a thread while its client takes its time.

mod artifact_export;
mod artifact_import;
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

use std::sync::Arc;

use cairn_base::ErrorCode;
use tokio::sync::OwnedSemaphorePermit;
use utoipa_axum::routes;

pub(crate) use self::body::{END, ENDS_IN_TRAILERS, ERROR};
pub(in crate::routes) use self::data_in::{DataIn, PiecesIn};
pub(crate) use self::export::LAST_TURN;
pub(crate) use self::kip_export::NUMBERS;
pub(in crate::routes) use self::lines_in::{Batch, LinesIn};
use crate::app::AppState;
use crate::route::Route;
use crate::routes::Routes;
use crate::{ApiError, limits};

/// The routes of this folder, with their descriptors.
pub(super) fn routes() -> Routes {
    Routes::new()
        .with(Route::EXPORT, routes!(export::export))
        .with(Route::IMPORT, routes!(import::import))
        .with(Route::EXPORT, routes!(kip_export::kip_export))
        .with(Route::IMPORT, routes!(kip_import::kip_import))
        .with(Route::EXPORT, routes!(artifact_export::artifact_export))
        .with(Route::IMPORT, routes!(artifact_import::artifact_import))
        .with(Route::JOB, routes!(prune::prune))
}

/// A place among exports and imports, or a request to come back.
fn place(app: &AppState) -> Result<OwnedSemaphorePermit, ApiError> {
    Arc::clone(&app.bulk).try_acquire_owned().map_err(|_| {
        ApiError::new(ErrorCode::Overloaded, "as many exports and imports are under way as may be")
            .detail("streams_max", limits::BULK_STREAMS_MAX)
    })
}
