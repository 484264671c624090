//! Lists of contexts by what their first turns say.

use std::net::SocketAddr;

use cairn_base::{ContextId, TenantId};
use serde_json::{Value, json};

use super::{append, context, fork, json, refused, text, turn};
use crate::server::Server;

/// A first turn with metadata, its keys integers or texts of digits.
fn said(tag: &str, label: &str, service: &str, parent: u8) -> Vec<u8> {
    let text = |text: &str| [&[0xa0 | u8::try_from(text.len()).expect("short")], text.as_bytes()].concat();
    [
        &[0x81][..],
        &text("30"),
        &[0x84, 1],
        &text(tag),
        &text("2"),
        &text("A title"),
        &[3, 0x92],
        &text(label),
        &text("all"),
        &text("10"),
        &[0x83, 1, parent],
        &text("40"),
        &text(service),
        &[10],
        &text("t-1"),
    ]
    .concat()
}

pub(super) async fn say(addr: SocketAddr, tag: &str, label: &str, service: &str, parent: u8) -> String {
    let id = context(addr).await;
    turn(addr, &id, &said(tag, label, service, parent)).await;
    id
}

pub(super) fn ids(page: &Value) -> Vec<u64> {
    let contexts = page["contexts"].as_array().unwrap_or_else(|| panic!("no contexts in {page}"));
    contexts.iter().map(|context| text(context, "context_id").parse().expect("a number")).collect()
}

async fn listed(addr: SocketAddr, query: &str) -> Vec<u64> {
    ids(&json(addr, &format!("/v1/contexts?{query}")).await)
}

#[tokio::test]
async fn every_filter_narrows_the_list_before_it_is_cut() {
    let server = Server::start().await;
    let addr = server.addr;
    say(addr, "one", "env=a b", "svc", 7).await;
    say(addr, "two", "x", "svc", 8).await;
    context(addr).await;
    for _ in 0..30 {
        say(addr, "many", "x", "other", 9).await;
    }
    for (query, expected) in [
        ("tag=one", vec![1]),
        ("client=one", vec![1]),
        ("tag=one&client=one", vec![1]),
        ("tag=two&limit=1", vec![2]),
        ("label=env%3Da+b", vec![1]),
        ("label=all&service=svc", vec![2, 1]),
        ("service=svc", vec![2, 1]),
        ("parent=8", vec![2]),
        ("trace_id=t-1&tag=one", vec![1]),
        ("title=A%20title&tag=two", vec![2]),
        ("title=a%20title", vec![]),
        ("tag=one&service=other", vec![]),
        ("user=x", vec![]),
        ("host=x", vec![]),
        ("root=1", vec![]),
        ("tag=many&limit=2&before=10", vec![9, 8]),
        ("created_after=1699999999999&tag=one", vec![1]),
        ("created_after=1700000000000&tag=one", vec![]),
        ("created_before=1700000000001&tag=one", vec![1]),
        ("created_before=2023-11-14T22:13:20Z&tag=one", vec![]),
        ("created_after=-1h&tag=one", vec![1]),
        ("created_after=2023-11-14&created_before=2023-11-15&tag=one", vec![1]),
    ] {
        assert_eq!(listed(addr, query).await, expected, "{query}");
    }
    let (mut seen, mut before) = (Vec::new(), String::new());
    loop {
        let page = json(addr, &format!("/v1/contexts?tag=many&limit=7{before}")).await;
        seen.extend(ids(&page));
        let Some(next) = page["next_before"].as_str() else { break };
        before = format!("&before={next}");
    }
    assert_eq!(seen, (4..=33).rev().collect::<Vec<_>>());
    for query in [
        "tag=a&client=b",
        "parent=x",
        "created_after=yesterday",
        "created_before=",
        "tag=a&tag=a",
        "include_provenance=2",
    ] {
        refused(addr, &format!("/v1/contexts?{query}"), (422, "InvalidRequest")).await;
    }
}

#[tokio::test]
async fn contexts_say_what_their_first_turns_say() {
    let server = Server::start().await;
    let addr = server.addr;
    say(addr, "agent", "env=prod", "svc", 7).await;
    let one = json(addr, "/v1/contexts/1").await;
    assert_eq!((&one["client_tag"], &one["title"]), (&json!("agent"), &json!("A title")));
    assert_eq!((&one["labels"], one.get("provenance")), (&json!(["env=prod", "all"]), None));

    let with = json(addr, "/v1/contexts?include_provenance=1").await;
    let provenance = &with["contexts"][0]["provenance"];
    assert_eq!((&provenance["parent_context_id"], &provenance["service_name"]), (&json!("7"), &json!("svc")));
    assert_eq!(provenance.as_object().map(|fields| fields.len()), Some(25));

    let forked = fork(addr, "{\"base_turn_id\": 1}").await.json();
    assert_eq!((&forked["client_tag"], &forked["labels"]), (&json!("agent"), &json!(["env=prod", "all"])));
    assert_eq!(listed(addr, "tag=agent").await, [2, 1], "a fork goes on with the same history");

    // Below the first turn of another context it has that one's.
    say(addr, "other", "x", "svc", 7).await;
    let moved = append(addr, "2", "type_id=t&parent_turn_id=2", "", b"\x80").await;
    assert_eq!(moved.status, 201);
    assert_eq!((listed(addr, "tag=agent").await, listed(addr, "tag=other").await), (vec![1], vec![3, 2]));
}

