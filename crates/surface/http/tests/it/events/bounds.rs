//! What a stream may cost others, and how it ends.

use std::time::Duration;

use cairn_gate::GateConfig;
use cairn_http::{Drained, HttpConfig};
use tokio::time::timeout;

use super::sse::{open, open_narrow};
use super::story::create;
use crate::client::get;
use crate::server::{LONG, Server};

/// More than all buffers between the two sides hold, and more than the server keeps.
const MANY: usize = 100_000;

async fn streams(server: &Server) -> String {
    let metrics = get(server.addr, "/metrics").await.body;
    let line = metrics.lines().find(|line| line.starts_with("cairn_http_event_streams "));
    line.expect("it is counted").to_owned()
}

async fn wait_for_streams(server: &Server, count: usize) {
    let all_ended = async {
        while streams(server).await != format!("cairn_http_event_streams {count}") {
            tokio::task::yield_now().await;
        }
    };
    timeout(LONG, all_ended).await.expect("their number is right in time");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_client_that_does_not_read_delays_nobody_and_loses_nothing() {
    let server = Server::start().await;
    let engine = server.gate.engine();
    let mut stalled = open_narrow(server.addr, "/v1/events").await;
    let mut quick = open(server.addr, "/v1/events", "").await;
    for stream in [&mut stalled, &mut quick] {
        assert_eq!(stream.next().await.event, "connected");
    }
    // A commit that waited for the one that does not read would wait for ever: it reads after all of them.
    for made in (0..MANY).step_by(1000) {
        create(engine, 1000);
        let told = quick.take(1000).await;
        assert_eq!(told[0].short("context_id"), format!("context_created {}", made + 1));
    }
    // It was left behind further than what is kept for all, and reads the rest of history.
    for (made, block) in stalled.take(MANY).await.iter().enumerate() {
        assert_eq!(block.short("context_id"), format!("context_created {}", made + 1));
    }
    create(engine, 1);
    assert_eq!(stalled.next().await, quick.next().await);
}

#[tokio::test]
async fn a_client_that_takes_nothing_for_long_is_cut() {
    let http = HttpConfig { patience: Duration::from_millis(200), ..HttpConfig::default() };
    let server = Server::with(http, GateConfig::default()).await;
    let engine = server.gate.engine();
    let mut stalled = open_narrow(server.addr, "/v1/events").await;
    assert_eq!(stalled.next().await.event, "connected");
    wait_for_streams(&server, 1).await;
    for _ in 0..MANY / 1000 {
        create(engine, 1000);
    }
    wait_for_streams(&server, 0).await;
}

#[tokio::test]
async fn a_stream_holds_nobodys_turn_and_has_no_deadline() {
    let gate = GateConfig {
        in_flight_max: 1,
        waiting_max: 0,
        deadline: Duration::from_millis(200),
        ..GateConfig::default()
    };
    let server = Server::with(HttpConfig::default(), gate).await;
    let mut events = open(server.addr, "/v1/events", "").await;
    assert_eq!(events.next().await.event, "connected");
    assert_eq!(server.gate.in_flight(), 0);
    // Time passes: a request that never ends is given up after its deadline, and the stream is not.
    assert_eq!(get(server.addr, "/test/wait").await.status, 504);
    assert_eq!(get(server.addr, "/v1/admin/stats").await.status, 200);
    create(server.gate.engine(), 1);
    assert_eq!(events.next().await.event, "context_created");
}

#[tokio::test]
async fn a_stream_too_many_is_told_to_come_back() {
    let http = HttpConfig { event_streams_max: 2, ..HttpConfig::default() };
    let server = Server::with(http, GateConfig::default()).await;
    let mut first = open(server.addr, "/v1/events", "").await;
    let _second = open(server.addr, "/v1/events", "").await;
    let refused = timeout(LONG, get(server.addr, "/v1/events")).await;
    let refused = refused.expect("it does not go on for ever");
    assert_eq!(refused.error(), (503, "Overloaded".to_owned()));
    assert_eq!(refused.header("retry-after"), Some("1"));
    assert_eq!(first.next().await.event, "connected");
    drop(first);
    wait_for_streams(&server, 1).await;
    assert_eq!(open(server.addr, "/v1/events", "").await.next().await.event, "connected");
}

#[tokio::test]
async fn streams_end_at_once_when_the_server_stops() {
    let server = Server::start().await;
    let engine = server.gate.engine().clone();
    let mut events = open(server.addr, "/v1/events", "").await;
    let mut stalled = open_narrow(server.addr, "/v1/events").await;
    for stream in [&mut events, &mut stalled] {
        assert_eq!(stream.next().await.event, "connected");
    }
    create(&engine, 1);
    let drained = timeout(LONG, server.stop()).await.expect("it ends");
    assert_eq!(drained.expect("it ends"), Drained::Clean, "what held it up would be cut");
    while let Some(block) = events.try_next().await {
        assert_eq!(block.event, "context_created");
    }
}

#[tokio::test]
async fn streams_end_when_the_engine_closes() {
    let server = Server::start().await;
    let mut events = open(server.addr, "/v1/events", "").await;
    assert_eq!(events.next().await.event, "connected");
    server.gate.engine().close().expect("it closes");
    assert_eq!(events.try_next().await, None);
}
