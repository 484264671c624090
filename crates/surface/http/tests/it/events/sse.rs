//! A reader of event streams.

use std::net::SocketAddr;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, AsyncRead, AsyncReadExt, AsyncWrite, AsyncWriteExt, BufReader};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::timeout;

use crate::client::request;

/// Longer than anything here takes, by any clock: heartbeats come more often.
const LONG: Duration = Duration::from_secs(300);

/// One block of a stream.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Block {
    pub(crate) event: String,
    pub(crate) id: Option<String>,
    pub(crate) data: String,
    pub(crate) comment: Option<String>,
}

impl Block {
    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    /// The event and a field of its data.
    pub(crate) fn short(&self, field: &str) -> String {
        format!("{} {}", self.event, self.json()[field].as_str().unwrap_or("-"))
    }
}

/// An open stream.
pub(crate) struct Events<S = TcpStream> {
    stream: BufReader<S>,
    pub(crate) head: String,
    /// What came and was not taken yet.
    text: String,
    /// Whether the stream was greeted, and nothing came since.
    is_fresh: bool,
    /// Whether it was told, right after the greeting, that it may have missed who came and went.
    pub(crate) missed_sessions: bool,
}

/// Opens a stream with `extra` header lines, each ending in CRLF.
pub(crate) async fn open(addr: SocketAddr, path: &str, extra: &str) -> Events {
    let stream = TcpStream::connect(addr).await.expect("the server accepts");
    Events::over(stream, path, extra).await
}

/// A stream that holds little of what its client does not read.
pub(crate) async fn open_narrow(addr: SocketAddr, path: &str) -> Events {
    let socket = TcpSocket::new_v4().expect("a socket");
    socket.set_recv_buffer_size(4096).expect("it is small");
    Events::over(socket.connect(addr).await.expect("the server accepts"), path, "").await
}

/// The status and the code of a request that is refused; one that is not would go on for ever.
pub(crate) async fn refused(addr: SocketAddr, path: &str, extra: &str) -> (u16, String) {
    let answer = timeout(LONG, request(addr, &format!("GET {path}"), extra)).await;
    answer.expect("it is refused").error()
}

impl<S: AsyncRead + AsyncWrite + Unpin> Events<S> {
    pub(crate) async fn over(mut stream: S, path: &str, extra: &str) -> Self {
        let head = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n{extra}\r\n");
        stream.write_all(head.as_bytes()).await.expect("it is sent");
        let mut stream = BufReader::new(stream);
        let mut head = String::new();
        while !head.ends_with("\r\n\r\n") {
            let read = timeout(LONG, stream.read_line(&mut head)).await.expect("in time").expect("a head");
            assert!(read > 0, "the head ends early: {head}");
        }
        Events {
            stream,
            head: head.to_lowercase(),
            text: String::new(),
            is_fresh: false,
            missed_sessions: false,
        }
    }

    /// The next block; `None` when the stream ended in order. What a stream that goes on is told of sessions
    /// is noted and passed over: it is in no history.
    pub(crate) async fn try_next(&mut self) -> Option<Block> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let block = parse(block);
                self.text = rest.to_owned();
                let is_first = std::mem::replace(&mut self.is_fresh, block.event == "connected");
                if is_first && block.event == "reset" && block.short("reason") == "reset sessions_missed" {
                    self.missed_sessions = true;
                    continue;
                }
                return Some(block);
            }
            let chunk = timeout(LONG, self.chunk()).await.expect("something comes in time");
            if chunk.is_empty() {
                assert_eq!(self.text, "", "it ends between events");
                return None;
            }
            self.text.push_str(&chunk);
        }
    }

    pub(crate) async fn next(&mut self) -> Block {
        self.try_next().await.expect("the stream goes on")
    }

    /// So many events, one soon after the other.
    pub(crate) async fn take(&mut self, count: usize) -> Vec<Block> {
        let mut taken = Vec::new();
        while taken.len() < count {
            let block = self.next().await;
            assert_eq!(block.comment, None, "nothing happens for long, after {taken:?}");
            taken.push(block);
        }
        taken
    }

    /// One chunk of the body; empty at its end.
    async fn chunk(&mut self) -> String {
        let mut size = String::new();
        self.stream.read_line(&mut size).await.expect("the size of a chunk");
        let size = usize::from_str_radix(size.trim(), 16).unwrap_or_else(|_| panic!("cut: {size:?}"));
        let mut bytes = vec![0; size + 2];
        self.stream.read_exact(&mut bytes).await.expect("a chunk");
        bytes.truncate(size);
        String::from_utf8(bytes).expect("events are text")
    }
}

fn parse(text: &str) -> Block {
    let mut block = Block::default();
    for line in text.lines() {
        match line.split_once(':').expect("every line has a colon") {
            ("", comment) => block.comment = Some(comment.to_owned()),
            ("event", name) => block.event = name.trim().to_owned(),
            ("id", id) => block.id = Some(id.trim().to_owned()),
            ("data", data) => block.data = data.trim().to_owned(),
            other => panic!("{other:?}"),
        }
    }
    block
}
