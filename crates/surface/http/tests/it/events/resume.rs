//! Going on after an id: nothing lost, nothing twice.

use std::sync::Arc;

use cairn_access::Principal;
use cairn_base::{ManualClock, Position, TenantId};
use cairn_engine::Place;
use cairn_gate::GateConfig;
use cairn_http::HttpConfig;
use cairn_seam::{MemoryStore, Store};
use tokio::time::timeout;

use super::sse::{Block, open, refused};
use super::story::{append, attach, create};
use crate::client::get;
use crate::server::Server;

async fn over(store: &Arc<MemoryStore>) -> Server {
    let store = Arc::clone(store) as Arc<dyn Store>;
    Server::over(|_| store, HttpConfig::default(), GateConfig::default()).await
}

fn memory() -> Arc<MemoryStore> {
    Arc::new(MemoryStore::new(Arc::new(ManualClock::new(1))))
}

fn header(block: &Block) -> String {
    format!("last-event-id: {}\r\n", block.id.as_deref().expect("it has an id"))
}

#[tokio::test]
async fn a_client_goes_on_exactly_after_any_event_also_of_a_server_that_was_restarted() {
    let store = memory();
    let server = over(&store).await;
    let engine = server.gate.engine();
    let mut live = open(server.addr, "/v1/events", "").await;
    let context = create(engine, 1);
    append(engine, context, "one");
    // Three events in one transaction.
    create(engine, 3);
    let turn = append(engine, context, "two");
    attach(engine, turn);
    let mut all = live.take(8).await;
    assert_eq!(all[0].event, "connected");

    for at in 0..all.len() {
        let mut again = open(server.addr, "/v1/events", &header(&all[at])).await;
        let more = append(engine, context, "while it is away");
        assert_eq!(again.next().await.event, "connected");
        let rest = again.take(all.len() - at).await;
        assert_eq!(rest[..rest.len() - 1], all[at + 1..], "after {:?}", all[at]);
        let newest = rest.last().expect("one more").clone();
        assert_eq!(newest.short("turn_id"), format!("turn_appended {more}"));
        assert_eq!(live.next().await, newest, "the other stream heard it too");
        all.push(newest);
    }

    server.stop().await.expect("it ends");
    let server = over(&store).await;
    append(server.gate.engine(), context, "after the restart");
    for at in [0, 3, 4, all.len() - 1] {
        let mut again = open(server.addr, "/v1/events", &header(&all[at])).await;
        let rest = again.take(all.len() - at + 1).await;
        assert_eq!(rest[1..rest.len() - 1], all[at + 1..], "after {:?}", all[at]);
    }
}

#[tokio::test]
async fn a_context_is_followed_from_where_it_was_left() {
    let store = memory();
    let server = over(&store).await;
    let engine = server.gate.engine();
    let context = create(engine, 2);
    let path = format!("/v1/contexts/{context}/events");
    let connected = open(server.addr, &path, "").await.next().await;
    for _ in 0..700 {
        append(engine, context - 1, "elsewhere");
    }
    let here = append(engine, context, "here");
    // Longer than a page of history, and nothing of it is wanted.
    let server = over(&store).await;
    let told = open(server.addr, &path, &header(&connected)).await.take(2).await;
    assert_eq!(told[1].short("turn_id"), format!("turn_appended {here}"));
}

#[tokio::test]
async fn the_header_counts_more_than_the_address() {
    let server = Server::start().await;
    let engine = server.gate.engine();
    let first = open(server.addr, "/v1/events", "").await.next().await;
    create(engine, 1);
    let at_first = first.id.clone().expect("it has an id");
    let second = open(server.addr, &format!("/v1/events?last_event_id={at_first}"), "").await.take(2).await;
    assert_eq!(second[1].short("context_id"), "context_created 1");
    create(engine, 1);
    let path = format!("/v1/events?last_event_id={at_first}");
    let third = open(server.addr, &path, &header(&second[1])).await.take(2).await;
    assert_eq!(third[1].short("context_id"), "context_created 2");
    // A browser has nothing to send at first.
    create(engine, 1);
    let now = open(server.addr, "/v1/events?last_event_id=", "").await;
    create(engine, 1);
    let mut now = now;
    assert_eq!(now.take(2).await[1].short("context_id"), "context_created 4");
}

