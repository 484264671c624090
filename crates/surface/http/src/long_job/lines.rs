//! The answer of a long job: lines of JSON while it runs.

use std::convert::Infallible;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use cairn_seam::Stage;
use cairn_wire::jobs::JobLine;
use hyper::body::Frame;
use serde::Serialize;
use tokio::sync::mpsc;

use crate::ApiError;

/// Lines that wait for a slow client; what is told beyond is left out.
const WAITING_MAX: usize = 16;

/// Something that happened to the job.
#[derive(Debug)]
pub(crate) enum News<R> {
    /// It got further.
    Stage(JobLine<R>),
    /// It ended, with its report or with an error.
    Ended(Result<R, ApiError>),
}

/// The job's end of the answer.
#[derive(Debug)]
pub(crate) struct Teller<R>(mpsc::Sender<News<R>>);

impl<R> Clone for Teller<R> {
    fn clone(&self) -> Self {
        Teller(self.0.clone())
    }
}

/// The client's end.
pub(crate) type Listener<R> = mpsc::Receiver<News<R>>;

/// Both ends.
pub(crate) fn channel<R>() -> (Teller<R>, Listener<R>) {
    let (teller, listener) = mpsc::channel(WAITING_MAX);
    (Teller(teller), listener)
}

impl<R> Teller<R> {
    /// Tells how far it is, unless the client is slow to read. The last place is kept for the end.
    pub(crate) fn stage(&self, stage: Stage<'_>) {
        if self.0.capacity() > 1 {
            // Failing means that the client went away, which is asked for separately.
            let Stage { name, done, total } = stage;
            let _ = self.0.try_send(News::Stage(JobLine::Stage { stage: name.to_owned(), done, total }));
        }
    }

    /// Tells how it ended, to whoever is left.
    pub(crate) fn end(self, outcome: Result<R, ApiError>) {
        let _ = self.0.try_send(News::Ended(outcome));
    }

    /// Whether the client went away.
    pub(crate) fn is_unheard(&self) -> bool {
        self.0.is_closed()
    }
}

/// An answer that goes on until the job has ended.
pub(crate) fn answer<R: Report>(first: Option<News<R>>, rest: Listener<R>) -> Response {
    let lines = Lines { first, rest };
    ([(CONTENT_TYPE, "application/x-ndjson")], Body::new(lines)).into_response()
}

/// The report of a job, as it is sent.
pub(crate) trait Report: Serialize + Send + Unpin + 'static {}

impl<R: Serialize + Send + Unpin + 'static> Report for R {}

struct Lines<R> {
    first: Option<News<R>>,
    rest: Listener<R>,
}

impl<R: Report> hyper::body::Body for Lines<R> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let news = match self.first.take() {
            Some(news) => Some(news),
            None => match self.rest.poll_recv(context) {
                Poll::Ready(news) => news,
                Poll::Pending => return Poll::Pending,
            },
        };
        Poll::Ready(news.map(|news| Ok(Frame::data(to_bytes(news)))))
    }
}

fn to_bytes<R: Serialize>(news: News<R>) -> Bytes {
    let line = match news {
        News::Stage(line) => line,
        News::Ended(Ok(report)) => JobLine::Report { report },
        News::Ended(Err(error)) => JobLine::Error(error.into_body()),
    };
    let mut text = serde_json::to_vec(&line).expect("a line is plain data");
    text.push(b'\n');
    Bytes::from(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_that_does_not_read_misses_stages_and_never_the_end() {
        let (teller, mut listener) = channel::<()>();
        for done in 0..100 {
            teller.stage(Stage { name: "reading", done, total: 100 });
        }
        teller.end(Err(ApiError::new(cairn_base::ErrorCode::Internal, "it broke")));
        let mut heard = Vec::new();
        while let Ok(news) = listener.try_recv() {
            heard.push(to_bytes(news));
        }
        assert_eq!(heard.len(), WAITING_MAX);
        assert_eq!(&heard[0][..], b"{\"stage\":\"reading\",\"done\":0,\"total\":100}\n");
        assert!(heard[WAITING_MAX - 1].starts_with(b"{\"error\":{\"code\":\"Internal\","), "{heard:?}");
    }

    #[test]
    fn a_client_that_went_away_is_noticed() {
        let (teller, listener) = channel::<()>();
        assert!(!teller.is_unheard());
        drop(listener);
        assert!(teller.is_unheard());
        teller.stage(Stage { name: "reading", done: 0, total: 0 });
        teller.end(Err(ApiError::new(cairn_base::ErrorCode::Internal, "nobody hears")));
    }
}
