//! What a stream tells.

use std::time::Duration;

use cairn_base::{ContextId, TenantId};
use cairn_http::{App, HttpConfig, serve_in_process};
use tokio::io::DuplexStream;
use tokio::time::Instant;

use super::sse::{Events, open, refused};
use super::story::{append, attach, beginning, create};
use crate::client::get;
use crate::server::Server;

const HEARTBEAT: Duration = Duration::from_secs(15);

#[tokio::test]
async fn what_happens_is_told_in_order_from_now_on() {
    let server = Server::start().await;
    let engine = server.gate.engine();
    create(engine, 1);
    let mut events = open(server.addr, "/v1/events", "").await;
    assert!(events.head.starts_with("http/1.1 200"), "{}", events.head);
    for line in ["content-type: text/event-stream\r\n", "cache-control: no-cache\r\n"] {
        assert!(events.head.contains(line), "{}", events.head);
    }
    assert!(!events.head.contains("access-control-allow-origin"), "{}", events.head);
    let connected = events.next().await;
    assert_eq!((connected.event.as_str(), connected.data.as_str()), ("connected", "{}"));
    assert!(connected.id.is_some(), "whoever is cut before anything happens loses nothing either");

    let session = engine.open_session(TenantId::LOCAL, None);
    session.hello("agent").expect("a short tag");
    let context = create(engine, 1);
    session.works_on(ContextId(context));
    append(engine, context, "one");
    let turn = append(engine, context, "two");
    attach(engine, turn);
    let mut told = events.take(5).await;
    drop(session);
    told.push(events.next().await);
    let text: Vec<String> = told.iter().map(|block| format!("{} {}", block.event, block.data)).collect();
    insta::assert_snapshot!(text.join("\n"));
    let with_id: Vec<bool> = told.iter().map(|block| block.id.is_some()).collect();
    assert_eq!(with_id, [false, true, true, true, true, false], "what is in no history has no id");
}

#[tokio::test]
async fn a_stream_of_a_context_tells_of_that_context_alone() {
    let server = Server::start().await;
    let engine = server.gate.engine();
    let context = create(engine, 2) - 1;
    let other = context + 1;
    let mut events = open(server.addr, &format!("/v1/contexts/{context}/events"), "").await;
    let [stranger, worker] = ["stranger", "worker"].map(|tag| {
        let session = engine.open_session(TenantId::LOCAL, None);
        session.hello(tag).expect("a short tag");
        session
    });
    append(engine, other, "elsewhere");
    let turn = append(engine, context, "here");
    create(engine, 1);
    attach(engine, turn);
    stranger.works_on(ContextId(other));
    worker.works_on(ContextId(context));
    drop((stranger, worker));
    append(engine, other, "elsewhere again");
    append(engine, context, "the last");
    let told = events.take(5).await;
    let names: Vec<_> = told.iter().map(|block| block.event.as_str()).collect();
    assert_eq!(names[0], "connected");
    // When somebody leaves and when others write are not ordered with each other.
    let mut rest: Vec<String> = told[1..].iter().map(|block| block.short("turn_id")).collect();
    rest.sort();
    assert_eq!(
        rest,
        [
            "client_disconnected -".to_owned(),
            format!("tree_attached {turn}"),
            format!("turn_appended {turn}"),
            format!("turn_appended {}", turn + 2)
        ]
    );
    let gone = told.iter().find(|block| block.event == "client_disconnected").expect("it is there");
    assert_eq!(gone.json()["client_tag"], "worker");

    let path = format!("/v1/contexts/{context}/events?last_event_id={}", beginning(engine));
    let first = &open(server.addr, &path, "").await.take(2).await[1];
    assert_eq!(first.short("context_id"), format!("context_created {context}"));
}

#[tokio::test]
async fn a_context_that_is_none_is_refused_before_the_stream_begins() {
    let server = Server::start().await;
    let unknown = refused(server.addr, "/v1/contexts/1/events", "").await;
    assert_eq!(unknown, (404, "NotFound".to_owned()));
    for bad in ["one", "-1", "%ff", "18446744073709551616"] {
        let answer = refused(server.addr, &format!("/v1/contexts/{bad}/events"), "").await;
        assert_eq!(answer, (422, "InvalidRequest".to_owned()), "{bad}");
    }
}

