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
    pub(crate) body: String,
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
    let mut stream = TcpStream::connect(addr).await.expect("the server accepts");
    stream.write_all(bytes.as_bytes()).await.expect("the server reads");
    read_to_end(&mut stream).await
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
    parse(&String::from_utf8(bytes).expect("answers are text"))
}

fn parse(text: &str) -> Answer {
    let (head, body) = text.split_once("\r\n\r\n").unwrap_or_else(|| panic!("no head in {text:?}"));
    let mut lines = head.lines();
    let status = lines.next().and_then(|line| line.split(' ').nth(1)).and_then(|status| status.parse().ok());
    let header = |line: &str| {
        let (name, value) = line.split_once(": ").expect("a header has a colon");
        (name.to_lowercase(), value.to_owned())
    };
    Answer {
        status: status.unwrap_or_else(|| panic!("no status in {text:?}")),
        headers: lines.map(header).collect(),
        body: body.to_owned(),
    }
}
