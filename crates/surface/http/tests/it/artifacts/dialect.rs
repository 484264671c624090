//! Errors under `/kcp/v1` have the codes and statuses of the protocol, whoever refuses.

use std::time::Duration;

use cairn_gate::Allowance;

use super::kit::{World, details};
use crate::client::{exchange, request, send};

#[tokio::test]
async fn the_frame_speaks_the_protocol() {
    let world = World::new().await;
    let addr = world.server.addr;
    let ada = &world.ada;
    let json = "content-type: application/json\r\n";
    let large = vec![b' '; (12 << 20) + 1];
    for (answer, expected, original) in [
        (request(addr, "GET /kcp/v1/nowhere", ada).await, (404, "NOT_FOUND"), "NotFound"),
        (request(addr, "GET /ipfs", ada).await, (404, "NOT_FOUND"), "NotFound"),
        (request(addr, "PATCH /kcp/v1/artifacts", ada).await, (400, "INVALID_PAYLOAD"), "MethodNotAllowed"),
        (request(addr, "GET /kcp/v1/artifacts?x=1", ada).await, (400, "INVALID_PAYLOAD"), "InvalidRequest"),
        (
            send(addr, "POST /kcp/v1/artifacts", ada, b"{}").await,
            (400, "INVALID_PAYLOAD"),
            "UnsupportedMediaType",
        ),
        (
            send(addr, "POST /kcp/v1/artifacts", &format!("{ada}{json}"), &large).await,
            (413, "TOO_LARGE"),
            "TooLarge",
        ),
        (request(addr, "GET /kcp/v1/test/panic", ada).await, (500, "INTERNAL"), "Internal"),
        (request(addr, "GET /kcp/v1/events", "").await, (401, "UNAUTHORIZED"), "Unauthenticated"),
        (
            request(addr, "GET /kcp/v1/artifacts", "origin: https://evil.example\r\n").await,
            (403, "FORBIDDEN"),
            "WrongOrigin",
        ),
        (
            exchange(addr, "GET /kcp/v1/health HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n")
                .await,
            (400, "INVALID_PAYLOAD"),
            "WrongHost",
        ),
        (
            request(addr, "GET /kcp/v1/health", "range: bytes=0-\r\nrange: bytes=1-\r\n").await,
            (400, "INVALID_PAYLOAD"),
            "InvalidRequest",
        ),
    ] {
        assert_eq!(answer.error(), (expected.0, expected.1.to_owned()), "{answer:?}");
        let details = details(&answer);
        assert_eq!(
            (&details["cairn_code"], details["hint"].is_string()),
            (&original.into(), true),
            "{answer:?}"
        );
        assert!(answer.header("x-request-id").is_some(), "{answer:?}");
        assert_eq!(answer.header("content-length"), Some(&*answer.bytes.len().to_string()));
    }
    let method = request(addr, "PATCH /kcp/v1/artifacts", ada).await;
    assert!(method.header("allow").is_some_and(|allow| allow.contains("POST")), "{method:?}");
    // Elsewhere nothing changes.
    assert_eq!(request(addr, "GET /v1/nowhere", ada).await.error(), (404, "NotFound".into()));
}

#[tokio::test]
async fn a_deadline_is_a_failure_of_the_node() {
    let world = World::with(Allowance::default(), Duration::from_millis(20)).await;
    let head = format!(
        "POST /kcp/v1/artifacts HTTP/1.1\r\nhost: {}\r\n{}content-type: application/json\r\ncontent-length: 5\r\n\r\n12",
        world.server.addr, world.ada
    );
    let late = exchange(world.server.addr, &head).await;
    assert_eq!(late.error(), (500, "INTERNAL".into()));
    assert_eq!(details(&late)["cairn_code"], "DeadlineExceeded");
}