#[tokio::test]
async fn who_is_connected_can_be_asked() {
    let server = Server::start().await;
    let engine = server.gate.engine();
    let answer = get(server.addr, "/v1/sessions").await;
    assert_eq!((answer.status, answer.body.as_str()), (200, r#"{"sessions":[],"tags":[]}"#));
    let sessions: Vec<_> = ["b", "", "a", "b"]
        .into_iter()
        .map(|tag| {
            let session =
                engine.open_session(TenantId::LOCAL, (tag == "a").then(|| "127.0.0.1:5".to_owned()));
            session.hello(tag).expect("a short tag");
            session
        })
        .collect();
    sessions[2].works_on(ContextId(1));
    insta::assert_snapshot!(format!("{:#}", get(server.addr, "/v1/sessions").await.json()));
}

/// A stream whose time is that of the test: no socket, no thread that waits.
async fn in_process(server: &Server, path: &str) -> Events<DuplexStream> {
    let app = App::new(server.gate.clone(), HttpConfig::default(), server.addr);
    Events::over(serve_in_process(app), path, "").await
}

#[tokio::test(start_paused = true)]
async fn a_stream_says_that_it_is_alive_and_how_far_it_is() {
    let server = Server::start().await;
    let engine = server.gate.engine();
    let context = create(engine, 1);
    let mut all = in_process(&server, "/v1/events").await;
    let mut one = in_process(&server, &format!("/v1/contexts/{context}/events")).await;
    let started = Instant::now();
    assert_eq!(
        (all.next().await.event.as_str(), one.next().await.event.as_str()),
        ("connected", "connected")
    );
    for beat in 1..=2 {
        heartbeat(&mut all).await;
        assert_eq!(started.elapsed().as_secs(), HEARTBEAT.as_secs() * beat);
    }
    for _ in 0..2 {
        heartbeat(&mut one).await;
    }
    create(engine, 1);
    assert_eq!(all.next().await.event, "context_created");
    // What does not concern a client moves it on all the same.
    let moved = heartbeat(&mut one).await;
    create(engine, 1);
    let mut again = in_process(&server, &format!("/v1/events?last_event_id={moved}")).await;
    assert_eq!(again.take(2).await[1].short("context_id"), "context_created 3");
}

/// Waits for a heartbeat; says the id that comes with each.
async fn heartbeat(events: &mut Events<DuplexStream>) -> String {
    let (beat, place) = (events.next().await, events.next().await);
    assert_eq!((beat.comment.as_deref(), &beat.id), (Some("heartbeat"), &None));
    assert_eq!((place.event.as_str(), place.data.as_str()), ("", ""), "{place:?}");
    place.id.expect("always, or it would tell whether others wrote")
}

#[tokio::test]
async fn however_many_follow_history_is_read_once_and_not_for_every_commit() {
    let server = Server::start().await;
    let engine = server.gate.engine();
    let mut streams = Vec::new();
    for _ in 0..5 {
        streams.push(open(server.addr, "/v1/events", "").await);
    }
    for stream in &mut streams {
        assert_eq!(stream.next().await.event, "connected");
    }
    for _ in 0..300 {
        create(engine, 1);
    }
    for stream in &mut streams {
        let last = stream.take(300).await.pop().expect("three hundred");
        assert_eq!(last.short("context_id"), "context_created 300");
    }
    let metrics = engine.render_prometheus();
    let reads = metrics
        .lines()
        .find(|line| line.starts_with(r#"cairn_operations_total{action="feed.read",outcome="done"}"#));
    let reads: u64 = reads.and_then(|line| line.rsplit(' ').next()).and_then(|n| n.parse().ok()).unwrap_or(0);
    assert!((1..=3).contains(&reads), "{reads} reads for 300 commits and 5 streams");
}
