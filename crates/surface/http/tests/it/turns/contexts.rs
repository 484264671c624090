//! Making, forking and listing contexts.

use serde_json::Value;

use super::{context, fork, json, refused, text, turn};
use crate::client::{post, send};
use crate::server::Server;

#[tokio::test]
async fn a_context_is_made_and_read_back() {
    let server = Server::start().await;
    let made = post(server.addr, "/v1/contexts", "{}").await;
    assert_eq!(made.status, 201);
    insta::assert_snapshot!("context", format!("{:#}", made.json()));
    assert_eq!(json(server.addr, "/v1/contexts/1").await, made.json());
    turn(server.addr, "1", b"\x81\x01\xa2hi").await;
    let read = json(server.addr, "/v1/contexts/1").await;
    assert_eq!((text(&read, "head_turn_id"), read["head_depth"].as_u64()), ("1".into(), Some(0)));
}

#[tokio::test]
async fn forks_take_numbers_as_text_and_as_numbers() {
    let server = Server::start().await;
    let addr = server.addr;
    context(addr).await;
    let first = turn(addr, "1", b"\xc0").await;
    turn(addr, "1", b"\xc0").await;
    for (path, body) in [
        ("/v1/contexts", format!("{{\"base_turn_id\": \"{first}\"}}")),
        ("/v1/contexts/create", format!("{{\"base_turn_id\": {first}}}")),
        ("/v1/contexts/fork", format!("{{\"base_turn_id\": {first}}}")),
    ] {
        let forked = post(addr, path, &body).await;
        assert_eq!(forked.status, 201, "{path}: {forked:?}");
        let forked = forked.json();
        assert_eq!(
            (text(&forked, "head_turn_id"), text(&forked, "base_turn_id")),
            (first.clone(), first.clone())
        );
    }
    for body in ["{}", "{\"base_turn_id\": null}", "{\"base_turn_id\": 0}", "{\"base_turn_id\": \"0\"}"] {
        assert_eq!(post(addr, "/v1/contexts/create", body).await.json()["head_turn_id"], "0", "{body}");
        assert_eq!(fork(addr, body).await.error(), (422, "InvalidRequest".to_owned()), "{body}");
    }
}

#[tokio::test]
async fn what_makes_no_sense_makes_no_context() {
    let server = Server::start().await;
    let addr = server.addr;
    for (body, code) in [
        ("{\"base_turn_id\": 7}", (404, "NotFound")),
        ("{\"base_turn_id\": \"18446744073709551615\"}", (404, "NotFound")),
        ("{\"base_turn_id\": \"18446744073709551616\"}", (422, "InvalidRequest")),
        ("{\"base_turn_id\": -1}", (422, "InvalidRequest")),
        ("{\"base_turn_id\": 1.0}", (422, "InvalidRequest")),
        ("{\"base_turn_id\": \"x\"}", (422, "InvalidRequest")),
        ("{\"base_turn_id\": [1]}", (422, "InvalidRequest")),
        ("{\"base_turn\": 1}", (422, "InvalidRequest")),
        ("[]", (422, "InvalidRequest")),
        ("{", (400, "MalformedJson")),
    ] {
        for path in ["/v1/contexts", "/v1/contexts/create", "/v1/contexts/fork"] {
            let answer = post(addr, path, body).await;
            assert_eq!(answer.error(), (code.0, code.1.to_owned()), "{path} {body}: {answer:?}");
        }
    }
    let form =
        send(addr, "POST /v1/contexts", "content-type: application/x-www-form-urlencoded\r\n", b"{}").await;
    assert_eq!(form.error(), (415, "UnsupportedMediaType".to_owned()));
    assert_eq!(json(addr, "/v1/contexts").await["count"], 0);
}

#[tokio::test]
async fn lists_are_paged_newest_first() {
    let server = Server::start().await;
    let addr = server.addr;
    assert_eq!(
        json(addr, "/v1/contexts").await,
        serde_json::json!({
            "contexts": [], "count": 0, "next_before": null, "active_sessions": [], "active_tags": []
        })
    );
    for _ in 0..25 {
        context(addr).await;
    }
    let default = json(addr, "/v1/contexts").await;
    assert_eq!((default["count"].as_u64(), default["next_before"].as_str()), (Some(20), Some("6")));
    let all = json(addr, "/v1/contexts?limit=25").await;
    assert_eq!((all["count"].as_u64(), &all["next_before"]), (Some(25), &Value::Null));

    let (mut seen, mut before) = (Vec::new(), String::new());
    loop {
        let page = json(addr, &format!("/v1/contexts?limit=4{before}")).await;
        let contexts = page["contexts"].as_array().expect("a list");
        seen.extend(
            contexts.iter().map(|context| text(context, "context_id").parse::<u64>().expect("a number")),
        );
        // What is made meanwhile moves no page.
        context(addr).await;
        let Some(next) = page["next_before"].as_str() else { break };
        before = format!("&before={next}");
    }
    assert_eq!(seen, (1..=25).rev().collect::<Vec<_>>());
}

