//! Health, metrics, administration, and what every answer carries.

use serde_json::Value;

use crate::client::{get, request};
use crate::server::Server;

#[tokio::test]
async fn a_healthy_server_says_so() {
    let server = Server::start().await;
    let up = get(server.addr, "/healthz").await;
    assert_eq!((up.status, up.body.as_str()), (200, r#"{"status":"up"}"#));
    let ready = get(server.addr, "/readyz").await;
    assert_eq!((ready.status, ready.body.as_str()), (200, r#"{"status":"ready"}"#));
}

#[tokio::test]
async fn a_server_whose_store_is_closed_is_up_and_not_ready() {
    let server = Server::start().await;
    server.gate.engine().close().expect("it closes");
    assert_eq!(get(server.addr, "/healthz").await.status, 200);
    let ready = get(server.addr, "/readyz").await;
    assert_eq!(ready.error(), (503, "Unavailable".to_owned()));
    assert_eq!(ready.header("retry-after"), Some("1"));
}

#[tokio::test]
async fn the_metrics_hold_every_layer() {
    let server = Server::start().await;
    get(server.addr, "/v1/admin/stats").await;
    get(server.addr, "/nowhere").await;
    let metrics = get(server.addr, "/metrics").await;
    assert_eq!(metrics.header("content-type"), Some("text/plain; version=0.0.4; charset=utf-8"));
    for line in [
        r#"cairn_store_commits_total{store="memory"}"#,
        r#"cairn_operations_total{action="stats.read",outcome="done"} 1"#,
        "cairn_gate_admitted_total 1",
        r#"cairn_http_requests_total{method="GET",route="/v1/admin/stats",status="200"} 1"#,
        r#"cairn_http_requests_total{method="GET",route="none",status="404"} 1"#,
        r#"cairn_http_request_seconds_count{route="/v1/admin/stats"} 1"#,
        r#"cairn_http_refused_total{code="NotFound"} 1"#,
        "cairn_http_in_flight 1",
        "cairn_http_connections_refused_total 0",
    ] {
        assert!(metrics.body.contains(line), "{line} is missing in\n{}", metrics.body);
    }
}

#[tokio::test]
async fn the_stats_have_their_shape() {
    let server = Server::start().await;
    let mut stats = get(server.addr, "/v1/admin/stats").await.json();
    stats["version"] = Value::from("[version]");
    stats["node_id"] = Value::from("[id]");
    insta::assert_snapshot!(format!("{stats:#}"));
}

#[tokio::test]
async fn the_description_is_generated() {
    let server = Server::start().await;
    let mut description = get(server.addr, "/openapi.json").await.json();
    description["info"]["version"] = Value::from("[version]");
    insta::assert_snapshot!(format!("{description:#}"));
}

#[tokio::test]
async fn a_request_id_is_taken_over_or_made() {
    let server = Server::start().await;
    let theirs = request(server.addr, "GET /healthz", "x-request-id: abc-1\r\n").await;
    assert_eq!(theirs.header("x-request-id"), Some("abc-1"));
    let bad = request(server.addr, "GET /healthz", "x-request-id: two words\r\n").await;
    let made = bad.header("x-request-id").expect("one is made");
    assert!(made.len() == 16 && made.bytes().all(|byte| byte.is_ascii_hexdigit()), "{made}");
    let missing = get(server.addr, "/nowhere").await;
    assert!(missing.header("x-request-id").is_some_and(|id| id != made));
}

#[tokio::test]
async fn answers_tell_browsers_to_be_careful() {
    let server = Server::start().await;
    for path in ["/healthz", "/nowhere", "/test/panic"] {
        let answer = get(server.addr, path).await;
        assert_eq!(answer.header("x-content-type-options"), Some("nosniff"), "{path}");
        assert_eq!(answer.header("x-frame-options"), Some("DENY"), "{path}");
        assert_eq!(answer.header("cache-control"), Some("no-store"), "{path}");
        assert_eq!(answer.header("access-control-allow-origin"), None, "{path}");
    }
}
