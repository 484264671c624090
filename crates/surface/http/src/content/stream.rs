//! Large content, sent piece by piece.
//!
//! Each piece is read on one of the gate's threads, within its deadline. While the client takes its time
//! with a piece, nothing is held but the piece and a place among the streams, of which there are so many.

use std::io;
use std::ops::Range;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use cairn_base::ErrorCode;
use cairn_gate::{Caller, GateError};
use cairn_seam::BlobReader;
use hyper::body::{Frame, SizeHint};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::timeout;

use crate::ApiError;
use crate::app::AppState;
use crate::call::Call;

/// How much is read at a time, and the most that is sent without a stream.
pub(super) const PIECE_BYTES: u64 = 256 << 10;

/// A place among the streams, or a request to come back.
pub(super) fn place(app: &AppState) -> Result<OwnedSemaphorePermit, ApiError> {
    Arc::clone(&app.content_streams).try_acquire_owned().map_err(|_| {
        ApiError::new(ErrorCode::Overloaded, "as many large blobs are being sent as may be")
            .detail("streams_max", app.config.content_streams_max)
    })
}

/// The bytes of a range, as a body that reads them when they are wanted.
pub(super) fn body(
    call: &Call,
    reader: Arc<dyn BlobReader>,
    range: Range<u64>,
    place: OwnedSemaphorePermit,
) -> Body {
    // One piece waits while the one before it is sent.
    let (pieces, rest) = mpsc::channel(1);
    let left = range.end - range.start;
    tokio::spawn(send(call.app.clone(), call.caller.clone(), reader, range, place, pieces));
    Body::new(Pieces { rest, left })
}

/// Reads until the end, or until the client goes away or does not take the next piece in time.
async fn send(
    app: AppState,
    caller: Caller,
    reader: Arc<dyn BlobReader>,
    range: Range<u64>,
    _place: OwnedSemaphorePermit,
    pieces: mpsc::Sender<Result<Bytes, GateError>>,
) {
    let mut at = range.start;
    while at < range.end {
        let end = range.end.min(at + PIECE_BYTES);
        // For every piece: whoever was let in may have been shut out since.
        let piece = match app.gate.identify_again(&caller) {
            Ok(_still) => read(&app, &reader, at..end).await,
            Err(shut_out) => Err(shut_out),
        };
        let failed = piece.is_err();
        let taken = timeout(app.config.patience, pieces.send(piece)).await;
        if failed || !matches!(taken, Ok(Ok(()))) {
            return;
        }
        at = end;
    }
}

async fn read(app: &AppState, reader: &Arc<dyn BlobReader>, range: Range<u64>) -> Result<Bytes, GateError> {
    let reader = Arc::clone(reader);
    let read = move |_: &_| {
        let mut piece = vec![0; usize::try_from(range.end - range.start).unwrap_or(0)];
        let bytes = reader.read_at(range.start, &mut piece)?;
        piece.truncate(bytes);
        Ok(Bytes::from(piece))
    };
    app.gate.read_on(read).await
}

struct Pieces {
    rest: mpsc::Receiver<Result<Bytes, GateError>>,
    left: u64,
}

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if self.left == 0 {
            return Poll::Ready(None);
        }
        let piece = match self.rest.poll_recv(context) {
            Poll::Ready(piece) => piece,
            Poll::Pending => return Poll::Pending,
        };
        // The status is sent already: all that is left to say is that the answer is not whole.
        let ended = Err(io::Error::other("the stream ended early"));
        let piece = piece.map_or(ended, |piece| piece.map_err(|error| io::Error::other(error.to_string())));
        Poll::Ready(Some(piece.map(|piece| {
            self.left = self.left.saturating_sub(piece.len() as u64);
            Frame::data(piece)
        })))
    }

    fn is_end_stream(&self) -> bool {
        self.left == 0
    }

    fn size_hint(&self) -> SizeHint {
        SizeHint::with_exact(self.left)
    }
}
