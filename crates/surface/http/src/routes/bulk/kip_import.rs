//! `POST /v1/kip/import`.

use std::time::Duration;

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use cairn_base::ErrorCode;
use cairn_engine::{EngineError, KipImport, KipImportOptions};
use cairn_gate::{Caller, GateError};
use cairn_seam::Stage;
use cairn_wire::bulk::KipImportReport;
use cairn_wire::jobs::JobLine;
use tokio::time::Instant;

use super::data_in::{DataIn, PiecesIn};
use super::{kip_params, place};
use crate::ApiError;
use crate::app::AppState;
use crate::call::Asking;
use crate::error::ErrorBody;
use crate::long_job::{self, Progress, Reading};
use crate::params::Params;

/// Import concepts and links
///
/// Takes UPSERT commands, or lines of JSON with a concept or a link each, of any length. Commands and lines are
/// gathered into transactions of about a thousand elements, in their order. Everything is checked as an UPSERT
/// is. The same body again goes on behind what is imported, because that is noted with it: under the name
/// `resume` or, without one, under a hash of how the body begins. When all is imported the note goes, and the
/// same body once more changes nothing. The answer is a stream of lines: now and then how many elements were
/// imported, at the end a report or an error that names the line.
#[utoipa::path(
    post,
    path = "/v1/kip/import",
    tag = "kip",
    params(
        ("space" = Option<String>, Query, description = "In which space; `memory` if not said. One that is not there is made"),
        ("format" = Option<String>, Query, description = "`kip` or `ndjson`; if not said, the first character tells"),
        ("dry_run" = Option<bool>, Query, description = "Change nothing, and say what would be"),
        ("resume" = Option<String>, Query, description = "What this import is called, at most 256 bytes"),
        ("restart" = Option<bool>, Query, description = "Begin at the beginning, whatever an earlier run imported"),
    ),
    request_body(content = String, content_type = "text/plain", description = "Commands or lines of at most 16 MiB each"),
    responses(
        (status = 200, description = "Lines of JSON until it is done", body = JobLine<KipImportReport>, content_type = "application/x-ndjson"),
        (status = 409, description = "Another import under the same name is under way", body = ErrorBody),
        (status = 412, description = "The body differs from what was imported of it before", body = ErrorBody),
        (status = 422, description = "A line is wrong; what came before its transaction is imported", body = ErrorBody),
        (status = 503, description = "Too many exports and imports are under way", body = ErrorBody),
    )
)]
pub(super) async fn kip_import(
    State(app): State<AppState>,
    Asking(caller): Asking,
    params: Params,
    body: Body,
) -> Result<Response, ApiError> {
    params.only(&["space", "format", "dry_run", "resume", "restart"])?;
    let place = place(&app)?;
    let options = KipImportOptions {
        space: kip_params::space(&params)?,
        form: kip_params::form(&params)?,
        dry_run: kip_params::flag(&params, "dry_run")?,
        resume: params.text("resume")?.map(str::to_owned),
        restart: kip_params::flag(&params, "restart")?,
    };
    let principal = caller.principal();
    // Before anything is read: whoever may not is told so at once.
    let import = app.gate.engine().kip_import_begin(principal, principal.tenant(), &options);
    let import = import.map_err(GateError::from)?;
    let pieces = PiecesIn::new(DataIn::of_import(body, caller.clone()));
    let feeding = Feeding { app, caller, import: Some(import) };
    let work = Work { feeding, pieces, dry_run: options.dry_run, began: Instant::now() };
    long_job::read(work, place).await
}

struct Work {
    feeding: Feeding,
    pieces: PiecesIn,
    dry_run: bool,
    began: Instant,
}

impl Reading for Work {
    type Report = KipImportReport;

    async fn work(&mut self, progress: &mut Progress<KipImportReport>) -> Result<KipImportReport, ApiError> {
        let Work { feeding, pieces, dry_run, began } = self;
        let app = feeding.app.clone();
        let mut next = pieces.next(&app).await;
        loop {
            let piece = match next {
                Ok(Some(piece)) => piece,
                Ok(None) => {
                    let report = feeding.finish().await?;
                    tracing::info!(elements = report.counts.elements(), "an import of concepts is done");
                    return Ok(wire(report, *dry_run, began.elapsed()));
                }
                Err(error) => {
                    feeding.stop().await?;
                    return Err(error);
                }
            };
            // For every piece: whoever was let in may have been shut out since.
            feeding.caller = match app.gate.identify_again(&feeding.caller) {
                Ok(caller) => caller,
                Err(error) => {
                    feeding.stop().await?;
                    return Err(error.into());
                }
            };
            // While one is worked on the next one is read.
            let fed;
            (fed, next) = tokio::join!(feeding.feed(piece), pieces.next(&app));
            let elements = fed?;
            // Nothing is told before something is there: a mistake at the beginning has a status of its own.
            if elements > 0 && !progress.go_on(Stage { name: "importing", done: elements, total: 0 }) {
                feeding.stop().await?;
                return Err(ApiError::new(ErrorCode::Internal, "the client went away"));
            }
        }
    }

    fn log_failure(&self, error: &ApiError) {
        tracing::info!(?error, "an import of concepts ended early");
    }

    fn into_body(self) -> Body {
        self.pieces.into_body()
    }
}

/// An import, and the caller that it is for.
struct Feeding {
    app: AppState,
    caller: Caller,
    /// Not here while it is at work on a thread.
    import: Option<KipImport>,
}

impl Feeding {
    /// Has a piece taken, on a thread where that may wait. Says how many elements are imported by now.
    async fn feed(&mut self, piece: Vec<u8>) -> Result<u64, ApiError> {
        let principal = self.caller.principal().clone();
        let fed = self.on_thread(move |engine, import| import.feed(engine, &principal, &piece)).await;
        fed?;
        Ok(self.import.as_ref().map_or(0, |import| import.progress().elements))
    }

    /// Waits for what is under way, after something else went wrong.
    async fn stop(&mut self) -> Result<(), ApiError> {
        self.on_thread(|_, import| import.stop()).await
    }

    async fn on_thread(
        &mut self,
        work: impl FnOnce(&cairn_engine::Engine, &mut KipImport) -> Result<(), EngineError> + Send + 'static,
    ) -> Result<(), ApiError> {
        let mut import = self.import.take().ok_or_else(lost)?;
        let done = self.app.gate.read_on(move |engine| {
            let done = work(engine, &mut import);
            Ok((import, done))
        });
        let (import, done) = done.await?;
        self.import = Some(import);
        Ok(done.map_err(GateError::from)?)
    }

    async fn finish(&mut self) -> Result<cairn_engine::KipImportReport, ApiError> {
        let principal = self.caller.principal().clone();
        let import = self.import.take().ok_or_else(lost)?;
        Ok(self.app.gate.read_on(move |engine| import.finish(engine, &principal)).await?)
    }
}

fn lost() -> ApiError {
    ApiError::new(ErrorCode::Internal, "the import was lost; import again to go on")
}

fn wire(report: cairn_engine::KipImportReport, dry_run: bool, took: Duration) -> KipImportReport {
    let counts = report.counts;
    KipImportReport {
        concepts_created: counts.concepts_created,
        concepts_changed: counts.concepts_changed,
        links_created: counts.links_created,
        links_changed: counts.links_changed,
        unchanged: counts.unchanged,
        bytes_skipped: report.bytes_skipped,
        dry_run,
        only_read: report.only_read,
        took_ms: u64::try_from(took.as_millis()).unwrap_or(u64::MAX),
    }
}
