//! `GET /v1/kb/{workspace}/{branch}/files` and `POST /v1/kb/{workspace}/{branch}/sync`.

use std::mem;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use cairn_base::ErrorCode;
use cairn_engine::KbTarget;
use cairn_gate::{Caller, GateError, Share};
use cairn_kb::limits::{SYNC_BYTES_MAX, SYNC_FILES_MAX, SYNC_LINE_BYTES_MAX};
use cairn_kb::sync::{SyncFile, SyncHeader, SyncInput, SyncReport, SyncedFiles};
use cairn_seam::Stage;
use cairn_wire::jobs::JobLine;
use parking_lot::Mutex;
use tokio::sync::oneshot;
use tokio::time::{Instant, timeout};

use super::run::{BranchPath, read, target};
use crate::app::AppState;
use crate::call::{Asking, Call};
use crate::error::ErrorBody;
use crate::held::HeldJson;
use crate::long_job::{self, Progress, Reading};
use crate::params::Params;
use crate::routes::bulk::{Batch, DataIn, LinesIn};
use crate::{ApiError, json, limits};

/// Interval of progress.
const LOOK: Duration = Duration::from_millis(100);
/// Time before the first line of progress: what is wrong before that has a status of its own.
const QUIET: Duration = Duration::from_millis(500);

/// List the files that a branch was synced from
///
/// Lists each file with the hash of the content that was synced, and with the entities that it owns. A sync sends the files
/// that are new, whose content has another hash, or that have `resend`.
#[utoipa::path(
    get,
    path = "/v1/kb/{workspace}/{branch}/files",
    tag = "kb",
    params(BranchPath),
    responses(
        (status = 200, description = "Files, ordered by path", body = SyncedFiles),
        (status = 404, description = "The branch has no KB", body = ErrorBody),
    )
)]
pub(super) async fn files(call: Call, params: Params) -> Result<HeldJson, ApiError> {
    let target = target(&call, &params);
    read(&call, move |engine, principal| engine.kb_files(principal, &target)).await
}

/// Sync files into a branch
///
/// Takes a line with options (`SyncHeader`), then one line per file that is new or has changed (`SyncFile`). Their entities
/// become what the files say, and entities that no file names any more go. Entities of tools are left alone. All of it
/// becomes visible in one commit, or nothing does. Problems of files are in the report, and the rest of them is synced.
/// The answer is a stream of lines: progress, then the report or an error.
#[utoipa::path(
    post,
    path = "/v1/kb/{workspace}/{branch}/sync",
    tag = "kb",
    params(BranchPath),
    request_body(
        content(
            (SyncHeader = "application/x-ndjson"),
            (SyncFile = "application/x-ndjson"),
        ),
        description = "A `SyncHeader`, then lines with a `SyncFile` each, of at most 16 MiB; at most 256 MiB in all"
    ),
    responses(
        (status = 200, description = "Lines of JSON until it is done", body = JobLine<SyncReport>, content_type = "application/x-ndjson"),
        (status = 404, description = "The branch has no KB", body = ErrorBody),
        (status = 409, description = "The branch was synced since the files were listed", body = ErrorBody),
        (status = 413, description = "There are too many files or entities", body = ErrorBody),
        (status = 422, description = "A line is wrong; nothing is synced", body = ErrorBody),
        (status = 503, description = "Too many syncs are under way, or other writes of the branch take too long", body = ErrorBody),
    )
)]
pub(super) async fn sync(
    State(app): State<AppState>,
    Asking(caller): Asking,
    params: Params,
    body: Body,
) -> Result<Response, ApiError> {
    params.only(&[])?;
    let place = Arc::clone(&app.kb_syncs).try_acquire_owned().map_err(|_| {
        ApiError::new(ErrorCode::Overloaded, "too many syncs are under way")
            .detail("syncs_max", limits::KB_SYNCS_MAX)
    })?;
    let target = KbTarget {
        tenant: caller.principal().tenant(),
        workspace: params.in_path("workspace").to_owned(),
        branch: params.in_path("branch").to_owned(),
    };
    // Before anything is read: a caller who may not is refused at once.
    app.gate.engine().kb_permit_sync(caller.principal(), &target).map_err(GateError::from)?;
    let lines = LinesIn::bounded(DataIn::new(body, caller.clone(), "sync again"), SYNC_LINE_BYTES_MAX);
    let input = Gathering::default();
    long_job::read(Work { app, caller, target, lines, input, began: Instant::now() }, place).await
}

struct Work {
    app: AppState,
    caller: Caller,
    target: KbTarget,
    lines: LinesIn,
    input: Gathering,
    began: Instant,
}

/// A sync as it is read.
#[derive(Default)]
struct Gathering {
    header: Option<SyncHeader>,
    files: Vec<SyncFile>,
    bytes: usize,
    share: Share,
}

impl Reading for Work {
    type Report = SyncReport;

