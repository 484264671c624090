//! `POST /v1/import`.

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use cairn_base::ErrorCode;
use cairn_engine::{ImportCounts, ImportLines, ImportReading};
use cairn_gate::{Caller, GateError};
use cairn_seam::Stage;
use cairn_turns::ImportId;
use cairn_wire::bulk::ImportReport;
use cairn_wire::jobs::JobLine;
use tokio::task::JoinHandle;

use super::data_in::DataIn;
use super::lines_in::LinesIn;
use super::place;
use crate::app::AppState;
use crate::call::Asking;
use crate::error::ErrorBody;
use crate::long_job::{self, Progress, Reading};
use crate::params::{Params, invalid};
use crate::{ApiError, IntoWire};

/// Import turns
///
/// Takes what `GET /v1/export` gives, line by line, and makes new contexts and turns of it with their own
/// times, forks, types and file trees. Each few hundred lines are one transaction. What was imported under
/// the same `import_id` before is passed over: after a failure the same body again goes on where it
/// stopped. Without an id that is the store it was exported from. The answer is a stream of lines: now and
/// then how many turns were imported, at the end a report or an error that names the line.
#[utoipa::path(
    post,
    path = "/v1/import",
    tag = "turns",
    params(("import_id" = Option<String>, Query, description = "What this import is called, at most 256 bytes")),
    request_body(content = String, content_type = "application/x-ndjson", description = "Lines of at most 90 MiB"),
    responses(
        (status = 200, description = "Lines of JSON until it is done", body = JobLine<ImportReport>, content_type = "application/x-ndjson"),
        (status = 422, description = "A line is wrong; what came before it is imported", body = ErrorBody),
        (status = 503, description = "Too many exports and imports are under way", body = ErrorBody),
    )
)]
pub(super) async fn import(
    State(app): State<AppState>,
    Asking(caller): Asking,
    params: Params,
    body: Body,
) -> Result<Response, ApiError> {
    params.only(&["import_id"])?;
    let place = place(&app)?;
    // Before anything is read: whoever may not is told so at once.
    app.gate.engine().permit_import(caller.principal()).map_err(GateError::from)?;
    let import = params.text("import_id")?.map(ImportId::parse).transpose();
    let import = import.map_err(|error| invalid(error.to_string()).detail("parameter", "import_id"))?;
    let lines = LinesIn::new(DataIn::of_import(body, caller.clone()));
    let reading = ImportReading::of(import);
    let total = ImportCounts::default();
    long_job::read(Work { app, caller, lines, reading, total, committing: None }, place).await
}

struct Work {
    app: AppState,
    caller: Caller,
    lines: LinesIn,
    reading: ImportReading,
    total: ImportCounts,
    /// While one batch is committed, the next one is read.
    committing: Option<JoinHandle<Result<ImportCounts, GateError>>>,
}

impl Reading for Work {
    type Report = ImportReport;

    async fn work(&mut self, progress: &mut Progress<ImportReport>) -> Result<ImportReport, ApiError> {
        loop {
            let batch = match self.lines.next(&self.app).await {
                Ok(Some(batch)) => batch,
                Ok(None) => break,
                Err(error) => {
                    self.settle().await?;
                    return Err(error);
                }
            };
            // For every batch: whoever was let in may have been shut out since.
            self.caller = self.app.gate.identify_again(&self.caller)?;
            let (principal, reading) = (self.caller.principal().clone(), self.reading.clone());
            let read = self.app.gate.read_on(move |engine| {
                let tenant = principal.tenant();
                engine.read_import_lines(&principal, tenant, reading, batch.first_line, &batch.text)
            });
            let read = read.await;
            self.settle().await?;
            let ImportLines { items, reading: next, wrong } = read?;
            self.reading = next;
            if let Some(import) = self.reading.import().filter(|_| !items.is_empty()) {
                let (app, principal) = (self.app.clone(), self.caller.principal().clone());
                self.committing = Some(tokio::spawn(async move {
                    app.gate
                        .read_on(move |engine| engine.import(&principal, principal.tenant(), import, items))
                        .await
                }));
            }
            if let Some((line, wrong)) = wrong {
                self.settle().await?;
                return Err(ApiError::new(wrong.code, format!("line {line}: {wrong}")).detail("line", line));
            }
            let stage = Stage { name: "importing turns", done: self.total.turns, total: 0 };
            if !progress.go_on(stage) {
                self.settle().await?;
                return Err(ApiError::new(ErrorCode::Internal, "the client went away"));
            }
        }
        self.settle().await?;
        self.reading.finish().map_err(|wrong| ApiError::new(wrong.code, wrong.to_string()))?;
        tracing::info!(turns = self.total.turns, "an import is done");
        Ok(self.total.into_wire())
    }

    fn log_failure(&self, error: &ApiError) {
        tracing::info!(?error, turns = self.total.turns, "an import ended early");
    }

    fn into_body(self) -> Body {
        self.lines.into_body()
    }
}

impl Work {
    /// Waits for what is being committed.
    async fn settle(&mut self) -> Result<(), ApiError> {
        let Some(committing) = self.committing.take() else { return Ok(()) };
        let lost = |error| GateError::Internal { message: format!("a batch was lost: {error}") };
        let done = committing.await.map_err(lost)??;
        self.total = self.total.plus(done);
        Ok(())
    }
}

impl IntoWire for ImportCounts {
    type Wire = ImportReport;

    fn into_wire(self) -> ImportReport {
        let ImportCounts { contexts, turns, blobs, bundles, placeholders, skipped } = self;
        ImportReport { contexts, turns, blobs, bundles, placeholders, skipped }
    }
}
