//! Requests as bytes, so that wrong ones can be sent too.

use std::net::SocketAddr;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// An answer, taken apart.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(String, String)>,
    /// The body, as far as it is text.
    pub(crate) body: String,
    pub(crate) bytes: Vec<u8>,
}

impl Answer {
    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error} in {self:?}"))
    }

    /// Status, code, and the whole body for snapshots.
    pub(crate) fn error(&self) -> (u16, String) {
        (self.status, self.json()["error"]["code"].as_str().unwrap_or("none").to_owned())
    }
}

/// Sends bytes on a connection of its own and reads until the server closes.
pub(crate) async fn exchange(addr: SocketAddr, bytes: &str) -> Answer {
    exchange_bytes(addr, bytes.as_bytes()).await
}

async fn exchange_bytes(addr: SocketAddr, bytes: &[u8]) -> Answer {
    let mut stream = TcpStream::connect(addr).await.expect("the server accepts");
    // A server that refuses a body may stop reading it; what it says is what counts.
    let _ = stream.write_all(bytes).await;
    read_to_end(&mut stream).await
}

/// A request with `extra` header lines (each ending in CRLF) and a body of bytes.
pub(crate) async fn send(addr: SocketAddr, line: &str, extra: &str, body: &[u8]) -> Answer {
    let head = format!(
        "{line} HTTP/1.1\r\nhost: {addr}\r\nconnection: close\r\n{extra}content-length: {}\r\n\r\n",
        body.len()
    );
    exchange_bytes(addr, &[head.as_bytes(), body].concat()).await
}

/// A request with `extra` header lines (each ending in CRLF) and no body.
pub(crate) async fn request(addr: SocketAddr, line: &str, extra: &str) -> Answer {
    let head = format!("{line} HTTP/1.1\r\nhost: {addr}\r\nconnection: close\r\n{extra}\r\n");
    exchange(addr, &head).await
}

pub(crate) async fn get(addr: SocketAddr, path: &str) -> Answer {
    request(addr, &format!("GET {path}"), "").await
}

/// A POST of JSON.
pub(crate) async fn post(addr: SocketAddr, path: &str, body: &str) -> Answer {
    let head = format!(
        "POST {path} HTTP/1.1\r\nhost: {addr}\r\nconnection: close\r\ncontent-type: application/json\r\n\
         content-length: {}\r\n\r\n",
        body.len()
    );
    exchange(addr, &(head + body)).await
}

pub(crate) async fn read_to_end(stream: &mut TcpStream) -> Answer {
    let mut bytes = Vec::new();
    // A server that refuses a body may close with bytes unread; what it said first still counts.
    let ended = stream.read_to_end(&mut bytes).await;
    assert!(ended.is_ok() || !bytes.is_empty(), "no answer: {ended:?}");
    parse(&bytes)
}

fn parse(answer: &[u8]) -> Answer {
    let text = String::from_utf8_lossy(answer);
    let end = answer.windows(4).position(|end| end == b"\r\n\r\n");
    let end = end.unwrap_or_else(|| panic!("no head in {text:?}"));
    let head = std::str::from_utf8(&answer[..end]).expect("a head is text");
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok());
    let header = |line: &str| {
        let (name, value) = line.split_once(": ").expect("a header has a colon");
        (name.to_lowercase(), value.to_owned())
    };
    let bytes = answer[end + 4..].to_vec();
    Answer {
        status: status.unwrap_or_else(|| panic!("no status in {text:?}")),
        headers: lines.map(header).collect(),
        body: String::from_utf8_lossy(&bytes).into_owned(),
        bytes,
    }
}
