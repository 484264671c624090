//! `POST /v1/admin/search/rebuild`.

use axum::extract::State;
use axum::response::Response;
use cairn_seam::MaintenanceReport;

use crate::ApiError;
use crate::app::AppState;
use crate::call::Asking;
use crate::error::ErrorBody;
use crate::routes::maintenance::wire::Line;
use crate::routes::maintenance::{Progress, answer, lines};

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
        (status = 200, description = "Lines of JSON until the new index serves", body = Line, content_type = "application/x-ndjson"),
        (status = 409, description = "Somebody waits for a new index already", body = ErrorBody),
        (status = 422, description = "Search is switched off", body = ErrorBody),
        (status = 503, description = "The index could not be made, or too much is going on", body = ErrorBody),
    )
)]
pub(super) async fn rebuild(
    State(app): State<AppState>,
    Asking(caller): Asking,
) -> Result<Response, ApiError> {
    let (gate, principal) = (app.gate.clone(), caller.principal().clone());
    let (teller, listener) = lines::channel();
    let mut progress = Progress::new(teller.clone());
    app.gate.run_long(
        move |engine| {
            engine.search_rebuild(&principal, &mut |stage| {
                gate.identify_again(&caller).is_ok() && progress.go_on(stage)
            })
        },
        move |outcome| {
            let line = |report: MaintenanceReport| Line::Report { report: report.into() };
            teller.end(outcome.map(line).map_err(ApiError::from));
        },
    );
    answer(listener).await
}
