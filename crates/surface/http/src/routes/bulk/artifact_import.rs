//! `POST /v1/artifacts/import`.

use std::io::{self, Read};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use axum::body::Body;
use axum::extract::State;
use axum::response::Response;
use cairn_base::ErrorCode;
use cairn_engine::{ArtifactImport, ArtifactNote};
use cairn_gate::GateError;
use cairn_seam::Stage;
use cairn_wire::artifacts::{ImportNote, ImportReport};
use cairn_wire::jobs::JobLine;
use tokio::sync::{mpsc, oneshot};

use super::data_in::{DataIn, PiecesIn};
use super::place;
use crate::app::AppState;
use crate::call::Asking;
use crate::content_type::RawBytes;
use crate::error::ErrorBody;
use crate::long_job::{self, Progress, Reading};
use crate::params::Params;
use crate::{ApiError, IntoWire};

/// Import artifacts
///
/// Takes a bundle (`.kcp`). Artifacts that a key registered for their author signed are published as they are, with their
/// own ids and times. Artifacts of authors who are not known here are stored in quarantine and not served; import the
/// bundle again when their keys are registered. Keys inside of a bundle are never trusted. What is here already is passed
/// over, so an import that was cut can be repeated.
#[utoipa::path(
    post,
    path = "/v1/artifacts/import",
    tag = "artifacts",
    request_body(content = RawBytes, content_type = "application/octet-stream", description = "A bundle of any length"),
    responses(
        (status = 200, description = "Lines of JSON until it is done", body = JobLine<ImportReport>, content_type = "application/x-ndjson"),
        (status = 422, description = "The body is not a bundle, or it is damaged", body = ErrorBody),
        (status = 503, description = "Too many exports and imports are under way", body = ErrorBody),
    )
)]
pub(super) async fn artifact_import(
    State(app): State<AppState>,
    Asking(caller): Asking,
    params: Params,
    body: Body,
) -> Result<Response, ApiError> {
    params.only(&[])?;
    let place = place(&app)?;
    // Before anything is read: a caller who may not is refused at once.
    app.gate.engine().permit_artifact_import(caller.principal()).map_err(GateError::from)?;
    let pieces = PiecesIn::new(DataIn::of_import(body, caller));
    long_job::read(Work { app, pieces }, place).await
}

struct Work {
    app: AppState,
    pieces: PiecesIn,
}

impl Reading for Work {
    type Report = ImportReport;

    async fn work(&mut self, progress: &mut Progress<ImportReport>) -> Result<ImportReport, ApiError> {
        // One piece waits while the one before it is imported.
        let (send, receive) = mpsc::channel::<Vec<u8>>(1);
        let (tell, mut told) = oneshot::channel();
        let (done, stopped) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(false)));
        let (count, stop) = (Arc::clone(&done), Arc::clone(&stopped));
        let principal = self.pieces.caller().principal().clone();
        self.app.gate.run_long(
            move |engine| {
                let coming = Coming { receive, piece: Vec::new(), at: 0, stop: Arc::clone(&stop) };
                engine.import_artifacts(&principal, coming, &mut |stage| {
                    count.store(stage.done, Ordering::Relaxed);
                    !stop.load(Ordering::Relaxed)
                })
            },
            move |outcome| drop(tell.send(outcome)),
        );
        let sent = loop {
            match self.pieces.next(&self.app).await {
                Ok(Some(piece)) => {
                    // The import ends before its input where something is wrong with that.
                    if send.send(piece).await.is_err() {
                        break Ok(());
                    }
                }
                Ok(None) => break Ok(()),
                Err(error) => break Err(error),
            }
            // A body that is no bundle is refused with a status, which the first line of progress would take away.
            let done = done.load(Ordering::Relaxed);
            let stage = Stage { name: "importing artifacts", done, total: 0 };
            if done > 0 && !progress.go_on(stage) {
                break Err(ApiError::new(ErrorCode::Internal, "the client went away"));
            }
        };
        stopped.store(sent.is_err(), Ordering::Relaxed);
        drop(send);
        let outcome = (&mut told).await;
        sent?;
        let lost = |_| GateError::Internal { message: "the import was lost".into() };
        let report = outcome.map_err(lost)??;
        tracing::info!(artifacts = report.imported, "an import of artifacts is done");
        Ok(report.into_wire())
    }

    fn log_failure(&self, error: &ApiError) {
        tracing::info!(?error, "an import of artifacts ended early");
    }

    fn into_body(self) -> Body {
        self.pieces.into_body()
    }
}

/// A body as bytes that are read one after the other, on a thread that may wait for them.
struct Coming {
    receive: mpsc::Receiver<Vec<u8>>,
    piece: Vec<u8>,
    at: usize,
    stop: Arc<AtomicBool>,
}

impl Read for Coming {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        if self.at == self.piece.len() {
            match self.receive.blocking_recv() {
                Some(piece) => (self.piece, self.at) = (piece, 0),
                // A body that was cut is not a bundle that ends here.
                None if self.stop.load(Ordering::Relaxed) => {
                    return Err(io::Error::other("the body was cut"));
                }
                None => return Ok(0),
            }
        }
        let rest = &self.piece[self.at..];
        let count = rest.len().min(buffer.len());
        buffer[..count].copy_from_slice(&rest[..count]);
        self.at += count;
        Ok(count)
    }
}

impl IntoWire for ArtifactImport {
    type Wire = ImportReport;

    fn into_wire(self) -> ImportReport {
        let ArtifactImport {
            imported,
            known,
            quarantined,
            refused,
            tombstones,
            content_bytes,
            torn_bytes,
            notes,
        } = self;
        let note = |note: ArtifactNote| ImportNote {
            id: note.id,
            outcome: note.outcome.to_owned(),
            reason: note.reason,
        };
        let notes = notes.into_iter().map(note).collect();
        ImportReport { imported, known, quarantined, refused, tombstones, content_bytes, torn_bytes, notes }
    }
}
