//! `POST /v1/admin/maintenance`: work on the whole store, told of while it runs.

pub(crate) mod wire;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use cairn_access::Principal;
use cairn_base::ErrorCode;
use cairn_engine::Engine;
use cairn_gate::GateError;
use cairn_seam::{Maintenance, MaintenanceReport, OnStage};
use cairn_wire::jobs::JobLine;
use cairn_wire::maintenance::{Job, Report};

use self::wire::job_from_wire;
use crate::app::AppState;
use crate::call::Asking;
use crate::error::ErrorBody;
use crate::local::FromLocalOwner;
use crate::{ApiError, ApiJson, IntoWire, long_job};

const BACKUP: &str = "backup";

/// What to do about a store that cannot be backed up as a whole.
const DAMAGED_HINT: &str = "`cairn doctor` lists what is damaged; `cairn backup --skip-damaged FILE` writes what \
                            is whole and lists the rest, and `cairn salvage --to DIR` rebuilds a store from it";

/// Have the store backed up, verified or compacted
///
/// One job at a time; a second one is answered with `Conflict`. The answer is a stream of lines, each a
/// JSON object: now and then how far it is, and at the end either a report or an error of the usual
/// shape. No deadline ends it. It is stopped when the client goes away.
#[utoipa::path(
    post,
    path = "/v1/admin/maintenance",
    tag = "admin",
    request_body = Job,
    responses(
        (status = 200, description = "Lines of JSON until it is done", body = JobLine<Report>, content_type = "application/x-ndjson"),
        (status = 403, description = "A backup writes a file on the server: only the local owner may have one", body = ErrorBody),
        (status = 409, description = "A job is under way already", body = ErrorBody),
        (status = 422, description = "There is no such job, or this store cannot do it", body = ErrorBody),
        (status = 503, description = "Too much is going on; Retry-After says when to come back", body = ErrorBody),
    )
)]
pub(super) async fn maintenance(
    State(app): State<AppState>,
    Asking(caller): Asking,
    local: Option<Extension<FromLocalOwner>>,
    ApiJson(job): ApiJson<Job>,
) -> Result<Response, ApiError> {
    let job = job_from_wire(job);
    // A token counts on the local socket too: its user comes that way and is not the local owner.
    let is_local_owner = local.is_some() && caller.principal().is_local_owner();
    check(&job, is_local_owner).inspect_err(|error| {
        if error.code() == ErrorCode::Forbidden {
            app.gate.engine().refused_elsewhere(caller.principal(), name(&job));
        }
    })?;
    let name = name(&job);
    let work = move |engine: &Engine, principal: &Principal, on_stage: OnStage<'_>| {
        engine.maintain(principal, &job, on_stage)
    };
    long_job::run(&app, caller, work, move |outcome| ended(name, outcome)).await
}

/// What a surface has to say about a job, before the engine is asked.
fn check(job: &Maintenance, is_local_owner: bool) -> Result<(), ApiError> {
    match job {
        Maintenance::Backup { .. } if !is_local_owner => {
            let message = "a backup writes a file on the server, so only the local owner may ask for one";
            let hint =
                "use `cairn backup FILE` on the server, or the socket cairn.sock in its data directory";
            Err(ApiError::new(ErrorCode::Forbidden, message).detail("hint", hint))
        }
        Maintenance::Backup { to, .. } if !to.is_absolute() => {
            let message = "the path of a backup must be absolute: the server has another current folder";
            Err(ApiError::new(ErrorCode::InvalidRequest, message))
        }
        Maintenance::ChangeKey { .. } if !is_local_owner => {
            let message = "a key is read from a file on the server, so only the local owner may change it";
            let hint = "use `cairn key rotate` on the server, or the socket cairn.sock in its data directory";
            Err(ApiError::new(ErrorCode::Forbidden, message).detail("hint", hint))
        }
        Maintenance::ChangeKey { new_key_file } if !new_key_file.is_absolute() => {
            let message = "the path of a key must be absolute: the server has another current folder";
            Err(ApiError::new(ErrorCode::InvalidRequest, message))
        }
        Maintenance::Backup { .. }
        | Maintenance::Verify { .. }
        | Maintenance::Compact { .. }
        | Maintenance::ChangeKey { .. } => Ok(()),
    }
}

fn name(job: &Maintenance) -> &'static str {
    match job {
        Maintenance::Backup { .. } => BACKUP,
        Maintenance::Verify { .. } => "verify",
        Maintenance::Compact { .. } => "compact",
        Maintenance::ChangeKey { .. } => "change_key",
    }
}

fn ended(job: &'static str, outcome: Result<MaintenanceReport, GateError>) -> Result<Report, ApiError> {
    match &outcome {
        Ok(report) => tracing::info!(job, findings = report.findings.len(), "maintenance is done"),
        // Whoever asked is told; the log only keeps it.
        Err(error) => tracing::info!(job, %error, "maintenance was not done"),
    }
    let refusal = |error: GateError| {
        let answer = ApiError::from(error);
        let is_damage = job == BACKUP && answer.code() == ErrorCode::Damaged;
        if is_damage { answer.detail("hint", DAMAGED_HINT) } else { answer }
    };
    outcome.map(IntoWire::into_wire).map_err(refusal)
}
