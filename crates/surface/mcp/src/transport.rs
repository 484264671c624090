//! Messages in and out, one a line.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cairn_base::limits;
use rmcp::RoleServer;
use rmcp::model::JsonRpcMessage;
use rmcp::service::{RxJsonRpcMessage, TxJsonRpcMessage};
use rmcp::transport::Transport;
use rmcp::transport::async_rw::AsyncRwTransport;
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite};

/// Lines, of which those that ask for nothing are passed over until somebody has asked for something: the
/// library takes them for a reason to hang up.
pub(crate) struct Lines<R: AsyncRead, W: AsyncWrite> {
    lines: AsyncRwTransport<RoleServer, R, W>,
    begun: Arc<AtomicBool>,
}

/// Lines over a pair of streams. Whoever sees that the conversation has begun sets `begun`.
pub(crate) fn lines<R, W>(
    input: R,
    output: W,
    begun: Arc<AtomicBool>,
) -> impl Transport<RoleServer, Error = std::io::Error> + 'static
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    // The last line may end with the stream.
    let input = input.chain(&b"\n"[..]);
    let lines = AsyncRwTransport::new(input, output).with_max_line_length(limits::KIP_BODY_BYTES_MAX);
    Lines { lines, begun }
}

impl<R, W> Transport<RoleServer> for Lines<R, W>
where
    R: AsyncRead + Send + Unpin,
    W: AsyncWrite + Send + Unpin + 'static,
{
    type Error = std::io::Error;

    fn send(
        &mut self,
        message: TxJsonRpcMessage<RoleServer>,
    ) -> impl Future<Output = Result<(), Self::Error>> + Send + 'static {
        self.lines.send(message)
    }

    async fn receive(&mut self) -> Option<RxJsonRpcMessage<RoleServer>> {
        loop {
            let message = self.lines.receive().await?;
            if matches!(message, JsonRpcMessage::Request(_)) || self.begun.load(Ordering::Acquire) {
                return Some(message);
            }
            tracing::debug!("passed over a message that came before the first request");
        }
    }

    async fn close(&mut self) -> Result<(), Self::Error> {
        self.lines.close().await
    }
}
