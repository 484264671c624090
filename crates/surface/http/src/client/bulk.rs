//! Calls that move much at once.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::Bytes;
use axum::http::header::{CONTENT_TYPE, TE, TRAILER};
use axum::http::request::Builder;
use axum::http::{HeaderMap, Request, Response};
use cairn_base::{ContextId, TurnId};
use cairn_seam::Stage;
use cairn_wire::bulk::{ImportReport, KipImportReport, PruneJob, PruneReport};
use cairn_wire::error::ErrorContent;
use http_body_util::BodyExt;
use hyper::body::{Frame, Incoming};
use tokio::sync::mpsc;
use tokio::time::timeout;

use super::error::not_understood;
use super::escape::escaped;
use super::{Client, ClientError, JSON, listen};
use crate::limits;
use crate::routes::bulk::{END, ENDS_IN_TRAILERS, ERROR, LAST_TURN, NUMBERS};

/// A body whose bytes come from somebody who waits until they are taken.
pub(super) struct Coming(pub(super) mpsc::Receiver<Bytes>);

/// A body that counts the bytes that the connection took.
pub(super) struct Counted {
    inner: Coming,
    sent: Arc<Sent>,
}

/// The part of a body that was sent.
#[derive(Debug, Default)]
pub(super) struct Sent {
    bytes: AtomicU64,
    has_ended: AtomicBool,
}

impl Counted {
    pub(super) fn new(bytes: mpsc::Receiver<Bytes>) -> (Self, Arc<Sent>) {
        let sent = Arc::new(Sent::default());
        (Counted { inner: Coming(bytes), sent: Arc::clone(&sent) }, sent)
    }
}

impl hyper::body::Body for Counted {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        let polled = self.inner.0.poll_recv(context);
        match &polled {
            Poll::Ready(Some(bytes)) => {
                self.sent.bytes.fetch_add(bytes.len() as u64, Ordering::Relaxed);
            }
            Poll::Ready(None) => self.sent.has_ended.store(true, Ordering::Relaxed),
            Poll::Pending => {}
        }
        polled.map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

impl Sent {
    /// Waits for an answer while the body is being sent. An upload may take hours; what it may not do is stop. Gives up if
    /// the connection took less than [`limits::BULK_BYTES_PER_SECOND_MIN`] in `within`, or if no answer follows that long
    /// after the end of the body.
    pub(super) async fn patiently<T>(&self, within: Duration, answer: impl Future<Output = T>) -> Option<T> {
        let mut answer = std::pin::pin!(answer);
        let least = limits::BULK_BYTES_PER_SECOND_MIN.saturating_mul(within.as_secs().max(1));
        loop {
            let (before, had_ended) =
                (self.bytes.load(Ordering::Relaxed), self.has_ended.load(Ordering::Relaxed));
            if let Ok(answered) = timeout(within, &mut answer).await {
                return Some(answered);
            }
            let taken = self.bytes.load(Ordering::Relaxed) - before;
            let has_ended = self.has_ended.load(Ordering::Relaxed);
            if had_ended || (taken < least && !has_ended) {
                return None;
            }
        }
    }
}

impl hyper::body::Body for Coming {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        self.0.poll_recv(context).map(|bytes| bytes.map(|bytes| Ok(Frame::data(bytes))))
    }
}

impl Client {
    /// Exports turns; `take` gets the text piece by piece, and the last turn that will come. It says
    /// whether to go on. Whether it is whole shows in its last line.
    pub async fn export(
        &mut self,
        contexts: &[ContextId],
        after: TurnId,
        take: &mut (dyn FnMut(&[u8], TurnId) -> bool + Send),
    ) -> Result<(), ClientError> {
        let contexts: Vec<_> = contexts.iter().map(ContextId::to_string).collect();
        let path = format!("/v1/export?contexts={}&after_turn={after}", contexts.join(","));
        let answer = self.send(told_of_the_end(Request::get(path)), Vec::new()).await?;
        let last = answer.headers().get(LAST_TURN).and_then(|value| value.to_str().ok()?.parse().ok());
        let last = TurnId(last.unwrap_or(0));
        take_all(answer, &mut |bytes| take(bytes, last)).await
    }

