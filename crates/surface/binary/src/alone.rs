//! One connection, without a listener.

use cairn_gate::Gate;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

use crate::memory::Shared;
use crate::serve::{BinaryConfig, connection};
use crate::session::Session;

/// Serves one connection over any stream until it ends: for pipes, tests and fuzzers. It has the limits of
/// a connection of [`serve`](crate::serve), and the memory for frames to itself.
pub async fn serve_connection(stream: impl AsyncRead + AsyncWrite + Unpin, gate: Gate, config: BinaryConfig) {
    let memory = Shared::new(config.memory_bytes);
    let session = Session::new(gate, memory.clone(), None, &config);
    // Held to the end: nobody stops it but the stream.
    let (_stop, stopped) = watch::channel(());
    connection(stream, session, memory, &config, stopped).await;
}
