//! Connections: accepting, limiting and draining them.

use std::io;
use std::pin::pin;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use crate::App;
use crate::app::AppState;
use crate::metrics::Up;

/// What a connection over the limit is told; it is too early for a request id and a log line.
const TURNED_AWAY: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\n\
    content-type: application/json\r\ncontent-length: 126\r\n\r\n\
    {\"error\":{\"code\":\"overloaded\",\"message\":\"too many connections\",\
    \"details\":{\"hint\":\"wait a moment and send the request again\"}}}";

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

/// Serves until `shutdown` completes, then accepts nothing more and lets what is under way finish.
pub async fn serve(listener: TcpListener, app: App, shutdown: impl Future<Output = ()>) -> Drained {
    let state = app.state.clone();
    let router = app.into_router();
    let (stop, stopped) = watch::channel(());
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        tokio::select! {
            biased;
            () = &mut shutdown => break,
            Some(_) = connections.join_next() => {}
            accepted = listener.accept() => match accepted {
                Ok((stream, _)) if connections.len() >= state.config.connections_max => turn_away(&state, &stream),
                Ok((stream, _)) => {
                    connections.spawn(connection(state.clone(), router.clone(), stream, stopped.clone()));
                }
                Err(error) => pause_after(&error).await,
            },
        }
    }
    drop((listener, stopped));
    // Every connection holds a receiver and sees the sender go.
    drop(stop);
    drain(&mut connections, state.config.drain).await
}

async fn connection(app: AppState, router: Router, stream: TcpStream, mut stopped: watch::Receiver<()>) {
    let _up = Up::new(&app.metrics.connections);
    if let Err(error) = stream.set_nodelay(true) {
        tracing::debug!(%error, "a connection went away at once");
        return;
    }
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(app.config.header_read_timeout)
        .max_headers(app.config.headers_max)
        .max_header_size(app.config.header_bytes_max);
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
fn turn_away(app: &AppState, stream: &TcpStream) {
    app.metrics.connections_refused.add(1);
    // The buffer of a fresh socket holds this; a client that is gone already needs no answer.
    let _ = stream.try_write(TURNED_AWAY);
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
