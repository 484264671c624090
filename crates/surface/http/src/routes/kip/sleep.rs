//! `POST /v1/kip/sleep`.

use axum::extract::State;
use axum::response::Response;
use cairn_base::{limits, to_iso_utc};
use cairn_engine::{Listed, SleepQuestion};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::AppState;
use crate::call::Asking;
use crate::error::ErrorBody;
use crate::routes::maintenance::wire::Line;
use crate::routes::maintenance::{Progress, answer, lines};
use crate::{ApiError, ApiJson};

/// What to look at.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SleepJob {
    /// In which space; `memory` if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<String>,
    /// Whether to remove what is past its `expires_at`; otherwise it is only told of.
    #[serde(default)]
    pub apply: bool,
    /// How many things of each kind are shown, at most 1000; 20 if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limit: Option<u64>,
}

/// Some of many.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SleepList<T> {
    /// How many there are.
    pub total: u64,
    /// The first of them.
    pub shown: Vec<T>,
}

/// A concept or a link.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SleepElement {
    /// Its id.
    #[schema(example = "C:7")]
    pub id: String,
    /// Its type, or its predicate.
    #[serde(rename = "type")]
    pub kind: String,
    /// The name of a concept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// What `metadata.expires_at` says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expires_at: Option<String>,
    /// Why it stays although its time is over.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub kept_because: Option<String>,
}

/// Something that somebody asked `$system` to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SleepTask {
    /// The id of the concept.
    pub id: String,
    /// Its name.
    pub name: String,
    /// What to do.
    pub requested_action: Option<String>,
    /// The type of what it is to be done to.
    pub target_type: Option<String>,
    /// The name of that.
    pub target_name: Option<String>,
    /// Why.
    pub reason: Option<String>,
    /// How urgent it is, as it was written.
    pub priority: Option<String>,
}

/// A concept by its name.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SleepNamed {
    /// Its id.
    pub id: String,
    /// Its name.
    pub name: String,
}

/// Concepts of one type that seem to be the same.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SleepDuplicates {
    /// Their type.
    #[serde(rename = "type")]
    pub kind: String,
    /// The name or alias that they share, but for how it is written.
    pub same_name: String,
    /// How many there are.
    pub total: u64,
    /// The first of them.
    pub concepts: Vec<SleepNamed>,
}

/// What a sleep cycle found, and what it did or would do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SleepReport {
    /// The space that it looked at.
    pub space: String,
    /// What time it was.
    pub at: String,
    /// Whether what is past its time was removed, and not only told of.
    pub applied: bool,
    /// Concepts that it looked at.
    pub concepts: u64,
    /// Links that it looked at.
    pub links: u64,
    /// What is past its `expires_at`, and goes.
    pub expired: SleepList<SleepElement>,
    /// Concepts that went or would go.
    pub removed_concepts: u64,
    /// Links that went or would go, those of these concepts included.
    pub removed_links: u64,
    /// What is past its `expires_at`, and stays.
    pub kept: SleepList<SleepElement>,
    /// What has an `expires_at` that is no time.
    pub unreadable: SleepList<SleepElement>,
    /// Pending tasks of `$system`, the most urgent first.
    pub tasks: SleepList<SleepTask>,
    /// Tasks that are not pending any more.
    pub tasks_not_pending: u64,
    /// Concepts that belong to no domain.
    pub without_domain: SleepList<SleepElement>,
    /// Concepts of one type that share a name or an alias, but for how it is written.
    pub duplicates: SleepList<SleepDuplicates>,
    /// Names that were not compared, because there are too many.
    pub names_left_out: u64,
}

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
        (status = 200, description = "Lines of JSON until it is done", body = Line, content_type = "application/x-ndjson"),
        (status = 409, description = "Another one is under way", body = ErrorBody),
        (status = 422, description = "There is no such space", body = ErrorBody),
    )
)]
pub(super) async fn sleep(
    State(app): State<AppState>,
    Asking(caller): Asking,
    ApiJson(job): ApiJson<SleepJob>,
) -> Result<Response, ApiError> {
    let (gate, principal) = (app.gate.clone(), caller.principal().clone());
    let shown_max =
        job.limit.map_or(limits::SLEEP_SHOWN_DEFAULT, |limit| usize::try_from(limit).unwrap_or(usize::MAX));
    let question = SleepQuestion { space: job.space, apply: job.apply, shown_max };
    let (teller, listener) = lines::channel();
    let mut progress = Progress::new(teller.clone());
    app.gate.run_long(
        move |engine| {
            engine.sleep(&principal, principal.tenant(), &question, &mut |stage| {
                gate.identify_again(&caller).is_ok() && progress.go_on(stage)
            })
        },
        move |outcome| {
            let line = |report: cairn_engine::SleepReport| Line::Slept { report: Box::new(report.into()) };
            teller.end(outcome.map(line).map_err(ApiError::from));
        },
    );
    answer(listener).await
}

fn list<T, W: From<T>>(listed: Listed<T>) -> SleepList<W> {
    SleepList { total: listed.total, shown: listed.shown.into_iter().map(W::from).collect() }
}

impl From<cairn_engine::SleepElement> for SleepElement {
    fn from(element: cairn_engine::SleepElement) -> Self {
        let cairn_engine::SleepElement { id, kind, name, expires_at, kept_because } = element;
        SleepElement { id, kind, name, expires_at, kept_because }
    }
}

impl From<cairn_engine::SleepTask> for SleepTask {
    fn from(task: cairn_engine::SleepTask) -> Self {
        let cairn_engine::SleepTask {
            id,
            name,
            requested_action,
            target_type,
            target_name,
            reason,
            priority,
        } = task;
        SleepTask { id, name, requested_action, target_type, target_name, reason, priority }
    }
}

impl From<cairn_engine::SleepDuplicates> for SleepDuplicates {
    fn from(found: cairn_engine::SleepDuplicates) -> Self {
        let cairn_engine::SleepDuplicates { kind, same_name, concepts, total } = found;
        let concepts = concepts.into_iter().map(|(id, name)| SleepNamed { id, name }).collect();
        SleepDuplicates { kind, same_name, total, concepts }
    }
}

impl From<cairn_engine::SleepReport> for SleepReport {
    fn from(report: cairn_engine::SleepReport) -> Self {
        SleepReport {
            space: report.space,
            at: to_iso_utc(report.at_ms),
            applied: report.applied,
            concepts: report.concepts,
            links: report.links,
            expired: list(report.expired),
            removed_concepts: report.removed_concepts,
            removed_links: report.removed_links,
            kept: list(report.kept),
            unreadable: list(report.unreadable),
            tasks: list(report.tasks),
            tasks_not_pending: report.tasks_not_pending,
            without_domain: list(report.without_domain),
            duplicates: list(report.duplicates),
            names_left_out: report.names_left_out,
        }
    }
}
