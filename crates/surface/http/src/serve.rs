//! Connections: accepting, limiting and draining them.

use std::io;
use std::net::IpAddr;
use std::pin::pin;
use std::time::Duration;

use axum::{Extension, Router};
use cairn_tls::Protocol;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::io::{AsyncRead, AsyncWrite, DuplexStream};
use tokio::net::{TcpListener, TcpStream, UnixListener, UnixStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};
use tower::ServiceExt;

use crate::App;
use crate::app::AppState;
use crate::local::FromLocalOwner;
use crate::metrics::Up;
use crate::patience::Patient;
use crate::routes::figures;
use crate::seat::ConnectionSeat;

/// What a connection over the limit is told; it is too early for a request id and a log line.
const TURNED_AWAY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\n\
    content-type: application/json\r\ncontent-length: 126\r\n\r\n\
    {\"error\":{\"code\":\"Overloaded\",\"message\":\"too many connections\",\
    \"details\":{\"hint\":\"wait a moment and send the request again\"}}}";

/// Connections beyond the limit for the local owner, who has to be able to shut others out.
const LOCAL_RESERVE: usize = 32;

/// Extension of every request that came over TCP: the address of the other side.
#[derive(Debug, Clone, Copy)]
pub(crate) struct PeerAddress(pub(crate) IpAddr);

/// What a pipe inside the process holds before its writer waits.
const PIPE_BYTES: usize = 64 * 1024;

/// How a server came to its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Drained {
    /// Every request under way was answered.
    Clean,
    /// Time ran out and connections were cut.
    Cut {
        /// How many.
        connections: usize,
    },
}

/// Where a server listens.
#[derive(Debug)]
pub struct Listeners {
    /// For everyone who can reach it; nobody else than the local owner if there is none.
    pub tcp: Option<TcpListener>,
    /// For the local owner: a socket that nobody else may open.
    pub local: Option<UnixListener>,
}

/// Serves until `shutdown` completes, then accepts nothing more and lets what is under way finish.
pub async fn serve(listeners: Listeners, app: App, shutdown: impl Future<Output = ()>) -> Drained {
    let state = app.state.clone();
    let router = app.into_router();
    let sampling = tokio::spawn(figures::sample_for_ever(state.clone()));
    let local_router = router.clone().layer(Extension(FromLocalOwner));
    let (stop, stopped) = watch::channel(());
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        tokio::select! {
            biased;
            () = &mut shutdown => break,
            Some(_) = connections.join_next() => {}
            accepted = accept_tcp(listeners.tcp.as_ref()) => match accepted {
                Ok(stream) if connections.len() >= state.config.connections_max => {
                    // Over TLS nobody would understand the answer, and agreeing on how to is work.
                    turn_away(&state, |answer| if state.config.tls.is_none() { stream.try_write(answer) } else { Ok(0) });
                }
                Ok(stream) => {
                    // Best effort: without it answers are a little later.
                    let _ = stream.set_nodelay(true);
                    connections.spawn(over_tcp(state.clone(), router.clone(), stream, stopped.clone()));
                }
                Err(error) => pause_after(&error).await,
            },
            accepted = accept_local(listeners.local.as_ref()) => match accepted {
                // Whatever others do, the local owner still comes in.
                Ok(stream) if connections.len() >= state.config.connections_max + LOCAL_RESERVE => {
                    turn_away(&state, |answer| stream.try_write(answer));
                }
                Ok(stream) => {
                    let (state, router) = (state.clone(), local_router.clone());
                    connections.spawn(connection(state, router, stream, None, stopped.clone()));
                }
                Err(error) => pause_after(&error).await,
            },
        }
    }
    sampling.abort();
    drop((listeners, stopped));
    // They would go on for ever.
    state.streams.stop();
    // Every connection holds a receiver and sees the sender go.
    drop(stop);
    drain(&mut connections, state.config.drain).await
}