#[tokio::test]
async fn ids_that_are_none_or_another_servers_are_refused() {
    let server = Server::start().await;
    let invalid = (422, "InvalidRequest".to_owned());
    let long = "A".repeat(48);
    for bad in ["x", "-1", "0", "1a90", "ab.11", "1%00", "A", &long, &long[1..], &"A".repeat(5000)] {
        let path = format!("/v1/events?last_event_id={bad}");
        assert_eq!(refused(server.addr, &path, "").await, invalid, "{bad}");
    }
    for bad in ["x", "1 1", "\u{e9}"] {
        let header = format!("last-event-id: {bad}\r\n");
        assert_eq!(refused(server.addr, "/v1/events", &header).await, invalid, "{bad}");
    }
    let engine = server.gate.engine();
    let ahead = Place::after(Position::from_stored(engine.position().to_stored() + 1));
    let ahead = engine.event_ids(&Principal::local_owner()).of_event(ahead);
    let path = format!("/v1/events?last_event_id={ahead}");
    let ahead = timeout(crate::server::LONG, get(server.addr, &path)).await.expect("it is refused");
    assert_eq!(ahead.error(), (412, "PositionAhead".to_owned()));
    assert!(!ahead.body.contains(|byte: char| byte.is_ascii_digit()), "no place is said: {}", ahead.body);
    let twice = refused(server.addr, "/v1/events?last_event_id=1&last_event_id=2", "").await;
    assert_eq!(twice, invalid);
}

#[tokio::test]
async fn a_client_whose_history_is_gone_is_told_to_look_and_hears_what_follows() {
    let store = memory();
    let server = over(&store).await;
    let engine = server.gate.engine();
    let early = open(server.addr, "/v1/events", "").await.next().await;
    create(engine, 2);
    store.drop_history();
    let mut events = open(server.addr, "/v1/events", &header(&early)).await;
    let told = events.take(2).await;
    assert_eq!((told[1].event.as_str(), told[1].data.as_str()), ("reset", r#"{"reason":"history_gone"}"#));
    create(engine, 1);
    let created = events.next().await;
    assert_eq!(created.short("context_id"), "context_created 3");
    // Where it was told to look is where it goes on.
    let again = open(server.addr, "/v1/events", &header(&told[1])).await.take(2).await;
    assert_eq!(again[1], created);
}

#[tokio::test]
async fn a_stream_that_follows_survives_that_history_goes() {
    let store = memory();
    let server = over(&store).await;
    let engine = server.gate.engine();
    let mut events = open(server.addr, "/v1/events", "").await;
    assert_eq!(events.next().await.event, "connected");
    // All of it is gone before anybody could read it.
    let _session = engine.open_session(TenantId::LOCAL, None);
    create(engine, 1);
    store.drop_history();
    let next = events.next().await;
    assert!(["reset", "context_created"].contains(&next.event.as_str()), "{next:?}");
    create(engine, 1);
    assert_eq!(events.next().await.short("context_id"), "context_created 2");
}

#[tokio::test]
async fn a_client_that_comes_back_learns_that_sessions_came_and_went_meanwhile() {
    let store = memory();
    let server = over(&store).await;
    let engine = server.gate.engine();
    let said_hello = |tag: &str| {
        let session = engine.open_session(TenantId::LOCAL, None);
        session.hello(tag).expect("a short tag");
        session
    };
    let mut live = open(server.addr, "/v1/events", "").await;
    assert_eq!((live.next().await.event.as_str(), live.missed_sessions), ("connected", false));
    let (agent, context) = (said_hello("agent"), create(engine, 1));
    let told = live.take(2).await;
    assert_eq!(told[0].short("client_tag"), "client_connected agent");

    // It saw an event after the last who came: it knows of everyone.
    append(engine, context, "one");
    let seen = live.next().await;
    let mut again = open(server.addr, "/v1/events", &header(&seen)).await;
    append(engine, context, "two");
    assert_eq!(again.take(2).await[1].event, "turn_appended");
    assert!(!again.missed_sessions);

    // Somebody goes while it is away.
    drop(again);
    drop(agent);
    assert_eq!(live.take(2).await[1].short("client_tag"), "client_disconnected agent");
    for path in ["/v1/events".to_owned(), format!("/v1/contexts/{context}/events")] {
        let mut again = open(server.addr, &path, &header(&seen)).await;
        assert_eq!(again.take(2).await[1].event, "turn_appended", "what is in history is told all the same");
        assert!(again.missed_sessions, "{path}");
    }
    // Whoever begins now has missed nothing, and hears who comes from here on.
    let mut fresh = open(server.addr, "/v1/events", "").await;
    assert_eq!(fresh.next().await.event, "connected");
    let late = said_hello("late");
    assert_eq!(fresh.next().await.short("client_tag"), "client_connected late");
    assert!(!fresh.missed_sessions);

    // With the server every session ends, and nobody is left to tell of that.
    let last = live.next().await;
    assert_eq!(last.short("client_tag"), "client_connected late");
    append(engine, context, "three");
    let last = live.next().await;
    drop(late);
    server.stop().await.expect("it ends");
    let server = over(&store).await;
    let mut again = open(server.addr, "/v1/events", &header(&last)).await;
    append(server.gate.engine(), context, "after the restart");
    assert_eq!(again.take(2).await[1].event, "turn_appended");
    assert!(again.missed_sessions);
    assert_eq!(get(server.addr, "/v1/sessions").await.json()["sessions"], serde_json::json!([]));
}
