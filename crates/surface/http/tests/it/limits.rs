//! Size, time and number of requests.

use std::time::Duration;

use cairn_gate::GateConfig;
use cairn_http::HttpConfig;
use tokio::time::timeout;

use crate::client::{exchange, get, post};
use crate::server::{LONG, Server};

async fn small_bodies() -> Server {
    let http = HttpConfig { body_bytes_max: 64, ..HttpConfig::default() };
    Server::with(http, GateConfig::default()).await
}

fn number_with_blanks(bytes: usize) -> String {
    format!("{{\"number\": 1}}{}", " ".repeat(bytes - 13))
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused() {
    let server = small_bodies().await;
    assert_eq!(post(server.addr, "/test/echo", &number_with_blanks(64)).await.status, 200);
    let answer = post(server.addr, "/test/echo", &number_with_blanks(65)).await;
    assert_eq!(answer.error(), (413, "TooLarge".to_owned()));
    insta::assert_snapshot!("too_large", format!("{:#}", answer.json()));
}

#[tokio::test]
async fn a_body_that_does_not_announce_its_length_is_limited_too() {
    let server = small_bodies().await;
    let chunked = |bytes: usize| {
        format!(
            "POST /test/echo HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-type: application/json\r\n\
             transfer-encoding: chunked\r\n\r\nd\r\n{{\"number\": 1}}\r\n{:x}\r\n{}\r\n0\r\n\r\n",
            server.addr,
            bytes - 13,
            " ".repeat(bytes - 13)
        )
    };
    assert_eq!(exchange(server.addr, &chunked(64)).await.status, 200);
    assert_eq!(exchange(server.addr, &chunked(65)).await.error(), (413, "TooLarge".to_owned()));
}

#[tokio::test]
async fn a_body_that_does_not_come_runs_into_the_deadline() {
    let gate = GateConfig { deadline: Duration::from_millis(20), ..GateConfig::default() };
    let server = Server::with(HttpConfig::default(), gate).await;
    let head = format!(
        "POST /test/echo HTTP/1.1\r\nhost: {}\r\ncontent-type: application/json\r\ncontent-length: 5\r\n\r\n12",
        server.addr
    );
    // Well before the default of the deadline.
    let answer = timeout(LONG, exchange(server.addr, &head)).await.expect("the deadline holds");
    assert_eq!(answer.error(), (504, "DeadlineExceeded".to_owned()));
}

#[tokio::test]
async fn a_request_that_takes_too_long_is_given_up() {
    let gate = GateConfig { deadline: Duration::from_millis(20), ..GateConfig::default() };
    let server = Server::with(HttpConfig::default(), gate).await;
    let answer = timeout(LONG, get(server.addr, "/test/wait")).await.expect("the deadline holds");
    insta::assert_snapshot!("deadline", format!("{} {:#}", answer.status, answer.json()));
    assert_eq!(server.gate.in_flight(), 0, "its place is free again");
}

#[tokio::test]
async fn too_many_are_told_to_come_back_and_health_is_answered_all_the_same() {
    let gate = GateConfig { in_flight_max: 1, waiting_max: 0, deadline: LONG, ..GateConfig::default() };
    let server = Server::with(HttpConfig::default(), gate).await;
    let running = tokio::spawn(get_owned(server.addr, "/test/wait"));
    server.wait_entered().await;

    let refused = get(server.addr, "/v1/admin/stats").await;
    assert_eq!(refused.header("retry-after"), Some("1"));
    insta::assert_snapshot!("overloaded", format!("{} {:#}", refused.status, refused.json()));
    for path in ["/healthz", "/readyz", "/metrics", "/openapi.json"] {
        assert_eq!(get(server.addr, path).await.status, 200, "{path}");
    }

    server.leave.add_permits(1);
    assert_eq!(running.await.expect("it ends").body, "answered");
    assert_eq!(get(server.addr, "/v1/admin/stats").await.status, 200);
}

async fn get_owned(addr: std::net::SocketAddr, path: &'static str) -> crate::client::Answer {
    get(addr, path).await
}