    async fn work(&mut self, progress: &mut Progress<SyncReport>) -> Result<SyncReport, ApiError> {
        while let Some(batch) = self.lines.next(&self.app).await? {
            self.caller = self.app.gate.identify_again(&self.caller)?;
            self.take(batch).await?;
            self.tell(progress, Stage { name: "reading", done: self.input.bytes as u64, total: 0 })?;
        }
        let Gathering { header, files, share, .. } = mem::take(&mut self.input);
        let header = header.ok_or_else(|| {
            ApiError::new(ErrorCode::InvalidRequest, "the body is empty; send a line with options first")
        })?;
        let report = self.run(SyncInput { header, files }, progress).await;
        drop(share);
        let report = report?;
        tracing::info!(files = report.files, stored = report.stored, "a sync of a KB is done");
        Ok(report)
    }

    fn log_failure(&self, error: &ApiError) {
        tracing::info!(?error, "a sync of a KB ended early");
    }

    fn into_body(self) -> Body {
        self.lines.into_body()
    }
}

impl Work {
    /// Decodes lines, on a thread where that may take a while.
    async fn take(&mut self, batch: Batch) -> Result<(), ApiError> {
        let Gathering { bytes, share, .. } = &mut self.input;
        *bytes = bytes.saturating_add(batch.text.len());
        if *bytes > SYNC_BYTES_MAX {
            let message = format!("the sync has more than {SYNC_BYTES_MAX} bytes");
            return Err(ApiError::new(ErrorCode::TooLarge, message).detail("bytes_max", SYNC_BYTES_MAX));
        }
        self.app.memory.grow(share, *bytes as u64).map_err(GateError::from)?;
        let needs_header = self.input.header.is_none();
        let decoded = self.app.gate.read_on(move |_| Ok(decode(&batch, needs_header))).await??;
        let (header, files) = decoded;
        self.input.header = self.input.header.take().or(header);
        self.input.files.extend(files);
        if self.input.files.len() > SYNC_FILES_MAX {
            let message = format!("the sync has more than {SYNC_FILES_MAX} files");
            return Err(ApiError::new(ErrorCode::TooLarge, message).detail("files_max", SYNC_FILES_MAX));
        }
        Ok(())
    }

    /// Syncs, and tells how far it is.
    async fn run(
        &mut self,
        input: SyncInput,
        progress: &mut Progress<SyncReport>,
    ) -> Result<SyncReport, ApiError> {
        let (tell, mut told) = oneshot::channel();
        let stopped = Arc::new(AtomicBool::new(false));
        let at = Arc::new(Mutex::new(("waiting".to_owned(), 0, 0)));
        let (stop, place) = (Arc::clone(&stopped), Arc::clone(&at));
        let (principal, target) = (self.caller.principal().clone(), self.target.clone());
        self.app.gate.run_long(
            move |engine| {
                engine.kb_sync(&principal, &target, &input, &mut |stage| {
                    *place.lock() = (stage.name.to_owned(), stage.done, stage.total);
                    !stop.load(Ordering::Relaxed)
                })
            },
            move |outcome| drop(tell.send(outcome)),
        );
        let mut refused = None;
        let outcome = loop {
            if let Ok(outcome) = timeout(LOOK, &mut told).await {
                break outcome;
            }
            let (name, done, total) = at.lock().clone();
            let goes_on = self.app.gate.identify_again(&self.caller).map_err(ApiError::from);
            let goes_on = goes_on.and_then(|_| self.tell(progress, Stage { name: &name, done, total }));
            if let Err(error) = goes_on {
                stopped.store(true, Ordering::Relaxed);
                refused.get_or_insert(error);
            }
        };
        let lost = |_| GateError::Internal { message: "the sync was lost".into() };
        match (outcome.map_err(lost)?, refused) {
            (Err(_stopped), Some(refused)) => Err(refused),
            (outcome, _) => Ok(outcome?),
        }
    }

    fn tell(&self, progress: &mut Progress<SyncReport>, stage: Stage<'_>) -> Result<(), ApiError> {
        if self.began.elapsed() < QUIET || progress.go_on(stage) {
            return Ok(());
        }
        Err(ApiError::new(ErrorCode::Internal, "the client went away"))
    }
}

/// Decodes lines: options if they are still to come, then files.
fn decode(batch: &Batch, mut needs_header: bool) -> Result<(Option<SyncHeader>, Vec<SyncFile>), ApiError> {
    let (mut header, mut files) = (None, Vec::new());
    for (line, number) in batch.text.split(|byte| *byte == b'\n').zip(batch.first_line..) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        if line.len() > SYNC_LINE_BYTES_MAX {
            let message = format!("line {number} has more than {SYNC_LINE_BYTES_MAX} bytes");
            return Err(ApiError::new(ErrorCode::TooLarge, message).detail("line", number));
        }
        let at_line = |error: ApiError| {
            ApiError::new(error.code(), format!("line {number}: {}", error.message())).detail("line", number)
        };
        if mem::take(&mut needs_header) {
            header = Some(json::decode(line).map_err(at_line)?);
        } else {
            files.push(json::decode(line).map_err(at_line)?);
        }
    }
    Ok((header, files))
}
