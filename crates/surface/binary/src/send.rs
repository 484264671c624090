//! Sending frames, on both sides.

use std::io;

use tokio::io::{AsyncWrite, AsyncWriteExt};

/// Sends all of a frame: a stream over TLS may keep the end of what is written until it is flushed.
pub(crate) async fn send(stream: &mut (impl AsyncWrite + Unpin), frame: &[u8]) -> io::Result<()> {
    stream.write_all(frame).await?;
    stream.flush().await
}
