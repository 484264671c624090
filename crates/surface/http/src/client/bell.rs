//! Hearing that something happened, without asking again and again.

use axum::http::Request;
use cairn_base::ContextId;
use http_body_util::BodyExt;
use hyper::body::Incoming;

use super::lines::Lines;
use super::{Client, ClientError};

/// Rings whenever something happens to a context.
#[derive(Debug)]
pub struct Bell {
    events: Incoming,
    lines: Lines,
    /// The connection, which has no room for anything else.
    _client: Client,
}

impl Client {
    /// Follows `GET /v1/contexts/{id}/events`, which takes the connection for itself.
    pub async fn bell(mut self, context: ContextId) -> Result<Bell, ClientError> {
        let request = Request::get(format!("/v1/contexts/{context}/events"));
        let events = self.send(request, Vec::new()).await?.into_body();
        Ok(Bell { events, lines: Lines::default(), _client: self })
    }
}

impl Bell {
    /// Waits until something has happened since it last rang, however much. It rings once at the start:
    /// what is read after that misses nothing.
    pub async fn ring(&mut self) -> Result<(), ClientError> {
        loop {
            let mut has_rung = false;
            while let Some(line) = self.lines.next() {
                // Comments say that the stream is alive, and data what happened: the caller looks itself.
                has_rung |= line.starts_with(b"event:");
            }
            if has_rung {
                return Ok(());
            }
            match self.events.frame().await {
                Some(Ok(frame)) => self.lines.add(frame.into_data().unwrap_or_default())?,
                Some(Err(error)) => return Err(ClientError::Cut { cause: error.to_string() }),
                None => return Err(ClientError::Cut { cause: "the events have ended".to_owned() }),
            }
        }
    }
}
