//! Messages in and out, one a line.
//!
//! A line that is not a message gets a JSON-RPC error with the id of the message, so that no client waits for a
//! response that never comes. The library ignores most of these lines.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rmcp::RoleServer;
use rmcp::model::JsonRpcMessage;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncWrite, BufReader};
use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use crate::line::{Line, Whole};
use crate::output::Output;
use crate::refusal::{Read, read};

/// Lines, of which those that ask for nothing are passed over until somebody has asked for something: the
/// library takes them for a reason to hang up.
pub(crate) struct Lines<R, W> {
    input: BufReader<R>,
    /// The unfinished line. Kept here because the future of `receive` may be dropped at any time.
    line: Line,
    has_ended: bool,
    output: Arc<Mutex<Output<W>>>,
    /// An error response that is being sent. Nothing more is read before it is sent, so that the queue of errors
    /// is bounded.
    refusing: Option<JoinHandle<io::Result<()>>>,
    begun: Arc<AtomicBool>,
}

/// Lines over a pair of streams. Whoever sees that the conversation has begun sets `begun`.
pub(crate) fn lines<R, W>(
    input: R,
    output: W,
    begun: Arc<AtomicBool>,
) -> impl Transport<RoleServer, Error = io::Error> + 'static
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let output = Arc::new(Mutex::new(Output::new(output)));
    let (input, line) = (BufReader::new(input), Line::default());
    Lines { input, line, has_ended: false, output, refusing: None, begun }
}

impl<R, W> Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    /// Returns the next line; the last one may end with the stream. Cancel-safe.
    async fn next(&mut self) -> Option<Whole> {
        while !self.has_ended {
            let available = match self.input.fill_buf().await {
                Ok(available) => available,
                Err(error) => {
                    tracing::warn!(%error, "the input cannot be read");
                    &[]
                }
            };
            if available.is_empty() {
                self.has_ended = true;
                return self.line.last();
            }
            let (taken, whole) = self.line.take(available);
            self.input.consume(taken);
            if whole.is_some() {
                return whole;
            }
        }
        None
    }

    /// Sends an error response on a task of its own, so that a dropped future does not cut it off.
    fn refuse(&mut self, error: &Value) {
        let (output, error) = (Arc::clone(&self.output), error.to_string());
        self.refusing = Some(tokio::spawn(async move { output.lock().await.send(error.as_bytes()).await }));
    }

    /// Waits for the error response that is being sent; `false` if the client does not take it.
    async fn has_refused(&mut self) -> bool {
        let Some(refusing) = &mut self.refusing else { return true };
        let sent = refusing.await;
        self.refusing = None;
        matches!(sent, Ok(Ok(())))
    }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        let output = Arc::clone(&self.output);
        async move {
            let line = to_line(&message)?;
            output.lock().await.send(&line).await
        }
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        while self.has_refused().await {
            match read(self.next().await?) {
                Read::Message(message) => {
                    let is_request = matches!(*message, JsonRpcMessage::Request(_));
                    if is_request || self.begun.load(Ordering::Acquire) {
                        return Some(*message);
                    }
                    tracing::debug!("passed over a message that came before the first request");
                }
                Read::Passed => {}
                Read::Refused(error) => self.refuse(&error),
            }
        }
        None
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.has_refused().await;
        self.output.lock().await.close();
        Ok(())
    }
}

/// Encodes a message. An error response without an id gets the id null, which the library leaves out.
fn to_line(message: &TxJsonRpcMessage<RoleServer>) -> io::Result<Vec<u8>> {
    if let JsonRpcMessage::Error(error) = message
        && error.id.is_none()
    {
        let mut error = serde_json::to_value(error)?;
        error["id"] = Value::Null;
        return Ok(serde_json::to_vec(&error)?);
    }
    Ok(serde_json::to_vec(message)?)
}
