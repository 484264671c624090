//! Turns over HTTP.

mod append;
mod blobs;
mod bulk;
mod contexts;
mod filters;
mod forks;
mod pages;
mod pressure;
mod search;
mod trees;
mod typed;
mod unreadable;

use std::net::SocketAddr;

use serde_json::Value;

use crate::client::{Answer, get, post, send};

pub(crate) const MSGPACK: &str = "content-type: application/msgpack\r\n";

/// Makes an empty context and says its number.
async fn context(addr: SocketAddr) -> String {
    let made = send(addr, "POST /v1/contexts", "", b"").await;
    assert_eq!(made.status, 201, "{made:?}");
    text(&made.json(), "context_id")
}

/// Appends with a query and more headers.
async fn append(addr: SocketAddr, context: &str, query: &str, extra: &str, payload: &[u8]) -> Answer {
    let line = format!("POST /v1/contexts/{context}/turns?{query}");
    send(addr, &line, &format!("{MSGPACK}{extra}"), payload).await
}

/// Appends a payload and says the number of its turn.
async fn turn(addr: SocketAddr, context: &str, payload: &[u8]) -> String {
    let appended = append(addr, context, "type_id=t", "", payload).await;
    assert_eq!(appended.status, 201, "{appended:?}");
    text(&appended.json(), "turn_id")
}

async fn json(addr: SocketAddr, path: &str) -> Value {
    let answer = get(addr, path).await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    answer.json()
}

fn text(object: &Value, name: &str) -> String {
    object[name].as_str().unwrap_or_else(|| panic!("no {name} in {object}")).to_owned()
}

/// The numbers of the turns of a page.
fn numbers(page: &Value) -> Vec<u64> {
    let turns = page["turns"].as_array().expect("a list");
    turns.iter().map(|turn| text(turn, "turn_id").parse().expect("a number")).collect()
}

/// Checks that a request is refused as the code says.
async fn refused(addr: SocketAddr, path: &str, expected: (u16, &str)) {
    let answer = get(addr, path).await;
    assert_eq!(answer.error(), (expected.0, expected.1.to_owned()), "{path}: {answer:?}");
}

async fn fork(addr: SocketAddr, body: &str) -> Answer {
    post(addr, "/v1/contexts/fork", body).await
}
