//! Liveness of the owner of a data directory.
//!
//! The kernel accepts connections and requests for a process that is stopped (SIGSTOP, a debugger, a frozen
//! container) or hangs; no response ever comes. While a call is under way, the owner is probed on another
//! connection (`GET /healthz`, which a server serves under any load).

use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use cairn_http::Client;
use tokio::time::{sleep, timeout};

use crate::socket;

/// Interval between probes, and the time before the first one. Most calls end before that.
const PROBE_EVERY: Duration = Duration::from_secs(1);
/// Timeout of a probe. With [`PROBE_EVERY`] it adds up to the five seconds after which a command gives up.
const ANSWER_WITHIN: Duration = Duration::from_secs(4);
/// Interval between attempts to connect while the backlog of the socket is full.
const TRY_EVERY: Duration = Duration::from_millis(20);

/// Returns when the owner of a data directory stops responding. Does not return while it responds, nor when it
/// is gone: then the connection of the call ends.
pub(crate) async fn begins(dir: &Path) {
    loop {
        sleep(PROBE_EVERY).await;
        if !is_responding(dir).await {
            return;
        }
    }
}

/// Returns whether the owner of a data directory responds, or there is none.
pub(crate) async fn is_responding(dir: &Path) -> bool {
    timeout(ANSWER_WITHIN, probe(dir)).await.is_ok()
}

/// Returns when the owner has responded or is gone.
async fn probe(dir: &Path) {
    let stream = loop {
        match socket::connect(dir).await {
            Ok(stream) => break stream,
            // The backlog is full of connections that the owner has not accepted.
            Err(error) if error.kind() == ErrorKind::WouldBlock => sleep(TRY_EVERY).await,
            Err(_) => return,
        }
    };
    if let Ok(mut client) = Client::over(stream, ANSWER_WITHIN * 2).await {
        // An error response and a closed connection are signs of life, too.
        let _ = client.probe().await;
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt};
    use tokio::net::UnixListener;

    use super::*;

    /// What an owner does with those who ask.
    #[derive(Clone, Copy)]
    enum Does {
        Nothing,
        Answer(&'static str),
        HangUp,
    }

    async fn play(listener: UnixListener, does: Does) {
        let mut taken = Vec::new();
        loop {
            let (mut stream, _) = listener.accept().await.expect("somebody comes");
            match does {
                Does::Nothing => taken.push(stream),
                Does::Answer(status) => {
                    let mut asked = [0; 16];
                    stream.read_exact(&mut asked).await.expect("it asks");
                    assert!(asked.starts_with(b"GET /healthz"), "{asked:?}");
                    let head = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\n\r\n");
                    stream.write_all(head.as_bytes()).await.expect("it listens");
                }
                Does::HangUp => drop(stream),
            }
        }
    }

    /// Where nothing happens, time passes at once.
    #[tokio::test(start_paused = true)]
    async fn an_owner_is_silent_when_it_neither_answers_nor_goes() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let socket = dir.path().join("cairn.sock");
        assert!(is_responding(dir.path()).await, "nobody is there");
        for (does, expected) in [
            (Does::Answer("200 OK"), true),
            (Does::Answer("503 Service Unavailable"), true),
            (Does::HangUp, true),
            (Does::Nothing, false),
        ] {
            let played = tokio::spawn(play(UnixListener::bind(&socket).expect("a socket"), does));
            assert_eq!(is_responding(dir.path()).await, expected);
            played.abort();
            std::fs::remove_file(&socket).expect("it was there");
        }
        let stopped = UnixListener::bind(&socket).expect("a socket");
        begins(dir.path()).await;
        drop(stopped);
    }
}
