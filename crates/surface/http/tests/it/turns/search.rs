//! Searches over HTTP.

use serde_json::{Value, json};

use super::filters::{ids, say};
use super::{append, context, fork, json, refused, turn};
use crate::client::get;
use crate::server::Server;

fn encoded(query: &str) -> String {
    query.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

#[tokio::test]
async fn searches_are_right_after_appends_and_forks() {
    let server = Server::start().await;
    let addr = server.addr;
    say(addr, "Agent", "env=prod", "svc", 7).await;
    say(addr, "agent", "env=dev", "svc", 1).await;
    context(addr).await;
    turn(addr, "1", b"\x80").await;
    fork(addr, "{\"base_turn_id\": 1}").await;
    for (query, expected) in [
        ("tag = 'agent'", vec![2]),
        ("tag ~= 'AGENT'", vec![4, 2, 1]),
        ("tag ^~= 'AG' AND NOT id = 4", vec![2, 1]),
        ("label = \"env=prod\"", vec![4, 1]),
        ("label IN ('env=dev', 'env=prod')", vec![4, 2, 1]),
        ("depth > 0", vec![1]),
        ("depth = 0", vec![4, 3, 2]),
        ("tag != 'agent'", vec![4, 3, 1]),
        ("parent = 7 OR id = 3", vec![4, 3, 1]),
        ("service = 'svc' AND trace_id = 't-1' AND id IN (1, 2)", vec![2, 1]),
        ("created >= '-1m' AND created <= 1700000000000", vec![4, 3, 2, 1]),
        ("is_live = true", vec![]),
        ("is_live = false AND id != 1", vec![4, 3, 2]),
        ("NOT NOT tag = 'agent'", vec![2]),
    ] {
        let found = json(addr, &format!("/v1/contexts/search?q={}", encoded(query))).await;
        assert_eq!(
            (ids(&found), &found["total_count"]),
            (expected.clone(), &json!(expected.len())),
            "{query}"
        );
        assert_eq!((&found["query"], &found["truncated"]), (&json!(query), &json!(false)));
    }
    // What is appended later is found at once.
    append(addr, "3", "type_id=t&parent_turn_id=2", "", b"\x80").await;
    let found = json(addr, "/v1/contexts/search?q=tag%3D'agent'&limit=1").await;
    assert_eq!(
        (ids(&found), &found["total_count"], &found["next_before"]),
        (vec![3], &json!(2), &json!("3"))
    );
    assert_eq!(found["contexts"][0]["title"], "A title");
    assert!(found["elapsed_ms"].is_u64());
    let rest = json(addr, "/v1/contexts/search?q=tag%3D'agent'&limit=1&before=3").await;
    assert_eq!((ids(&rest), &rest["next_before"]), (vec![2], &Value::Null));
}

#[tokio::test]
async fn what_is_wrong_with_a_query_is_said_with_its_place() {
    let server = Server::start().await;
    let addr = server.addr;
    for query in ["", "q=", "q=%20", "q=tag%3D'x'&limit=0", "q=tag%3D'x'&limit=1001", "q=tag%3D'x'&before=x"]
    {
        refused(addr, &format!("/v1/contexts/search?{query}"), (422, "InvalidRequest")).await;
    }
    let answer = get(addr, &format!("/v1/contexts/search?q={}", encoded("tag = 'x'\nAND Tag = 'y'"))).await;
    assert_eq!(answer.error(), (422, "InvalidRequest".to_owned()));
    let details = &answer.json()["error"]["details"];
    assert_eq!((&details["error_type"], &details["field"]), (&json!("UnknownField"), &json!("Tag")));
    assert_eq!(details["position"], json!({"line": 2, "column": 5, "offset": 14}));
    let answer = get(addr, &format!("/v1/contexts/search?q={}", "(".repeat(20_000))).await;
    assert_eq!(answer.error(), (422, "InvalidRequest".to_owned()), "and the server still stands");
    assert_eq!(answer.json()["error"]["details"]["error_type"], "SyntaxError");
    assert_eq!(get(addr, "/healthz").await.status, 200);
}
