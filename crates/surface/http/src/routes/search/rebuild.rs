//! `POST /v1/admin/search/rebuild`.

use axum::extract::State;
use axum::response::Response;
use cairn_wire::jobs::JobLine;
use cairn_wire::maintenance::Report;

use crate::app::AppState;
use crate::call::Asking;
use crate::error::ErrorBody;
use crate::{ApiError, IntoWire, long_job};

/// Have the search index made anew
///
/// From primary data, beside the one that is there, with which searches go on until the new one serves. The
/// answer is a stream of lines like that of maintenance, and ends with its report. Only one caller waits at
/// a time. The index is made also when the client goes away.
#[utoipa::path(
    post,
    path = "/v1/admin/search/rebuild",
    tag = "admin",
    responses(
        (status = 200, description = "Lines of JSON until the new index serves", body = JobLine<Report>, content_type = "application/x-ndjson"),
        (status = 409, description = "Somebody waits for a new index already", body = ErrorBody),
        (status = 422, description = "Search is switched off", body = ErrorBody),
        (status = 503, description = "The index could not be made, or too much is going on", body = ErrorBody),
    )
)]
pub(super) async fn rebuild(
    State(app): State<AppState>,
    Asking(caller): Asking,
) -> Result<Response, ApiError> {
    long_job::run(
        &app,
        caller,
        |engine, principal, on_stage| engine.search_rebuild(principal, on_stage),
        |outcome| Ok(outcome?.into_wire()),
    )
    .await
}
