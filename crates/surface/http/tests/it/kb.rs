//! `/v1/kb`: the requirements KB, as programs and the client of the program use it.

mod branches;
mod concurrent;
mod errors;
mod sparql;
mod sync;
mod tools;

use std::time::Duration;

use cairn_http::Client;
use cairn_kb::tools::UpsertInput;
use serde_json::{Value, json};

use crate::client::{post, send};
use crate::server::Server;

/// A caller over the socket of the owner.
async fn client(server: &Server) -> Client {
    Client::over(server.local().await, Duration::from_secs(60)).await.expect("it connects")
}

/// A server where the branch `main` of `shop` has a requirement and its scenario.
async fn with_main() -> Server {
    let server = Server::start().await;
    let mut client = client(&server).await;
    client.kb_ensure("shop", "main", None, &mut |_| {}).await.expect("it is created");
    for input in [scenario(), requirement()] {
        client.kb_upsert("shop", "main", &input).await.expect("it is stored");
    }
    server
}

fn upsert(input: Value) -> UpsertInput {
    serde_json::from_value(input).expect("an input")
}

fn scenario() -> UpsertInput {
    upsert(json!({"type": "scenario", "id": "SCEN-1",
        "properties": {"title": "An idle session ends", "status": "active", "source": "docs/auth.md"}}))
}

fn requirement() -> UpsertInput {
    upsert(json!({"type": "req", "id": "REQ-1",
        "properties": {"title": "Sessions expire", "status": "open", "priority": "must", "source": "docs/auth.md",
            "body": "After **thirty** minutes."},
        "relationships": [{"type": "specified_by", "from": "REQ-1", "to": "SCEN-1"}]}))
}

/// Calls a tool of the branch `main`, which succeeds.
async fn tool(server: &Server, name: &str, input: Value) -> Value {
    let answer = post(server.addr, &format!("/v1/kb/shop/main/{name}"), &input.to_string()).await;
    assert_eq!(answer.status, 200, "{name} {input}: {answer:?}");
    answer.json()
}

/// The last line of the answer to a PUT.
async fn put(server: &Server, path: &str) -> Value {
    let answer = send(server.addr, &format!("PUT {path}"), "", b"").await;
    assert_eq!(answer.status, 200, "{path}: {answer:?}");
    assert_eq!(answer.header("content-type"), Some("application/x-ndjson"));
    // Between the lines stand the lengths of pieces of the answer.
    let last = answer.body.lines().rfind(|line| line.starts_with('{')).expect("a line");
    serde_json::from_str(last).expect("JSON")
}
