//! How the program itself calls this surface.

use std::time::Duration;

use axum::body::Bytes;
use axum::http::header::{CONTENT_TYPE, HOST};
use axum::http::{Method, Request, Response};
use cairn_base::{ErrorCode, limits};
use cairn_seam::{Maintenance, Stage};
use http_body_util::{BodyExt, Full, Limited};
use hyper::body::Incoming;
use hyper::client::conn::http1::{SendRequest, handshake};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use serde_json::Value;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use crate::routes::maintenance::wire::{Job, Report};

/// A caller over one connection.
#[derive(Debug)]
pub struct Client {
    sender: SendRequest<Full<Bytes>>,
    answer_within: Duration,
}

/// Why a call has no result.
#[derive(Debug, thiserror::Error)]
pub enum ClientError {
    /// The other side went away before it answered: it did not begin, or did not live to tell.
    #[error("the server went away before it answered: {cause}")]
    Unanswered {
        /// What the connection said.
        cause: String,
    },
    /// The other side went away in the middle of its answer.
    #[error("the server went away before it was done: {cause}")]
    Cut {
        /// What the connection said.
        cause: String,
    },
    /// The other side is there and says nothing.
    #[error("the server did not answer within {} s", .after.as_secs())]
    Silent {
        /// How long was waited.
        after: Duration,
    },
    /// The other side answered with an error.
    #[error("{message}")]
    Refused {
        /// Its code, if this version knows it.
        code: Option<ErrorCode>,
        /// What went wrong.
        message: String,
        /// What to do next.
        hint: Option<String>,
    },
    /// The other side answered something else than was expected.
    #[error("the server's answer makes no sense: {detail}")]
    NotUnderstood {
        /// What is wrong with it.
        detail: String,
    },
    /// A path cannot be sent.
    #[error("the path {path} is not valid UTF-8 and cannot be sent; name another one")]
    Path {
        /// The path, as far as it is text.
        path: String,
    },
}

/// A line of a long answer, or the body of a refusal.
#[derive(Debug, Deserialize)]
struct Heard {
    stage: Option<String>,
    #[serde(default)]
    done: u64,
    #[serde(default)]
    total: u64,
    report: Option<Report>,
    error: Option<HeardError>,
}

