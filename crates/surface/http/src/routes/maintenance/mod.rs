//! `POST /v1/admin/maintenance`: work on the whole store, told of while it runs.

pub(crate) mod lines;
pub(crate) mod wire;

use std::time::Duration;

use axum::Extension;
use axum::extract::State;
use axum::response::Response;
use cairn_base::ErrorCode;
use cairn_gate::GateError;
use cairn_seam::{Maintenance, MaintenanceReport, Stage};
use tokio::time::{Instant, timeout};

use self::lines::{Listener, News, Teller};
use self::wire::{Job, Line};
use crate::app::AppState;
use crate::call::Asking;
use crate::error::ErrorBody;
use crate::local::FromLocalOwner;
use crate::{ApiError, ApiJson};

/// At most ten lines a second say how far it is.
const STAGE_EVERY: Duration = Duration::from_millis(100);

/// A job that fails this soon is answered with the status of its error, and not with a stream.
const AT_ONCE: Duration = Duration::from_secs(1);

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
        (status = 200, description = "Lines of JSON until it is done", body = Line, content_type = "application/x-ndjson"),
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
    let (gate, principal) = (app.gate.clone(), caller.principal().clone());
    let job = Maintenance::from(job);
    check(&job, local.is_some()).inspect_err(|error| {
        if error.code() == ErrorCode::Forbidden {
            app.gate.engine().refused_elsewhere(caller.principal(), name(&job));
        }
    })?;
    let (teller, listener) = lines::channel();
    let mut progress = Progress::new(teller.clone());
    let name = name(&job);
    app.gate.run_long(
        move |engine| {
            engine.maintain(&principal, &job, &mut |stage| {
                gate.identify_again(&caller).is_ok() && progress.go_on(stage)
            })
        },
        move |outcome| end(name, teller, outcome),
    );
    answer(listener).await
}

/// An answer that goes on until the job has ended, unless it fails at once.
pub(crate) async fn answer(mut listener: Listener) -> Result<Response, ApiError> {
    Ok(match timeout(AT_ONCE, listener.recv()).await {
        Ok(Some(News::Ended(Err(error)))) => return Err(error),
        Ok(first) => lines::answer(first, listener),
        Err(_elapsed) => lines::answer(None, listener),
    })
}

/// What a surface has to say about a job, before the engine is asked.
fn check(job: &Maintenance, from_local_owner: bool) -> Result<(), ApiError> {
    match job {
        Maintenance::Backup { .. } if !from_local_owner => {
            let message = "a backup writes a file on the server, so only the local owner may ask for one";
            let hint =
                "use `cairn backup FILE` on the server, or the socket cairn.sock in its data directory";
            Err(ApiError::new(ErrorCode::Forbidden, message).detail("hint", hint))
        }
        Maintenance::Backup { to, .. } if !to.is_absolute() => {
            let message = "the path of a backup must be absolute: the server has another current folder";
            Err(ApiError::new(ErrorCode::InvalidRequest, message))
        }
        Maintenance::ChangeKey { .. } if !from_local_owner => {
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

/// Passes on how far the job is, not too often.
pub(crate) struct Progress {
    teller: Teller,
    told_at: Option<Instant>,
}

impl Progress {
    pub(crate) fn new(teller: Teller) -> Self {
        Progress { teller, told_at: None }
    }

    /// Whether anybody still waits for the job.
    pub(crate) fn go_on(&mut self, stage: Stage<'_>) -> bool {
        if self.told_at.is_none_or(|at| at.elapsed() >= STAGE_EVERY) {
            self.told_at = Some(Instant::now());
            self.teller.stage(stage);
        }
        !self.teller.is_unheard()
    }
}

fn end(job: &'static str, teller: Teller, outcome: Result<MaintenanceReport, GateError>) {
    match &outcome {
        Ok(report) => tracing::info!(job, findings = report.findings.len(), "maintenance is done"),
        // Whoever asked is told; the log only keeps it.
        Err(error) => tracing::info!(job, %error, "maintenance was not done"),
    }
    let line = |report: MaintenanceReport| Line::Report { report: report.into() };
    let refusal = |error: GateError| {
        let answer = ApiError::from(error);
        let is_damage = job == BACKUP && answer.code() == ErrorCode::Damaged;
        if is_damage { answer.detail("hint", DAMAGED_HINT) } else { answer }
    };
    teller.end(outcome.map(line).map_err(refusal));
}
