//! What is said of contexts, and that they go.

use serde_json::json;

use super::sse::{Block, open, refused};
use super::story::{append, append_bytes, beginning, create, prune};
use crate::server::Server;

/// A first turn with a client tag, a title and a label.
const SAID: &[u8] = b"\x81\x1e\x83\x01\xa3bot\x02\xa2hi\x03\x91\xa1x";

fn header(block: &Block) -> String {
    format!("last-event-id: {}\r\n", block.id.as_deref().expect("it has an id"))
}

fn names(blocks: &[Block]) -> Vec<String> {
    blocks.iter().map(|block| block.short("context_id")).collect()
}

#[tokio::test]
async fn what_a_first_turn_says_is_told_once_and_can_be_told_again() {
    let server = Server::start().await;
    let engine = server.gate.engine();
    let mut live = open(server.addr, "/v1/events", "").await;
    let context = create(engine, 1);
    append_bytes(engine, context, SAID);
    append_bytes(engine, context, SAID);
    let silent = create(engine, 1);
    append(engine, silent, "nothing");
    let told = live.take(7).await;
    assert_eq!(
        names(&told[1..]),
        [
            "context_created 1",
            "turn_appended 1",
            "context_metadata_updated 1",
            "turn_appended 1",
            "context_created 2",
            "turn_appended 2"
        ]
    );
    let expected = json!({
        "context_id": "1", "has_provenance": false, "client_tag": "bot", "title": "hi", "labels": ["x"]
    });
    assert_eq!(told[3].json(), expected);
    for at in 0..told.len() {
        let again = open(server.addr, "/v1/events", &header(&told[at])).await.take(told.len() - at).await;
        assert_eq!(again[1..], told[at + 1..], "after {:?}", told[at]);
    }
    let path = format!("/v1/contexts/{context}/events");
    let from_the_first = format!("last-event-id: {}\r\n", beginning(engine));
    let one = open(server.addr, &path, &from_the_first).await.take(5).await;
    assert_eq!(one[1..], told[1..5]);
}

#[tokio::test]
async fn a_context_that_goes_is_told_and_who_was_away_hears_of_it() {
    let server = Server::start().await;
    let engine = server.gate.engine();
    let context = create(engine, 2) - 1;
    let path = format!("/v1/contexts/{context}/events");
    let (mut all, mut one) = (open(server.addr, "/v1/events", "").await, open(server.addr, &path, "").await);
    let before = all.next().await;
    assert_eq!(one.next().await.event, "connected");
    append(engine, context, "one");
    let mut gone = vec![one.next().await];
    prune(engine, context);
    append(engine, context + 1, "the last");
    gone.push(one.next().await);
    assert_eq!(names(&gone), ["turn_appended 1", "context_pruned 1"]);
    assert_eq!((gone[1].data.as_str(), all.take(2).await), (r#"{"context_id":"1"}"#, gone.clone()));

    for path in ["/v1/events", path.as_str()] {
        let mut again = open(server.addr, path, &header(&before)).await;
        assert_eq!(again.next().await.event, "connected");
        // What happened to it before is told only as far as that is remembered.
        let next = again.next().await;
        let next = if next == gone[0] { again.next().await } else { next };
        assert_eq!(next, gone[1], "{path}");
    }
    let rest = open(server.addr, "/v1/events", &header(&gone[1])).await.take(2).await;
    assert_eq!(names(&rest[1..]), ["turn_appended 2"]);
    // Nobody else can follow it, nor what never was.
    assert_eq!(refused(server.addr, &path, "").await, (404, "NotFound".to_owned()));
    let never = refused(server.addr, "/v1/contexts/3/events", &header(&before)).await;
    assert_eq!(never, (404, "NotFound".to_owned()));
}
