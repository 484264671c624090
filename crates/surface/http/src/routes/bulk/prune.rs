//! `POST /v1/admin/prune`.

use axum::extract::State;
use axum::response::Response;
use cairn_base::ContextId;
use cairn_turns::prune::Rule;
use cairn_wire::bulk::{PruneJob, PruneReport};
use cairn_wire::jobs::JobLine;

use crate::app::AppState;
use crate::call::Asking;
use crate::error::ErrorBody;
use crate::params::{invalid, number};
use crate::{ApiError, ApiJson, IntoWire, long_job};

/// Prune contexts
///
/// Removes contexts, and the turns that no other context reaches: a context that stays keeps its head, the
/// turn it was forked from, every turn that was appended to it, and all turns above these. Without `apply`
/// nothing is changed. The answer is a stream of lines like that of maintenance.
#[utoipa::path(
    post,
    path = "/v1/admin/prune",
    tag = "admin",
    request_body = PruneJob,
    responses(
        (status = 200, description = "Lines of JSON until it is done", body = JobLine<PruneReport>, content_type = "application/x-ndjson"),
        (status = 409, description = "Maintenance is under way already", body = ErrorBody),
        (status = 422, description = "It does not say what to prune", body = ErrorBody),
    )
)]
pub(super) async fn prune(
    State(app): State<AppState>,
    Asking(caller): Asking,
    ApiJson(job): ApiJson<PruneJob>,
) -> Result<Response, ApiError> {
    let rule = rule(&job, app.gate.engine().clock().now_ms())?;
    long_job::run(
        &app,
        caller,
        move |engine, principal, on_stage| {
            engine.prune(principal, principal.tenant(), &rule, job.apply, on_stage)
        },
        |outcome| Ok(outcome?.into_wire()),
    )
    .await
}

fn rule(job: &PruneJob, now_ms: u64) -> Result<Rule, ApiError> {
    match (job.older_than_ms, job.keep, &job.contexts) {
        (Some(time), None, None) => Ok(Rule::InactiveSince(now_ms.saturating_sub(time))),
        (None, Some(count), None) => Ok(Rule::AllBut(usize::try_from(count).unwrap_or(usize::MAX))),
        (None, None, Some(ids)) => {
            let ids = ids.iter().map(|id| number("the id of a context", id).map(ContextId));
            Ok(Rule::Named(ids.collect::<Result<_, _>>()?))
        }
        _ => Err(invalid("say what to prune: one of older_than_ms, keep and contexts")),
    }
}

impl IntoWire for cairn_engine::PruneReport {
    type Wire = PruneReport;

    fn into_wire(self) -> PruneReport {
        let cairn_engine::PruneReport { contexts, turns, payload_bytes, contexts_kept, turns_kept, applied } =
            self;
        PruneReport { contexts, turns, payload_bytes, contexts_kept, turns_kept, applied }
    }
}
