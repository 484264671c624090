//! `POST /v1/admin/prune`.

use axum::extract::State;
use axum::response::Response;
use cairn_base::ContextId;
use cairn_turns::prune::Rule;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::AppState;
use crate::call::Asking;
use crate::error::ErrorBody;
use crate::params::{invalid, number};
use crate::routes::maintenance::wire::Line;
use crate::routes::maintenance::{Progress, answer, lines};
use crate::{ApiError, ApiJson};

/// What to prune: exactly one of `older_than_ms`, `keep` and `contexts`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct PruneJob {
    /// Contexts in which nothing happened for so many milliseconds.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub older_than_ms: Option<u64>,
    /// All contexts but so many in which something happened last.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keep: Option<u64>,
    /// These contexts; those that are gone already are passed over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub contexts: Option<Vec<String>>,
    /// Whether to do it; otherwise it is only said what it would come to.
    #[serde(default)]
    pub apply: bool,
}

/// What was or would be pruned.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct PruneReport {
    /// Contexts.
    pub contexts: u64,
    /// Turns that no other context reaches.
    pub turns: u64,
    /// Bytes of their payloads; their space comes back when the store is compacted.
    pub payload_bytes: u64,
    /// Contexts that stay.
    pub contexts_kept: u64,
    /// Turns that stay.
    pub turns_kept: u64,
    /// Whether it was done.
    pub applied: bool,
}

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
        (status = 200, description = "Lines of JSON until it is done", body = Line, content_type = "application/x-ndjson"),
        (status = 409, description = "Maintenance is under way already", body = ErrorBody),
        (status = 422, description = "It does not say what to prune", body = ErrorBody),
    )
)]
pub(super) async fn prune(
    State(app): State<AppState>,
    Asking(caller): Asking,
    ApiJson(job): ApiJson<PruneJob>,
) -> Result<Response, ApiError> {
    let (gate, principal) = (app.gate.clone(), caller.principal().clone());
    let rule = rule(&job, app.gate.engine().clock().now_ms())?;
    let (teller, listener) = lines::channel();
    let mut progress = Progress::new(teller.clone());
    app.gate.run_long(
        move |engine| {
            engine.prune(&principal, principal.tenant(), &rule, job.apply, &mut |stage| {
                gate.identify_again(&caller).is_ok() && progress.go_on(stage)
            })
        },
        move |outcome| {
            let line = |report: cairn_engine::PruneReport| Line::Pruned { report: report.into() };
            teller.end(outcome.map(line).map_err(ApiError::from));
        },
    );
    answer(listener).await
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

impl From<cairn_engine::PruneReport> for PruneReport {
    fn from(report: cairn_engine::PruneReport) -> Self {
        let cairn_engine::PruneReport { contexts, turns, payload_bytes, contexts_kept, turns_kept, applied } =
            report;
        PruneReport { contexts, turns, payload_bytes, contexts_kept, turns_kept, applied }
    }
}
