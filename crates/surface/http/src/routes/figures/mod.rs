//! `GET /v1/metrics`: figures for people's dashboards, as JSON.

mod history;
mod host;
mod wire;

use axum::Json;
use cairn_access::Principal;
use cairn_engine::Figures;
use cairn_gate::GateError;
use cairn_wire::figures::MetricsAnswer;
use tokio::time::{MissedTickBehavior, interval};

pub(crate) use self::history::History;
use self::history::Sample;
use self::host::HostMemory;
use crate::app::AppState;
use crate::call::Call;
use crate::error::ErrorBody;
use crate::{ApiError, limits};

const ROUTE: &str = "/v1/metrics";

/// Figures, as JSON
///
/// Bytes are bytes. What a dashboard adds up is always a number, 0 where cairn does not count it; what is
/// not known is left out. Rates are of the last minute and the last five, or since the start if that is less;
/// times are upper bounds, of the last five minutes. Requests for these figures are in none of them.
#[utoipa::path(
    get,
    path = "/v1/metrics",
    tag = "health",
    responses(
        (status = 200, description = "The figures", body = MetricsAnswer),
        (status = 503, description = "Too much is going on; Retry-After says when to come back", body = ErrorBody),
        (status = 504, description = "It took too long", body = ErrorBody),
    )
)]
pub(super) async fn figures(call: Call) -> Result<Json<MetricsAnswer>, ApiError> {
    let read = |engine: &cairn_engine::Engine, principal: &Principal| {
        Ok((engine.figures(principal, principal.tenant())?, HostMemory::read(), host::open_files()))
    };
    let (figures, memory, open_files) = call.read(read).await?;
    let now = sample(&call.app, &figures);
    let sessions = call.presence()?.sessions();
    let lately = call.app.lately.lock();
    Ok(Json(wire::answer(
        &figures,
        call.now_ms(),
        wire::memory(&memory, open_files),
        wire::sessions(&sessions, call.now_ms()),
        wire::perf(&lately, &now),
        wire::errors(&call.app.metrics.totals(ROUTE), &figures),
    )))
}

/// Takes a sample every few seconds, from the start on.
pub(crate) async fn sample_for_ever(app: AppState) {
    let mut ticks = interval(limits::RATE_SAMPLE_EVERY);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        ticks.tick().await;
        match take_sample(&app) {
            Ok(sample) => app.lately.lock().push(sample),
            // A store that is closed or in trouble says so elsewhere.
            Err(error) => tracing::debug!(%error, "no sample was taken"),
        }
    }
}

/// Looks up a few keys, here and now.
fn take_sample(app: &AppState) -> Result<Sample, GateError> {
    let owner = Principal::local_owner();
    Ok(sample(app, &app.gate.engine().figures(&owner, owner.tenant())?))
}

fn sample(app: &AppState, figures: &Figures) -> Sample {
    Sample::new(app.gate.engine().clock().monotonic(), figures, app.metrics.totals(ROUTE))
}
