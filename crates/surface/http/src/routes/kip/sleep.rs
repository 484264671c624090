//! `POST /v1/kip/sleep`.

use axum::extract::State;
use axum::response::Response;
use cairn_base::to_iso_utc;
use cairn_engine::{Listed, SleepQuestion};
use cairn_wire::jobs::JobLine;
use cairn_wire::sleep::{
    SleepDuplicates, SleepElement, SleepJob, SleepList, SleepNamed, SleepReport, SleepTask,
};

use crate::app::AppState;
use crate::call::Asking;
use crate::error::ErrorBody;
use crate::{ApiError, ApiJson, IntoWire, limits, long_job};

/// Look for what is past its time, and remove it
///
/// Looks at every concept and link of a space, and tells of what is past its `expires_at`, of pending tasks,
/// of concepts without a domain and of those that seem to be the same. With `apply` it removes what is past
/// its time, and nothing else, as DELETE does it. The answer is a stream of lines like that of maintenance.
#[utoipa::path(
    post,
    path = "/v1/kip/sleep",
    tag = "kip",
    request_body = SleepJob,
    responses(
        (status = 200, description = "Lines of JSON until it is done", body = JobLine<SleepReport>, content_type = "application/x-ndjson"),
        (status = 409, description = "Another one is under way", body = ErrorBody),
        (status = 422, description = "There is no such space", body = ErrorBody),
    )
)]
pub(super) async fn sleep(
    State(app): State<AppState>,
    Asking(caller): Asking,
    ApiJson(job): ApiJson<SleepJob>,
) -> Result<Response, ApiError> {
    let shown_max =
        job.limit.map_or(limits::SLEEP_SHOWN_DEFAULT, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let question = SleepQuestion { space: job.space, apply: job.apply, shown_max };
    long_job::run(
        &app,
        caller,
        move |engine, principal, on_stage| engine.sleep(principal, principal.tenant(), &question, on_stage),
        |outcome| Ok(outcome?.into_wire()),
    )
    .await
}

fn list<T: IntoWire>(listed: Listed<T>) -> SleepList<T::Wire> {
    SleepList { total: listed.total, shown: listed.shown.into_iter().map(T::into_wire).collect() }
}

impl IntoWire for cairn_engine::SleepElement {
    type Wire = SleepElement;

    fn into_wire(self) -> SleepElement {
        let cairn_engine::SleepElement { id, kind, name, expires_at, kept_because } = self;
        SleepElement { id, kind, name, expires_at, kept_because }
    }
}

impl IntoWire for cairn_engine::SleepTask {
    type Wire = SleepTask;

    fn into_wire(self) -> SleepTask {
        let cairn_engine::SleepTask {
            id,
            name,
            requested_action,
            target_type,
            target_name,
            reason,
            priority,
        } = self;
        SleepTask { id, name, requested_action, target_type, target_name, reason, priority }
    }
}

impl IntoWire for cairn_engine::SleepDuplicates {
    type Wire = SleepDuplicates;

    fn into_wire(self) -> SleepDuplicates {
        let cairn_engine::SleepDuplicates { kind, same_name, concepts, total } = self;
        let concepts = concepts.into_iter().map(|(id, name)| SleepNamed { id, name }).collect();
        SleepDuplicates { kind, same_name, total, concepts }
    }
}

impl IntoWire for cairn_engine::SleepReport {
    type Wire = SleepReport;

    fn into_wire(self) -> SleepReport {
        SleepReport {
            space: self.space,
            at: to_iso_utc(self.at_ms),
            applied: self.applied,
            concepts: self.concepts,
            links: self.links,
            expired: list(self.expired),
            removed_concepts: self.removed_concepts,
            removed_links: self.removed_links,
            kept: list(self.kept),
            unreadable: list(self.unreadable),
            tasks: list(self.tasks),
            tasks_not_pending: self.tasks_not_pending,
            without_domain: list(self.without_domain),
            duplicates: list(self.duplicates),
            names_left_out: self.names_left_out,
        }
    }
}
