//! A body that comes in pieces and says when it is whole.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::Bytes;
use hyper::body::Frame;
use tokio::sync::mpsc;

/// What is sent.
pub(super) enum Piece {
    Bytes(Bytes),
    /// There is no more.
    End,
}

pub(super) struct Pieces {
    pub(super) first: Option<Piece>,
    pub(super) rest: mpsc::Receiver<Piece>,
}

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        let piece = match self.first.take() {
            Some(piece) => Some(piece),
            None => match self.rest.poll_recv(context) {
                Poll::Ready(piece) => piece,
                Poll::Pending => return Poll::Pending,
            },
        };
        Poll::Ready(match piece {
            Some(Piece::Bytes(bytes)) => Some(Ok(Frame::data(bytes))),
            Some(Piece::End) => None,
            // The status is sent already: all that is left to say is that the answer is not whole.
            None => Some(Err(io::Error::other("the stream ended early"))),
        })
    }
}
