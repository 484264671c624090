//! `GET /v1/artifacts/export`.

use std::io::{self, Write};
use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::{CONTENT_DISPOSITION, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderValue};
use axum::response::Response;
use cairn_engine::{ArtifactFilter, ArtifactSelection};
use cairn_gate::GateError;
use tokio::runtime::Handle;
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::body::{self, Piece};
use super::place;
use crate::ApiError;
use crate::app::AppState;
use crate::call::Asking;
use crate::content_type::RawBytes;
use crate::error::ErrorBody;
use crate::params::{Params, invalid};
use crate::routes::artifacts::{date_in, filter_in, list_in, query_in};

/// Ids in one request.
const IDS_MAX: usize = 1000;
/// Bytes that are sent together.
const PIECE_BYTES: usize = 256 << 10;

/// Export artifacts
///
/// A bundle (`.kcp`) with everything of the caller's tenant that the caller may read, or with the artifacts in `ids`:
/// signed payloads, content, public keys of authors and tombstones. A head that this node signs follows every few hundred
/// artifacts, so a bundle that was cut is good up to the last head. `cairn artifact verify` reads it without a server.
#[utoipa::path(
    get,
    path = "/v1/artifacts/export",
    tag = "artifacts",
    params(
        ("ids" = Option<String>, Query, description = "Only these artifacts: ids with commas between them, at most 1000"),
        ("q" = Option<String>, Query, description = "Only artifacts whose title, summary, tags or source match this query"),
        ("tags" = Option<String>, Query, description = "Only artifacts with all of these tags, with commas between them"),
        ("author" = Option<String>, Query, description = "Only artifacts of this user"),
        ("team" = Option<String>, Query, description = "Only artifacts of this team"),
        ("format" = Option<String>, Query, description = "Only artifacts of this format"),
        ("from" = Option<String>, Query, description = "Not signed before this date or time (ISO 8601)"),
        ("to" = Option<String>, Query, description = "Signed before this date or time (ISO 8601)"),
    ),
    responses(
        (status = 200, description = "A bundle", body = RawBytes, content_type = "application/vnd.kcp.bundle"),
        (status = 400, description = "A parameter is wrong", body = ErrorBody),
        (status = 404, description = "There is no such artifact", body = ErrorBody),
        (status = 422, description = "A parameter is wrong", body = ErrorBody),
        (status = 503, description = "Too many exports and imports are under way, or this node cannot sign", body = ErrorBody),
    )
)]
pub(super) async fn artifact_export(
    State(app): State<AppState>,
    Asking(caller): Asking,
    headers: HeaderMap,
    params: Params,
) -> Result<Response, ApiError> {
    params.only(&["ids", "q", "tags", "author", "team", "format", "from", "to"])?;
    let ids = list_in(&params, "ids", IDS_MAX)?;
    let ids = ids.iter().map(|id| {
        id.parse().map_err(|error: cairn_artifacts::NotAnArtifactId| {
            invalid(error.to_string()).detail("parameter", "ids")
        })
    });
    let selection = ArtifactSelection {
        ids: ids.collect::<Result<_, ApiError>>()?,
        filter: ArtifactFilter {
            tags: list_in(&params, "tags", cairn_artifacts::limits::TAGS_MAX)?,
            author: filter_in(&params, "author")?,
            team: filter_in(&params, "team")?,
            query: query_in(&params)?,
        },
        format: filter_in(&params, "format")?,
        from_ms: date_in(&params, "from")?,
        to_ms: date_in(&params, "to")?,
    };
    let place = place(&app)?;
    // What is wrong shows while there is a status to say it with.
    let (checked, principal) = (selection.clone(), caller.principal().clone());
    app.gate.read_on(move |engine| engine.check_export(&principal, &checked)).await?;
    // One piece waits while the one before it is sent.
    let (pieces, rest) = mpsc::channel(1);
    let (gate, patience, ended) = (app.gate.clone(), app.config.patience, pieces.clone());
    app.gate.run_long(
        move |engine| {
            let _place = place;
            let mut out = Sending { pieces, patience, waiting: Vec::new() };
            // For every page: the caller may have been shut out since.
            let mut on_stage = |_: cairn_seam::Stage<'_>| gate.identify_again(&caller).is_ok();
            engine.export_artifacts(caller.principal(), &selection, &mut out, &mut on_stage)?;
            out.flush().map_err(|error| cairn_engine::EngineError::Output { cause: error.to_string() })
        },
        move |outcome: Result<(), GateError>| {
            let last = match outcome {
                Ok(()) => Piece::End,
                Err(error) => {
                    tracing::warn!(%error, "an export of artifacts ended early");
                    Piece::Failed(error.into())
                }
            };
            let _ = Handle::current().block_on(timeout(patience, ended.send(last)));
        },
    );
    let mut answer = body::answer(&headers, None, rest);
    answer.headers_mut().extend([
        (CONTENT_TYPE, HeaderValue::from_static("application/vnd.kcp.bundle")),
        (CONTENT_DISPOSITION, HeaderValue::from_static("attachment; filename=\"artifacts.kcp\"")),
    ]);
    Ok(answer)
}

/// Bytes on their way to a client that takes its time, on a thread that may wait for it.
struct Sending {
    pieces: mpsc::Sender<Piece>,
    patience: Duration,
    waiting: Vec<u8>,
}

impl Write for Sending {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.waiting.extend_from_slice(bytes);
        if self.waiting.len() >= PIECE_BYTES {
            self.flush()?;
        }
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let piece = Piece::Bytes(Bytes::from(std::mem::take(&mut self.waiting)));
        match Handle::current().block_on(timeout(self.patience, self.pieces.send(piece))) {
            Ok(Ok(())) => Ok(()),
            Ok(Err(_)) => Err(io::Error::other("the client went away")),
            Err(_elapsed) => Err(io::Error::other("the client did not take the next piece in time")),
        }
    }
}
