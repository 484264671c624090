//! How the program itself calls this surface.

mod access;
mod artifacts;
mod bell;
mod bulk;
mod error;
mod escape;
mod kb;
mod kip;
mod lines;
mod search;
mod tools;
mod turns;

use std::convert::Infallible;
use std::time::Duration;

use axum::body::Bytes;
use axum::http::header::{AUTHORIZATION, CONTENT_TYPE, HOST};
use axum::http::request::Builder;
use axum::http::{HeaderValue, Method, Request, Response};
use cairn_seam::{Maintenance, Stage};
use cairn_wire::error::ErrorBody;
use cairn_wire::jobs::JobLine;
use cairn_wire::maintenance::Report;
use cairn_wire::stats::Stats;
use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use serde::Serialize;
use serde::de::DeserializeOwned;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::mpsc;
use tokio::time::timeout;

use crate::limits;

pub use self::access::{AuditPart, ListPart, NewToken};
pub use self::bell::Bell;
use self::bulk::Counted;
pub use self::error::ClientError;
use self::error::{not_understood, unanswered};
use self::lines::Lines;
pub use self::turns::{ContextOrder, NewTurn};
use crate::routes::maintenance::wire::job_to_wire;

const JSON: &str = "application/json";

/// How long the end of an answer is waited for once its last line is there.
const END_WITHIN: Duration = Duration::from_secs(1);

/// What a request carries: bytes at hand, or bytes that come.
type SentBody = BoxBody<Bytes, Infallible>;

/// A caller over one connection.
#[derive(Debug)]
pub struct Client {
    sender: SendRequest<SentBody>,
    answer_within: Duration,
    /// The header `Authorization`, if the caller is not the owner.
    bearer: Option<HeaderValue>,
}

impl Client {
    /// A caller over a connection, which gives up on an answer that does not begin in time. Must be
    /// called inside a runtime.
    pub async fn over(
        io: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        answer_within: Duration,
    ) -> Result<Client, ClientError> {
        let (sender, connection) = handshake(TokioIo::new(io)).await.map_err(|error| unanswered(&error))?;
        tokio::spawn(async move {
            if let Err(error) = connection.await {
                tracing::debug!(%error, "the connection to the server ended early");
            }
        });
        Ok(Client { sender, answer_within, bearer: None })
    }

    /// Shows a token with every further request. Without one, a caller over the socket is the local owner.
    pub fn set_token(&mut self, token: &str) -> Result<(), ClientError> {
        let header = HeaderValue::try_from(format!("Bearer {token}"));
        let mut header = header.map_err(|_| ClientError::Unsendable { what: "the token" })?;
        header.set_sensitive(true);
        self.bearer = Some(header);
        Ok(())
    }

