//! Noticing an owner that is there and does nothing.
//!
//! The system accepts connections for a process that is stopped (SIGSTOP, a debugger, a frozen container) or
//! hangs, and takes requests for it; they are never answered. So while a call is under way the owner is asked
//! on another connection whether it is alive, which a server answers whatever else it has to do.

use std::io::ErrorKind;
use std::path::Path;
use std::time::Duration;

use cairn_http::Client;
use tokio::time::{sleep, timeout};

use crate::socket;

/// How long a call is under way before the owner is asked, and how often it is asked again. Most calls are
/// done before that.
const ASK_EVERY: Duration = Duration::from_secs(1);
/// How long the owner has to answer. Together with [`ASK_EVERY`] these are the five seconds after which a
/// command gives up.
const ANSWER_WITHIN: Duration = Duration::from_secs(4);
/// How often a socket that takes no more callers is tried.
const TRY_EVERY: Duration = Duration::from_millis(20);

/// Returns when the owner of a data directory has stopped to answer. Never returns while it answers, nor when
/// it is gone: that ends the connection of the call.
pub(crate) async fn begins(dir: &Path) {
    loop {
        sleep(ASK_EVERY).await;
        if !is_answering(dir).await {
            return;
        }
    }
}

/// Whether the owner of a data directory answers, or there is none.
pub(crate) async fn is_answering(dir: &Path) -> bool {
    timeout(ANSWER_WITHIN, ask(dir)).await.is_ok()
}

/// Returns when the owner has answered or is gone.
async fn ask(dir: &Path) {
    let stream = loop {
        match socket::connect(dir).await {
            Ok(stream) => break stream,
            // Callers that it does not take wait already.
            Err(error) if error.kind() == ErrorKind::WouldBlock => sleep(TRY_EVERY).await,
            Err(_) => return,
        }
    };
    if let Ok(mut client) = Client::over(stream, ANSWER_WITHIN * 2).await {
        // Whatever it says, and also when it hangs up: it is not silent.
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
        assert!(is_answering(dir.path()).await, "nobody is there");
        for (does, expected) in [
            (Does::Answer("200 OK"), true),
            (Does::Answer("503 Service Unavailable"), true),
            (Does::HangUp, true),
            (Does::Nothing, false),
        ] {
            let played = tokio::spawn(play(UnixListener::bind(&socket).expect("a socket"), does));
            assert_eq!(is_answering(dir.path()).await, expected);
            played.abort();
            std::fs::remove_file(&socket).expect("it was there");
        }
        let stopped = UnixListener::bind(&socket).expect("a socket");
        begins(dir.path()).await;
        drop(stopped);
    }
}