#[tokio::test]
async fn provenance_is_told_of_contexts_that_exist() {
    let server = Server::start().await;
    let addr = server.addr;
    say(addr, "agent", "x", "svc", 7).await;
    context(addr).await;
    insta::assert_snapshot!("provenance", format!("{:#}", json(addr, "/v1/contexts/1/provenance").await));
    assert_eq!(json(addr, "/v1/contexts/2/provenance").await, json!({"context_id": "2", "provenance": null}));
    refused(addr, "/v1/contexts/3/provenance", (404, "NotFound")).await;
    refused(addr, "/v1/contexts/x/provenance", (422, "InvalidRequest")).await;
}

#[tokio::test]
async fn where_a_client_is_stands_in_for_an_address_that_nobody_said() {
    let server = Server::start().await;
    let addr = server.addr;
    let id = say(addr, "one", "x", "svc", 7).await;
    let silent = context(addr).await;
    turn(addr, &silent, b"\x80").await;
    let address = async |id: &str| {
        let alone = json(addr, &format!("/v1/contexts/{id}/provenance")).await["provenance"].clone();
        let listed = json(addr, "/v1/contexts?include_provenance=1").await["contexts"].clone();
        let listed = listed.as_array().expect("a list").iter().find(|context| context["context_id"] == *id);
        assert_eq!(listed.expect("it is listed")["provenance"], alone);
        alone["client_address"].clone()
    };
    assert_eq!(address(&id).await, Value::Null);
    let session = server.gate.engine().open_session(TenantId::LOCAL, Some("127.0.0.1:4242".into()));
    for context in [&id, &silent] {
        session.works_on(ContextId(context.parse().expect("a number")));
    }
    assert_eq!(address(&id).await, "127.0.0.1:4242");
    assert_eq!(address(&silent).await, Value::Null, "there is nothing to stand in for");
    // What was said counts more.
    let stated = context(addr).await;
    turn(addr, &stated, b"\x81\x1e\x81\x0a\x81\x32\xa7far:123").await;
    session.works_on(ContextId(stated.parse().expect("a number")));
    assert_eq!(address(&stated).await, "far:123");
    drop(session);
    assert_eq!(address(&id).await, Value::Null);
}

#[tokio::test]
async fn a_tag_is_what_is_stored_or_else_that_of_the_client_that_works_on_it() {
    let server = Server::start().await;
    let addr = server.addr;
    let stored = say(addr, "agent", "x", "svc", 7).await;
    let elsewhere = say(addr, "other", "x", "svc", 7).await;
    let (silent, empty) = (context(addr).await, context(addr).await);
    turn(addr, &silent, b"\x80").await;
    assert_eq!(listed(addr, "tag=agent").await, [1]);
    let works_on = |tag: &str, contexts: &[&str]| {
        let session = server.gate.engine().open_session(TenantId::LOCAL, None);
        session.hello(tag).expect("a short tag");
        contexts.iter().for_each(|id| session.works_on(ContextId(id.parse().expect("a number"))));
        session
    };
    let agent = works_on("agent", &[&stored, &elsewhere, &silent, &empty]);
    // What the list shows is what is found: a stored tag counts more.
    for query in ["tag=agent", "client=agent", "tag=agent&sort=activity"] {
        let page = json(addr, &format!("/v1/contexts?{query}")).await;
        assert_eq!(ids(&page), [4, 3, 1], "{query}");
        let shown = page["contexts"].as_array().expect("a list");
        assert!(shown.iter().all(|context| context["client_tag"] == "agent"), "{page}");
    }
    assert_eq!(listed(addr, "tag=other").await, [2]);
    assert_eq!(listed(addr, "tag=agent&label=x").await, [1]);
    let (mut seen, mut before) = (Vec::new(), String::new());
    loop {
        let page = json(addr, &format!("/v1/contexts?tag=agent&limit=1{before}")).await;
        seen.extend(ids(&page));
        let Some(next) = page["next_before"].as_str() else { break };
        before = format!("&before={next}");
    }
    assert_eq!(seen, [4, 3, 1]);
    // Whoever worked on it last gives it its tag, and takes it along.
    let late = works_on("late", &[&empty]);
    assert_eq!((listed(addr, "tag=agent").await, listed(addr, "tag=late").await), (vec![3, 1], vec![4]));
    drop(late);
    assert_eq!(listed(addr, "tag=agent").await, [4, 3, 1]);
    drop(agent);
    assert_eq!(listed(addr, "tag=agent").await, [1]);
    // A client without a tag gives none.
    let nameless = works_on("", &[&silent]);
    assert_eq!(listed(addr, "tag=").await, [0; 0]);
    drop(nameless);
}

#[tokio::test]
async fn many_live_contexts_are_found_page_by_page() {
    let server = Server::start().await;
    let addr = server.addr;
    let session = server.gate.engine().open_session(TenantId::LOCAL, None);
    session.hello("agent").expect("a short tag");
    for _ in 0..200 {
        session.works_on(ContextId(context(addr).await.parse().expect("a number")));
    }
    let (mut seen, mut before) = (Vec::new(), String::new());
    loop {
        let page = json(addr, &format!("/v1/contexts?tag=agent&limit=70{before}")).await;
        seen.extend(ids(&page));
        let Some(next) = page["next_before"].as_str() else { break };
        before = format!("&before={next}");
    }
    assert_eq!(seen, (1..=200).rev().collect::<Vec<_>>());
}
