//! Connections: accepting, limiting and draining them.

use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use cairn_gate::Gate;
use cairn_tls::{Protocol, Tls};
use tokio::io::{AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::answer::Answer;
use crate::error::WireError;
use crate::frame::{HEADER_BYTES, Header};
use crate::limits;
use crate::memory::Shared;
use crate::send::send;
use crate::session::Session;
use crate::trusted::Trusted;

/// Limits of the surface.
#[derive(Debug, Clone)]
pub struct BinaryConfig {
    /// The certificate to serve with; without one, nothing is encrypted.
    pub tls: Option<Tls>,
    /// Clients that are let in without credentials, and as whom.
    pub trusted: Option<Trusted>,
    /// Connections at once.
    pub connections_max: usize,
    /// Memory for the bodies of frames, all connections together.
    pub memory_bytes: usize,
    /// How long a connection may say nothing.
    pub idle: Duration,
    /// How long a client may take to send the next MiB of a frame, or to take an answer.
    pub patience: Duration,
    /// How long requests under way have to finish when the server stops.
    pub drain: Duration,
}

impl Default for BinaryConfig {
    fn default() -> Self {
        BinaryConfig {
            tls: None,
            trusted: None,
            connections_max: limits::BINARY_CONNECTIONS_MAX,
            memory_bytes: limits::BINARY_MEMORY_BYTES,
            idle: limits::BINARY_IDLE,
            patience: limits::BINARY_PATIENCE,
            drain: cairn_gate::limits::HTTP_DEADLINE,
        }
    }
}

/// How a server came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Drained {
    /// Connections that were cut.
    pub cut: usize,
}

/// Serves until `shutdown` completes, then accepts nothing more and lets what is under way finish.
pub async fn serve(
    listener: TcpListener,
    gate: Gate,
    config: BinaryConfig,
    shutdown: impl Future<Output = ()>,
) -> Drained {
    let served = Served { memory: Shared::new(config.memory_bytes), gate, config: Arc::new(config) };
    let (stop, stopped) = watch::channel(());
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        tokio::select! {
            biased;
            () = &mut shutdown => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                // Closed at once: nobody has asked anything yet that could be answered.
                Ok((stream, _)) if connections.len() >= served.config.connections_max => drop(stream),
                // So is who may not come at all: a token that it sends would go over the network in the open.
                Ok((stream, peer)) if served.config.keeps_out(peer.ip()) => {
                    tracing::debug!(%peer, "a connection from outside of the trusted networks was closed");
                    drop(stream);
                }
                Ok((stream, peer)) => {
                    // Best effort: without it answers are a little later.
                    let _ = stream.set_nodelay(true);
                    connections.spawn(over_tcp(served.clone(), stream, peer, stopped.clone()));
                }
                Err(error) => {
                    // Running out of file descriptors ends only when connections end.
                    tracing::warn!(%error, "accepting a connection failed");
                    tokio::time::sleep(Duration::from_millis(100)).await;
                }
            },
        }
    }
    drop((listener, stopped));
    // Every connection holds a receiver and sees the sender go.
    drop(stop);
    let all_ended = async { while connections.join_next().await.is_some() {} };
    let on_time = timeout(served.config.drain, all_ended).await.is_ok();
    Drained { cut: if on_time { 0 } else { connections.len() } }
}

/// What all connections share.
#[derive(Clone)]
struct Served {
    gate: Gate,
    memory: Shared,
    config: Arc<BinaryConfig>,
}

/// A connection from its first byte on, so that nobody else waits for its handshake. Nobody is connected in
/// the eyes of others before it is done.
async fn over_tcp(served: Served, stream: TcpStream, peer: SocketAddr, mut stopped: watch::Receiver<()>) {
    let Served { gate, memory, config } = served;
    let session = || Session::new(gate, memory.clone(), Some(peer), &config);
    let Some(tls) = &config.tls else {
        return connection(stream, session(), memory.clone(), &config, stopped).await;
    };
    let agreed = tokio::select! {
        agreed = tls.accept(stream, Protocol::Binary) => agreed,
        _ = stopped.changed() => return,
    };
    match agreed {
        Ok(stream) => connection(stream, session(), memory.clone(), &config, stopped).await,
        Err(error) => tracing::debug!(%error, "a TLS handshake failed"),
    }
}

pub(crate) async fn connection(
    mut stream: impl AsyncRead + AsyncWrite + Unpin,
    mut session: Session,
    memory: Shared,
    config: &BinaryConfig,
    mut stopped: watch::Receiver<()>,
) {
    let ended = async {
        let mut stream = BufReader::new(&mut stream);
        let mut buffer = Vec::new();
        loop {
            let mut bytes = [0; HEADER_BYTES];
            // Whoever has not said who they are has little time, and little to say.
            let idle = if session.is_inside() { config.idle } else { config.patience };
            let len_max = session.frame_bytes_max();
            let first = tokio::select! {
                biased;
                _ = stopped.changed() => return Ok(()),
                read = timeout(idle, stream.read(&mut bytes[..1])) => read??,
            };
            if first == 0 {
                return Ok(());
            }
            timeout(config.patience, stream.read_exact(&mut bytes[1..])).await??;
            let header = Header::decode(&bytes);
            let len = usize::try_from(header.len).unwrap_or(usize::MAX);
            if len > len_max {
                let too_large = WireError::FrameTooLarge { bytes: header.len, max: len_max };
                let (answer, _) = Answer::error(&header, &too_large).into_frame();
                timeout(config.patience, send(&mut stream, &answer)).await??;
                return Ok(());
            }
            let held = memory.read(&mut stream, len, buffer, config.patience).await?;
            let (answer, share) = session.answer(&header, &held.bytes).await;
            buffer = held.into_buffer();
            timeout(config.patience, send(&mut stream, &answer)).await??;
            drop(share);
            if session.is_given_up() {
                return Ok(());
            }
        }
    };
    let ended: io::Result<()> = ended.await;
    match ended {
        // Over TLS the other side is told that this is the end, and no cut.
        Ok(()) => drop(timeout(config.patience, stream.shutdown()).await),
        Err(error) => tracing::debug!(%error, "a connection ended early"),
    }
}