#[derive(Debug, Deserialize)]
struct HeardError {
    code: String,
    message: String,
    #[serde(default)]
    details: Value,
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
        Ok(Client { sender, answer_within })
    }

    /// What `GET /v1/admin/stats` answers.
    pub async fn stats(&mut self) -> Result<Value, ClientError> {
        let answer = self.send(Method::GET, "/v1/admin/stats", None).await?;
        let body = timeout(self.answer_within, whole(answer)).await;
        let body = body.map_err(|_elapsed| ClientError::Silent { after: self.answer_within })??;
        serde_json::from_slice(&body).map_err(|error| not_understood(&error))
    }

    /// Has the server do a job, for as long as it takes, and passes on how far it is. Dropping the
    /// returned future and the client stops the job.
    pub async fn maintain(
        &mut self,
        job: &Maintenance,
        on_stage: &mut (dyn FnMut(Stage<'_>) + Send),
    ) -> Result<Report, ClientError> {
        let body = Job::to_wire(job);
        let body = body.map_err(|path| ClientError::Path { path: path.display().to_string() })?;
        let body = serde_json::to_vec(&body).expect("a job is plain data");
        let mut answer = self.send(Method::POST, "/v1/admin/maintenance", Some(body)).await?.into_body();
        let mut lines = Lines::default();
        loop {
            while let Some(line) = lines.next() {
                let heard: Heard = serde_json::from_slice(&line).map_err(|error| not_understood(&error))?;
                if let Some(name) = &heard.stage {
                    on_stage(Stage { name, done: heard.done, total: heard.total });
                }
                if let Some(error) = heard.error {
                    return Err(error.into());
                }
                if let Some(report) = heard.report {
                    return Ok(report);
                }
            }
            match answer.frame().await {
                Some(Ok(frame)) => lines.add(frame.into_data().unwrap_or_default())?,
                Some(Err(error)) => return Err(ClientError::Cut { cause: error.to_string() }),
                None => return Err(ClientError::Cut { cause: "the answer has no end".to_owned() }),
            }
        }
    }

    /// Sends a request and waits for the head of its answer; an error becomes one here.
    async fn send(
        &mut self,
        method: Method,
        path: &str,
        body: Option<Vec<u8>>,
    ) -> Result<Response<Incoming>, ClientError> {
        let mut request = Request::builder().method(method).uri(path).header(HOST, "localhost");
        if body.is_some() {
            request = request.header(CONTENT_TYPE, "application/json");
        }
        let request = request.body(Full::new(Bytes::from(body.unwrap_or_default())));
        let request = request.expect("fixed methods, paths and headers are valid");
        let answer = timeout(self.answer_within, self.sender.send_request(request)).await;
        let answer = answer.map_err(|_elapsed| ClientError::Silent { after: self.answer_within })?;
        let answer = answer.map_err(|error| unanswered(&error))?;
        if answer.status().is_success() {
            return Ok(answer);
        }
        let body = timeout(self.answer_within, whole(answer)).await;
        let body = body.map_err(|_elapsed| ClientError::Silent { after: self.answer_within })??;
        let heard: Heard = serde_json::from_slice(&body).map_err(|error| not_understood(&error))?;
        Err(heard.error.map_or_else(|| not_understood(&"an error without a code"), ClientError::from))
    }
}

impl From<HeardError> for ClientError {
    fn from(error: HeardError) -> Self {
        ClientError::Refused {
            code: ErrorCode::all().find(|code| code.name() == error.code),
            hint: error.details["hint"].as_str().map(str::to_owned),
            message: error.message,
        }
    }
}

async fn whole(answer: Response<Incoming>) -> Result<Bytes, ClientError> {
    let body = Limited::new(answer.into_body(), limits::ADMIN_ANSWER_BYTES_MAX).collect().await;
    Ok(body.map_err(|error| ClientError::Cut { cause: error.to_string() })?.to_bytes())
}

fn unanswered(error: &hyper::Error) -> ClientError {
    ClientError::Unanswered { cause: error.to_string() }
}

fn not_understood(detail: &dyn std::fmt::Display) -> ClientError {
    ClientError::NotUnderstood { detail: detail.to_string() }
}

/// Bytes as they come, cut into lines.
#[derive(Debug, Default)]
struct Lines(Vec<u8>);

impl Lines {
    fn add(&mut self, bytes: Bytes) -> Result<(), ClientError> {
        if self.0.len() + bytes.len() > limits::ADMIN_ANSWER_BYTES_MAX {
            return Err(not_understood(&"a line is too long"));
        }
        self.0.extend_from_slice(&bytes);
        Ok(())
    }

    fn next(&mut self) -> Option<Vec<u8>> {
        let end = self.0.iter().position(|byte| *byte == b'\n')?;
        let rest = self.0.split_off(end + 1);
        let mut line = std::mem::replace(&mut self.0, rest);
        line.pop();
        Some(line)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_are_cut_wherever_the_network_cut_them() {
        let mut lines = Lines::default();
        lines.add(Bytes::from_static(b"{\"a\":1}\n{\"b")).expect("short");
        assert_eq!(lines.next().as_deref(), Some(&b"{\"a\":1}"[..]));
        assert_eq!(lines.next(), None);
        lines.add(Bytes::from_static(b"\":2}\n\n")).expect("short");
        assert_eq!(lines.next().as_deref(), Some(&b"{\"b\":2}"[..]));
        assert_eq!(lines.next().as_deref(), Some(&b""[..]));
        assert_eq!(lines.next(), None);
    }

    #[test]
    fn a_line_without_end_is_given_up() {
        let mut lines = Lines(vec![0; limits::ADMIN_ANSWER_BYTES_MAX]);
        assert!(lines.add(Bytes::new()).is_ok());
        assert!(lines.add(Bytes::from_static(b"x")).is_err());
    }
}
