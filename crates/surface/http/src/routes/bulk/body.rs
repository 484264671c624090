//! A body that comes in pieces and says when it is whole.
//!
//! The status is sent before the first piece, so what goes wrong later can only be said at the end. Whoever asks
//! for it, as cairn's own client does, is told in trailers: that the answer is whole, or the error. For all
//! others an answer that is not whole does not end as HTTP answers do. Trailers are never a surprise, because
//! who does not look at them would take half an answer for all of it.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::header::{TE, TRAILER};
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::{IntoResponse, Response};
use hyper::body::Frame;
use tokio::sync::mpsc;

use crate::ApiError;

/// In a request: the end is looked at in trailers ([`ENDS_IN_TRAILERS`]). As a trailer: the answer is whole.
pub(crate) const END: HeaderName = HeaderName::from_static("cairn-end");
/// What [`END`] is in a request.
pub(crate) const ENDS_IN_TRAILERS: HeaderValue = HeaderValue::from_static("trailers");
/// A trailer: what went wrong, as JSON in ASCII, like the `error` of an answer that is one.
pub(crate) const ERROR: HeaderName = HeaderName::from_static("cairn-error");
/// What [`END`] is as a trailer.
const WHOLE: HeaderValue = HeaderValue::from_static("whole");

/// Bytes of an error in a trailer: clients take some thousand for all of them.
const ERROR_BYTES_MAX: usize = 8 << 10;
/// Characters that stay of a message that is too long for that.
const MESSAGE_CHARS: usize = 500;

/// What is sent.
pub(super) enum Piece {
    Bytes(Bytes),
    /// There is no more.
    End,
    /// It went wrong.
    Failed(ApiError),
}

/// An answer of a first piece, if there is one already, and the rest.
pub(super) fn answer(request: &HeaderMap, first: Option<Bytes>, rest: mpsc::Receiver<Piece>) -> Response {
    // Without this header of HTTP trailers are not sent at all.
    let takes_trailers = request.get_all(TE).iter().any(|value| value.as_bytes() == b"trailers");
    let is_told = takes_trailers && request.get(END) == Some(&ENDS_IN_TRAILERS);
    let pieces = Pieces { first, rest, is_told, is_done: false };
    let mut response = Body::new(pieces).into_response();
    if is_told {
        response.headers_mut().insert(TRAILER, HeaderValue::from_static("cairn-end, cairn-error"));
    }
    response
}

struct Pieces {
    first: Option<Bytes>,
    rest: mpsc::Receiver<Piece>,
    /// Whether the client looks at trailers.
    is_told: bool,
    is_done: bool,
}

impl hyper::body::Body for Pieces {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, io::Error>>> {
        if self.is_done {
            return Poll::Ready(None);
        }
        if let Some(first) = self.first.take() {
            return Poll::Ready(Some(Ok(Frame::data(first))));
        }
        let piece = match self.rest.poll_recv(context) {
            Poll::Ready(piece) => piece,
            Poll::Pending => return Poll::Pending,
        };
        if let Some(Piece::Bytes(bytes)) = piece {
            return Poll::Ready(Some(Ok(Frame::data(bytes))));
        }
        self.is_done = true;
        Poll::Ready(match piece {
            Some(Piece::End) if self.is_told => Some(Ok(trailer(END, WHOLE))),
            Some(Piece::End) => None,
            Some(Piece::Failed(error)) if self.is_told => Some(Ok(trailer(ERROR, in_ascii(error)))),
            // All that is left to say is that the answer is not whole.
            Some(Piece::Bytes(_) | Piece::Failed(_)) | None => {
                Some(Err(io::Error::other("the stream ended early")))
            }
        })
    }
}

fn trailer(name: HeaderName, value: HeaderValue) -> Frame<Bytes> {
    Frame::trailers(HeaderMap::from_iter([(name, value)]))
}

/// An error as a header can hold it.
fn in_ascii(error: ApiError) -> HeaderValue {
    let (code, message) = (error.code(), error.message().chars().take(MESSAGE_CHARS).collect::<String>());
    let text = Some(ascii_json(error)).filter(|text| text.len() <= ERROR_BYTES_MAX);
    let text = text.unwrap_or_else(|| ascii_json(ApiError::new(code, message)));
    HeaderValue::from_str(&text).expect("JSON in ASCII has no line ends or controls")
}

fn ascii_json(error: ApiError) -> String {
    let json = serde_json::to_string(&error.into_body().error).expect("an error is plain data");
    let mut units = [0; 2];
    let mut out = String::with_capacity(json.len());
    for character in json.chars() {
        match character {
            ' '..='~' => out.push(character),
            _ => character.encode_utf16(&mut units).iter().for_each(|unit| out += &format!("\\u{unit:04x}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use cairn_base::ErrorCode;

    use super::*;

    #[test]
    fn an_error_fits_into_a_header_whatever_it_says() {
        let read = |value: HeaderValue| -> serde_json::Value {
            assert!(value.len() <= ERROR_BYTES_MAX, "{}", value.len());
            serde_json::from_str(value.to_str().expect("it is ASCII")).expect("it is JSON")
        };
        let strange = "ä 漢 🪨 \u{7f}\r\n\u{1b} \"quoted\"";
        let error = read(in_ascii(ApiError::new(ErrorCode::TooLarge, strange).detail("hint", "é")));
        assert_eq!((&error["code"], &error["message"]), (&"TooLarge".into(), &strange.into()));
        assert_eq!(error["details"]["hint"], "é");
        let long = read(in_ascii(ApiError::new(ErrorCode::TooLarge, "漢".repeat(10_000))));
        assert_eq!(long["message"].as_str().map(|message| message.chars().count()), Some(MESSAGE_CHARS));
    }
}
