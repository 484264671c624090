//! What a context was forked from, and what from it.

use serde_json::{Value, json};

use super::{context, fork, json, refused, text, turn};
use crate::server::Server;

#[tokio::test]
async fn forks_and_parents_are_told_in_pages() {
    let server = Server::start().await;
    let addr = server.addr;
    context(addr).await;
    turn(addr, "1", b"\xc0").await;
    let second = turn(addr, "1", b"\xc0").await;
    for _ in 0..3 {
        fork(addr, &format!("{{\"base_turn_id\": {second}}}")).await;
    }
    let deeper = turn(addr, "3", b"\xc0").await;
    fork(addr, &format!("{{\"base_turn_id\": {deeper}}}")).await;

    let root = json(addr, "/v1/contexts/1/tree?limit=2").await;
    assert_eq!((text(&root["context"], "context_id"), &root["parent"]), ("1".into(), &Value::Null));
    let row = |id: &str, head: &str, depth: u32| json!({"context_id": id, "base_turn_id": "2", "base_depth": 1, "head_turn_id": head, "head_depth": depth});
    assert_eq!(root["forks"], json!([row("4", "2", 1), row("3", "3", 2)]));
    assert_eq!(root["next_before"], "3");
    let rest = json(addr, "/v1/contexts/1/tree?limit=2&before=3").await;
    assert_eq!((&rest["forks"], &rest["next_before"]), (&json!([row("2", "2", 1)]), &Value::Null));

    let leaf = json(addr, "/v1/contexts/5/tree").await;
    let parent =
        |id: &str, base: &str, depth: u32| json!({"context_id": id, "base_turn_id": base, "depth": depth});
    assert_eq!(leaf["parent"], parent("3", "3", 2));
    assert_eq!(leaf["parents"], json!([parent("3", "3", 2), parent("1", "2", 1)]));
    assert_eq!(leaf["forks"], json!([]));
    refused(addr, "/v1/contexts/9/tree", (404, "NotFound")).await;
    refused(addr, "/v1/contexts/1/tree?limit=0", (422, "InvalidRequest")).await;
    refused(addr, "/v1/contexts/1/tree?before=x", (422, "InvalidRequest")).await;
}