    /// Imports turns from what comes, under an id or under that of the store they come from, and passes on
    /// how many there are so far.
    pub async fn import(
        &mut self,
        id: Option<&str>,
        text: mpsc::Receiver<Bytes>,
        on_stage: &mut (dyn FnMut(Stage<'_>) + Send),
    ) -> Result<ImportReport, ClientError> {
        let mut path = "/v1/import".to_owned();
        if let Some(id) = id {
            path += "?import_id=";
            // Percent signs everywhere: whatever it is, it is one word.
            id.bytes().for_each(|byte| path += &format!("%{byte:02X}"));
        }
        let request = Request::post(path).header(CONTENT_TYPE, "application/x-ndjson");
        let answer = self.send_body(request, Coming(text).boxed()).await?;
        listen(answer, on_stage).await
    }

    /// Imports concepts and links from what comes, and passes on how many there are so far. What the
    /// parameters of the query are is in the description of the route.
    pub async fn kip_import(
        &mut self,
        query: &[(&str, &str)],
        text: mpsc::Receiver<Bytes>,
        on_stage: &mut (dyn FnMut(Stage<'_>) + Send),
    ) -> Result<KipImportReport, ClientError> {
        let request = Request::post(with_query("/v1/kip/import", query)).header(CONTENT_TYPE, "text/plain");
        let answer = self.send_body(request, Coming(text).boxed()).await?;
        listen(answer, on_stage).await
    }

    /// Exports concepts and links; `take` gets the text piece by piece, and how many lines there will be at
    /// the most. It says whether to go on.
    pub async fn kip_export(
        &mut self,
        query: &[(&str, &str)],
        take: &mut (dyn FnMut(&[u8], u64) -> bool + Send),
    ) -> Result<(), ClientError> {
        let answer =
            self.send(told_of_the_end(Request::get(with_query("/v1/kip/export", query))), Vec::new()).await?;
        let most = answer.headers().get(NUMBERS).and_then(|value| value.to_str().ok()?.parse().ok());
        let most = most.unwrap_or(0);
        take_all(answer, &mut |bytes| take(bytes, most)).await
    }

    /// Prunes contexts, or asks what that would come to.
    pub async fn prune(
        &mut self,
        job: &PruneJob,
        on_stage: &mut (dyn FnMut(Stage<'_>) + Send),
    ) -> Result<PruneReport, ClientError> {
        let body = serde_json::to_vec(job).expect("a job is plain data");
        let request = Request::post("/v1/admin/prune").header(CONTENT_TYPE, JSON);
        let answer = self.send(request, body).await?;
        listen(answer, on_stage).await
    }
}

/// Asks for an answer that says in trailers whether it is whole, and what went wrong if it is not.
pub(super) fn told_of_the_end(request: Builder) -> Builder {
    request.header(TE, "trailers").header(END, ENDS_IN_TRAILERS)
}

/// Passes on the answer to such a request until its end, or until nobody wants more.
pub(super) async fn take_all(
    answer: Response<Incoming>,
    take: &mut (dyn FnMut(&[u8]) -> bool + Send),
) -> Result<(), ClientError> {
    // A server of an older version tells nothing.
    let is_told = answer.headers().contains_key(TRAILER);
    let mut body = answer.into_body();
    let mut trailers = HeaderMap::new();
    while let Some(frame) = body.frame().await {
        let frame = frame.map_err(|error| ClientError::Cut { cause: error.to_string() })?;
        match frame.into_data() {
            Ok(data) if !take(&data) => return Ok(()),
            Ok(_) => {}
            Err(frame) => trailers = frame.into_trailers().unwrap_or_default(),
        }
    }
    if let Some(error) = trailers.get(ERROR) {
        let heard: ErrorContent =
            serde_json::from_slice(error.as_bytes()).map_err(|error| not_understood(&error))?;
        return Err(heard.into());
    }
    if is_told && !trailers.contains_key(END) {
        return Err(ClientError::Cut { cause: "the answer has no end".to_owned() });
    }
    Ok(())
}

pub(super) fn with_query(path: &str, query: &[(&str, &str)]) -> String {
    let pairs: Vec<_> = query.iter().map(|(name, value)| format!("{name}={}", escaped(value))).collect();
    if pairs.is_empty() { path.to_owned() } else { format!("{path}?{}", pairs.join("&")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    const WITHIN: Duration = Duration::from_secs(30);

    /// Whether an upload of so many KiB a second, for this long, is waited for.
    async fn is_waited_for(kib_a_second: usize, seconds: u64) -> bool {
        let (pieces, coming) = mpsc::channel(1);
        let (mut body, sent) = Counted::new(coming);
        tokio::spawn(async move {
            for _ in 0..seconds {
                tokio::time::sleep(Duration::from_secs(1)).await;
                let _ = pieces.send(Bytes::from(vec![0; kib_a_second << 10])).await;
            }
        });
        let answer = async {
            while body.frame().await.is_some() {}
            tokio::time::sleep(WITHIN).await;
        };
        sent.patiently(WITHIN, answer).await.is_some()
    }

    #[tokio::test(start_paused = true)]
    async fn an_upload_may_take_as_long_as_it_goes_on() {
        assert!(is_waited_for(2, 3600).await);
        assert!(is_waited_for(2, 1).await);
        assert!(!is_waited_for(0, 3600).await, "nothing is sent");
    }

    #[tokio::test(start_paused = true)]
    async fn an_answer_has_to_follow_the_end_of_a_body() {
        let (_, coming) = mpsc::channel(1);
        let (mut body, sent) = Counted::new(coming);
        let never = async {
            while body.frame().await.is_some() {}
            std::future::pending::<()>().await;
        };
        assert!(sent.patiently(WITHIN, never).await.is_none());
    }
}
