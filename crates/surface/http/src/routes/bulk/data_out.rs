//! Exports as they are taken.

use axum::body::Bytes;
use cairn_access::Principal;
use cairn_engine::{Engine, EngineError};
use cairn_gate::{Caller, GateError};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::timeout;

use super::body::Piece;
use crate::app::AppState;

/// Something that is read page by page.
pub(super) trait Paged: Send + 'static {
    fn is_done(&self) -> bool;

    /// The next page, as it is sent.
    fn page(&mut self, engine: &Engine, principal: &Principal) -> Result<Bytes, EngineError>;
}

/// Reads until the end, or until the client goes away or does not take the next piece in time.
pub(super) async fn send<P: Paged>(
    app: AppState,
    caller: Caller,
    mut export: P,
    _place: OwnedSemaphorePermit,
    pieces: mpsc::Sender<Piece>,
) {
    while !export.is_done() {
        let bytes;
        (export, bytes) = match page(&app, &caller, export).await {
            Ok(next) => next,
            Err(error) => {
                tracing::warn!(%error, "an export ended early");
                let _ = timeout(app.config.patience, pieces.send(Piece::Failed(error.into()))).await;
                return;
            }
        };
        if bytes.is_empty() {
            continue;
        }
        if !matches!(timeout(app.config.patience, pieces.send(Piece::Bytes(bytes))).await, Ok(Ok(()))) {
            return;
        }
    }
    let _ = timeout(app.config.patience, pieces.send(Piece::End)).await;
}

/// Reads a page on one of the gate's threads, and writes it down there.
pub(super) async fn page<P: Paged>(
    app: &AppState,
    caller: &Caller,
    mut export: P,
) -> Result<(P, Bytes), GateError> {
    // For every page: whoever was let in may have been shut out since.
    let principal = app.gate.identify_again(caller)?.principal().clone();
    let read = move |engine: &Engine| {
        let bytes = export.page(engine, &principal)?;
        Ok((export, bytes))
    };
    app.gate.read_on(read).await
}