    /// Returns when the server responds, with whatever status. Fails when it does not.
    pub async fn probe(&mut self) -> Result<(), ClientError> {
        match self.send(Request::get("/healthz"), Vec::new()).await {
            Ok(_) | Err(ClientError::Refused { .. } | ClientError::NotUnderstood { .. }) => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// Returns figures about the node: `GET /v1/admin/stats`.
    pub async fn stats(&mut self) -> Result<Stats, ClientError> {
        self.get("/v1/admin/stats").await
    }

    /// Has the server do a job, for as long as it takes, and passes on how far it is. Dropping the
    /// returned future and the client stops the job.
    pub async fn maintain(
        &mut self,
        job: &Maintenance,
        on_stage: &mut (dyn FnMut(Stage<'_>) + Send),
    ) -> Result<Report, ClientError> {
        let body = job_to_wire(job);
        let body = body.map_err(|path| ClientError::Path { path: path.display().to_string() })?;
        let body = serde_json::to_vec(&body).expect("a job is plain data");
        let request = Request::post("/v1/admin/maintenance").header(CONTENT_TYPE, JSON);
        let answer = self.send(request, body).await?;
        listen(answer, on_stage).await
    }

    /// What a GET answers.
    async fn get<T: DeserializeOwned>(&mut self, path: &str) -> Result<T, ClientError> {
        self.ask(Request::get(path), Vec::new()).await
    }

    /// Sends JSON.
    async fn say<T: DeserializeOwned>(
        &mut self,
        method: Method,
        path: &str,
        body: &impl Serialize,
    ) -> Result<T, ClientError> {
        let request = Request::builder().method(method).uri(path).header(CONTENT_TYPE, JSON);
        self.ask(request, serde_json::to_vec(body).expect("a request is plain data")).await
    }

    /// What a request answers, if that is one piece of JSON.
    async fn ask<T: DeserializeOwned>(&mut self, request: Builder, body: Vec<u8>) -> Result<T, ClientError> {
        let answer = self.send(request, body).await?;
        let body = self.whole(answer).await?;
        serde_json::from_slice(&body).map_err(|error| not_understood(&error))
    }

    /// Sends a request and waits for the head of its answer; an error becomes one here.
    async fn send(&mut self, request: Builder, body: Vec<u8>) -> Result<Response<Incoming>, ClientError> {
        self.send_body(request, Full::new(Bytes::from(body)).boxed()).await
    }

    async fn send_body(
        &mut self,
        request: Builder,
        body: SentBody,
    ) -> Result<Response<Incoming>, ClientError> {
        let within = self.answer_within;
        let answer = timeout(within, self.exchange(request, body)).await;
        self.checked(answer.ok()).await
    }

    /// Sends a long body, for as long as the server takes it.
    async fn send_long(
        &mut self,
        request: Builder,
        body: mpsc::Receiver<Bytes>,
    ) -> Result<Response<Incoming>, ClientError> {
        let (body, sent) = Counted::new(body);
        let within = self.answer_within;
        let answer = sent.patiently(within, self.exchange(request, body.boxed())).await;
        self.checked(answer).await
    }

    async fn exchange(
        &mut self,
        request: Builder,
        body: SentBody,
    ) -> Result<Response<Incoming>, hyper::Error> {
        let request = request.header(HOST, "localhost").body(body);
        let mut request = request.expect("paths and headers are checked before");
        if let Some(bearer) = &self.bearer {
            request.headers_mut().insert(AUTHORIZATION, bearer.clone());
        }
        // The connection may still be busy with the end of the answer before.
        self.sender.ready().await?;
        self.sender.send_request(request).await
    }

    /// The answer, if one came and it is no error.
    async fn checked(
        &self,
        answer: Option<Result<Response<Incoming>, hyper::Error>>,
    ) -> Result<Response<Incoming>, ClientError> {
        let answer = answer.ok_or(ClientError::Silent { after: self.answer_within })?;
        let answer = answer.map_err(|error| unanswered(&error))?;
        if answer.status().is_success() {
            return Ok(answer);
        }
        let body = self.whole(answer).await?;
        let ErrorBody { error } = serde_json::from_slice(&body).map_err(|error| not_understood(&error))?;
        Err(error.into())
    }

    async fn whole(&self, answer: Response<Incoming>) -> Result<Bytes, ClientError> {
        let body = Limited::new(answer.into_body(), limits::ADMIN_ANSWER_BYTES_MAX).collect();
        let body = timeout(self.answer_within, body).await;
        let body = body.map_err(|_elapsed| ClientError::Silent { after: self.answer_within })?;
        Ok(body.map_err(|error| ClientError::Cut { cause: error.to_string() })?.to_bytes())
    }
}

/// Passes on how far a job is, until its report comes, and leaves the connection ready for the next request.
async fn listen<R: DeserializeOwned>(
    answer: Response<Incoming>,
    on_stage: &mut (dyn FnMut(Stage<'_>) + Send),
) -> Result<R, ClientError> {
    let mut answer = answer.into_body();
    let report = report_of(&mut answer, on_stage).await;
    // Its end may come a moment after its last line, and a connection whose answer was not read to its end
    // is closed.
    let end = async { while let Some(Ok(_)) = answer.frame().await {} };
    if timeout(END_WITHIN, end).await.is_err() {
        tracing::debug!("an answer did not end after its last line");
    }
    report
}

async fn report_of<R: DeserializeOwned>(
    answer: &mut Incoming,
    on_stage: &mut (dyn FnMut(Stage<'_>) + Send),
) -> Result<R, ClientError> {
    let mut lines = Lines::default();
    loop {
        while let Some(line) = lines.next() {
            match serde_json::from_slice(&line).map_err(|error| not_understood(&error))? {
                JobLine::Stage { stage, done, total } => on_stage(Stage { name: &stage, done, total }),
                JobLine::Report { report } => return Ok(report),
                JobLine::Error(ErrorBody { error }) => return Err(error.into()),
            }
        }
        match answer.frame().await {
            Some(Ok(frame)) => lines.add(frame.into_data().unwrap_or_default())?,
            Some(Err(error)) => return Err(ClientError::Cut { cause: error.to_string() }),
            None => return Err(ClientError::Cut { cause: "the answer has no end".to_owned() }),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use tokio::io::{AsyncReadExt, AsyncWriteExt, DuplexStream};

    use super::*;

    const HEAD: &[u8] = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n";

    async fn request(io: &mut DuplexStream) {
        let mut heard = Vec::new();
        while !heard.windows(4).any(|four| four == b"\r\n\r\n") {
            assert_ne!(io.read_buf(&mut heard).await.expect("it reads"), 0, "the client went away");
        }
    }

    #[tokio::test]
    async fn an_answer_whose_end_comes_late_does_not_cost_the_connection() {
        let (near, mut far) = tokio::io::duplex(1024);
        let server = tokio::spawn(async move {
            request(&mut far).await;
            far.write_all(HEAD).await.expect("it writes");
            far.write_all(b"d\r\n{\"report\":1}\n\r\n").await.expect("it writes");
            tokio::time::sleep(Duration::from_millis(50)).await;
            far.write_all(b"0\r\n\r\n").await.expect("it writes");
            request(&mut far).await;
            far.write_all(HEAD).await.expect("it writes");
            far.write_all(b"2\r\n{}\r\n0\r\n\r\n").await.expect("it writes");
            far
        });
        let mut client = Client::over(near, Duration::from_secs(20)).await.expect("it connects");
        let answer = client.send(Request::get("/long"), Vec::new()).await.expect("an answer");
        let report: u64 = listen(answer, &mut |_| {}).await.expect("a report");
        assert_eq!(report, 1);
        let next: BTreeMap<String, u64> = client.get("/next").await.expect("an answer");
        assert!(next.is_empty());
        drop(server.await.expect("it served"));
    }
}