/// Serves one caller inside this process like the local owner, until the other end is dropped.
///
/// Must be called inside a runtime.
pub fn serve_in_process(app: App) -> DuplexStream {
    let state = app.state.clone();
    let router = app.into_router().layer(Extension(FromLocalOwner));
    let (ours, theirs) = tokio::io::duplex(PIPE_BYTES);
    tokio::spawn(async move {
        // Kept here: the connection ends by itself and is never told to.
        let (_stop, stopped) = watch::channel(());
        connection(state, router, ours, None, stopped).await;
    });
    theirs
}

async fn accept_tcp(listener: Option<&TcpListener>) -> io::Result<TcpStream> {
    match listener {
        Some(listener) => listener.accept().await.map(|(stream, _)| stream),
        None => std::future::pending().await,
    }
}

async fn accept_local(listener: Option<&UnixListener>) -> io::Result<UnixStream> {
    match listener {
        Some(listener) => listener.accept().await.map(|(stream, _)| stream),
        None => std::future::pending().await,
    }
}

/// A connection from its first byte on, so that nobody else waits for its handshake.
async fn over_tcp(app: AppState, router: Router, stream: TcpStream, mut stopped: watch::Receiver<()>) {
    let peer = stream.peer_addr().ok().map(|address| PeerAddress(address.ip()));
    let Some(tls) = app.config.tls.clone() else {
        return connection(app, router, stream, peer, stopped).await;
    };
    let agreed = {
        let _up = Up::new(&app.metrics.connections);
        tokio::select! {
            agreed = tls.accept(stream, Protocol::Http) => agreed,
            _ = stopped.changed() => return,
        }
    };
    match agreed {
        Ok(stream) => connection(app, router, stream, peer, stopped).await,
        Err(error) => tracing::debug!(%error, "a TLS handshake failed"),
    }
}

async fn connection(
    app: AppState,
    router: Router,
    stream: impl AsyncRead + AsyncWrite + Unpin,
    peer: Option<PeerAddress>,
    mut stopped: watch::Receiver<()>,
) {
    let _up = Up::new(&app.metrics.connections);
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(app.config.header_read_timeout)
        .max_headers(app.config.headers_max)
        .max_header_size(app.config.header_bytes_max);
    let stream = Patient::new(stream, app.config.patience);
    let id = app.gate.engine().new_connection();
    let seat = ConnectionSeat::default();
    let router = router.map_request(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(id);
        request.extensions_mut().insert(seat.clone());
        if let Some(peer) = peer {
            request.extensions_mut().insert(peer);
        }
        request
    });
    let served = builder.serve_connection(TokioIo::new(stream), TowerToHyperService::new(router));
    let mut served = pin!(served);
    let outcome = tokio::select! {
        outcome = &mut served => outcome,
        _ = stopped.changed() => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = outcome {
        tracing::debug!(%error, "a connection ended early");
    }
}

/// Tells a client that there are too many, without waiting for it.
fn turn_away(app: &AppState, try_write: impl FnOnce(&[u8]) -> io::Result<usize>) {
    app.metrics.connections_refused.add(1);
    // The buffer of a fresh socket holds this; a client that is gone already needs no answer.
    let _ = try_write(TURNED_AWAY);
}

/// Running out of file descriptors ends only when connections end; until then, trying is idle heat.
async fn pause_after(error: &io::Error) {
    tracing::warn!(%error, "could not accept a connection");
    sleep(Duration::from_millis(50)).await;
}

async fn drain(connections: &mut JoinSet<()>, within: Duration) -> Drained {
    let all_done = async { while connections.join_next().await.is_some() {} };
    if timeout(within, all_done).await.is_ok() {
        return Drained::Clean;
    }
    let left = connections.len();
    connections.shutdown().await;
    Drained::Cut { connections: left }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fixed_answer_announces_its_own_length() {
        let text = std::str::from_utf8(TURNED_AWAY).expect("it is text");
        let (head, body) = text.split_once("\r\n\r\n").expect("it has a body");
        assert!(head.contains(&format!("content-length: {}", body.len())), "{} bytes", body.len());
        assert!(serde_json::from_str::<serde_json::Value>(body).is_ok());
    }
}
