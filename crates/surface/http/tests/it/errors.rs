//! Bad requests get a clear answer of one shape.

use crate::client::{Answer, exchange, get, post, request};
use crate::server::Server;

fn body(answer: &Answer) -> String {
    format!("{} {:#}", answer.status, answer.json())
}

#[tokio::test]
async fn every_error_has_one_shape() {
    let server = Server::start().await;
    let addr = server.addr;
    insta::assert_snapshot!("not_found", body(&get(addr, "/nowhere?x=1").await));
    let answer = request(addr, "DELETE /healthz", "").await;
    insta::assert_snapshot!("method_not_allowed", body(&answer));
    assert!(answer.header("allow").is_some_and(|allow| allow.contains("GET")), "{answer:?}");
    insta::assert_snapshot!("malformed_json", body(&post(addr, "/test/echo", "{\"number\":\n nope}").await));
    insta::assert_snapshot!("cut_json", body(&post(addr, "/test/echo", "{\"number\":").await));
    insta::assert_snapshot!("wrong_json", body(&post(addr, "/test/echo", "{\"number\": -1}").await));
    insta::assert_snapshot!(
        "no_json",
        body(&request(addr, "POST /test/echo", "content-length: 0\r\n").await)
    );
    insta::assert_snapshot!("panic", body(&get(addr, "/test/panic").await));
}

#[tokio::test]
async fn good_json_passes() {
    let server = Server::start().await;
    let answer = post(server.addr, "/test/echo", "{\"number\": 18446744073709551615}").await;
    assert_eq!((answer.status, answer.body.as_str()), (200, "{\"number\":18446744073709551615}"));
}

#[tokio::test]
async fn the_server_outlives_a_panic_on_the_same_connection() {
    let server = Server::start().await;
    let twice = format!(
        "GET /test/panic HTTP/1.1\r\nhost: {0}\r\n\r\nGET /healthz HTTP/1.1\r\nhost: {0}\r\nconnection: close\r\n\r\n",
        server.addr
    );
    let both = exchange(server.addr, &twice).await;
    assert_eq!(both.status, 500);
    assert!(both.body.ends_with(r#"{"status":"up"}"#), "{both:?}");
    assert!(!both.body.contains("secret"), "{both:?}");
}

#[tokio::test]
async fn a_wrong_host_is_refused() {
    let server = Server::start().await;
    let answer =
        exchange(server.addr, "GET /healthz HTTP/1.1\r\nhost: evil.example\r\nconnection: close\r\n\r\n")
            .await;
    insta::assert_snapshot!("wrong_host", body(&answer));
    let missing = exchange(server.addr, "GET /healthz HTTP/1.1\r\nconnection: close\r\n\r\n").await;
    assert_eq!(missing.error(), (421, "WrongHost".to_owned()));
    let local =
        exchange(server.addr, "GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await;
    assert_eq!(local.status, 200);
}

#[tokio::test]
async fn bytes_that_are_no_http_are_refused() {
    let server = Server::start().await;
    assert_eq!(exchange(server.addr, "\u{1}\u{2}\u{3} hello\r\n\r\n").await.status, 400);
    assert_eq!(get(server.addr, "/healthz").await.status, 200);
}
