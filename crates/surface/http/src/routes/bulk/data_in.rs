//! A body as it comes.

use axum::body::{Body, Bytes};
use cairn_access::Principal;
use cairn_base::ErrorCode;
use cairn_gate::{Cost, GateError, Share};
use http_body_util::BodyExt;
use tokio::time::timeout;

use crate::ApiError;
use crate::app::AppState;

/// The next bytes of a body; `None` at its end. Who sends more than they may is read more slowly.
pub(super) async fn next_data(
    body: &mut Body,
    app: &AppState,
    principal: &Principal,
) -> Result<Option<Bytes>, ApiError> {
    loop {
        let frame = timeout(app.config.patience, body.frame()).await.map_err(|_elapsed| {
            let message = "nothing more of the body arrived in time; import it again to go on";
            ApiError::new(ErrorCode::DeadlineExceeded, message)
        })?;
        let Some(frame) = frame else { return Ok(None) };
        let frame = frame.map_err(|error| {
            let message = format!("the body could not be read: {error}; import it again to go on");
            ApiError::new(ErrorCode::InvalidRequest, message)
        })?;
        // Trailers say nothing that is used here.
        let Ok(data) = frame.into_data() else { continue };
        app.gate.spend_in_time(principal, Cost::bytes(data.len() as u64)).await?;
        return Ok(Some(data));
    }
}

/// Bytes that make a piece.
const PIECE_BYTES: usize = 256 << 10;

/// A body as pieces that are worth a change of threads.
pub(super) struct PiecesIn {
    body: Body,
    share: Share,
}

impl PiecesIn {
    pub(super) fn new(body: Body) -> Self {
        PiecesIn { body, share: None }
    }

    /// The next piece; `None` at the end.
    pub(super) async fn next(
        &mut self,
        app: &AppState,
        principal: &Principal,
    ) -> Result<Option<Vec<u8>>, ApiError> {
        let mut piece = Vec::new();
        while piece.len() < PIECE_BYTES {
            let Some(data) = next_data(&mut self.body, app, principal).await? else { break };
            app.memory.grow(&mut self.share, (piece.len() + data.len()) as u64).map_err(GateError::from)?;
            piece.extend_from_slice(&data);
        }
        Ok((!piece.is_empty()).then_some(piece))
    }

    /// What was not read yet.
    pub(super) fn into_body(self) -> Body {
        self.body
    }
}