#[tokio::test]
async fn parameters_are_checked() {
    let server = Server::start().await;
    context(server.addr).await;
    for query in [
        "limit=0",
        "limit=1001",
        "limit=x",
        "limit=",
        "limit=-1",
        "limit=1&limit=2",
        "before=x",
        "before=1.5",
    ] {
        refused(server.addr, &format!("/v1/contexts?{query}"), (422, "InvalidRequest")).await;
    }
    assert_eq!(json(server.addr, "/v1/contexts?limit=1000&before=18446744073709551615").await["count"], 1);
    for (id, code) in [
        ("0", (404, "NotFound")),
        ("2", (404, "NotFound")),
        ("18446744073709551615", (404, "NotFound")),
        ("18446744073709551616", (422, "InvalidRequest")),
        ("-1", (422, "InvalidRequest")),
        ("x", (422, "InvalidRequest")),
        ("%FF", (422, "InvalidRequest")),
        ("1%20", (422, "InvalidRequest")),
    ] {
        refused(server.addr, &format!("/v1/contexts/{id}"), code).await;
        refused(server.addr, &format!("/v1/contexts/{id}/turns"), code).await;
    }
    assert_eq!(json(server.addr, "/v1/contexts/%31").await["context_id"], "1", "percent signs are decoded");
}

async fn active(addr: std::net::SocketAddr, query: &str) -> (Vec<u64>, Value) {
    let page = json(addr, &format!("/v1/contexts?sort=activity{query}")).await;
    (super::filters::ids(&page), page)
}

#[tokio::test]
async fn contexts_are_listed_by_their_last_activity() {
    let server = Server::start().await;
    let addr = server.addr;
    let (none, empty) = active(addr, "").await;
    assert_eq!((none.len(), &empty["next_cursor"], &empty["next_before"]), (0, &Value::Null, &Value::Null));
    for _ in 0..5 {
        context(addr).await;
        server.clock.advance(std::time::Duration::from_millis(1));
    }
    assert_eq!(active(addr, "").await.0, [5, 4, 3, 2, 1], "one that is empty was active when it was made");
    for id in ["2", "4", "1"] {
        turn(addr, id, b"\x80").await;
        server.clock.advance(std::time::Duration::from_millis(1));
    }
    assert_eq!(active(addr, "").await.0, [1, 4, 2, 5, 3]);
    let created: Vec<_> = super::filters::ids(&json(addr, "/v1/contexts").await);
    assert_eq!(created, [5, 4, 3, 2, 1], "the default order stays");

    // In pages, between which one of the last becomes active: it is at the front, and nothing comes twice.
    let (first, page) = active(addr, "&limit=2").await;
    assert_eq!((first, page["count"].as_u64(), page.get("truncated")), (vec![1, 4], Some(2), None));
    turn(addr, "3", b"\x80").await;
    let cursor = text(&page, "next_cursor");
    let (second, page) = active(addr, &format!("&limit=2&cursor={cursor}")).await;
    assert_eq!((second, &page["next_cursor"]), (vec![2, 5], &Value::Null));
    assert_eq!(active(addr, "&limit=1").await.0, [3]);

    // Of the same moment the newest comes first, and a fork is active when it is made.
    assert_eq!(fork(addr, "{\"base_turn_id\": 1}").await.status, 201);
    assert_eq!(active(addr, "&limit=3").await.0, [6, 3, 1]);
    // What was pruned is not listed, and takes nothing away from a page.
    let pruned = post(addr, "/v1/admin/prune", r#"{"contexts":["3","1"],"apply":true}"#).await;
    assert_eq!(pruned.status, 200, "{pruned:?}");
    assert_eq!(active(addr, "&limit=2").await.0, [6, 4]);
    assert_eq!(active(addr, "").await.0, [6, 4, 2, 5]);
    for query in [
        "sort=x",
        "sort=",
        "sort=activity&before=3",
        "cursor=1-1",
        "sort=created&cursor=1-1",
        "sort=activity&cursor=x",
        "sort=activity&cursor=",
        "sort=activity&cursor=1",
        "sort=activity&limit=0",
    ] {
        refused(addr, &format!("/v1/contexts?{query}"), (422, "InvalidRequest")).await;
    }
    assert_eq!(active(addr, "&cursor=0-0").await.0, [0; 0]);
    assert_eq!(active(addr, "&cursor=18446744073709551615-18446744073709551615").await.0.len(), 4);
}
