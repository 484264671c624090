//! Connections that are slow, too many, or say too much.

use std::time::Duration;

use cairn_gate::GateConfig;
use cairn_http::HttpConfig;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::client::{exchange, get, read_to_end, request};
use crate::server::Server;

#[tokio::test]
async fn a_head_that_does_not_come_ends_the_connection() {
    let http = HttpConfig { header_read_timeout: Duration::from_millis(30), ..HttpConfig::default() };
    let server = Server::with(http, GateConfig::default()).await;
    for sent in ["", "GET /healthz HTTP/1.1\r\nhost: localhost\r\nx-slow: "] {
        let mut stream = TcpStream::connect(server.addr).await.expect("the server accepts");
        stream.write_all(sent.as_bytes()).await.expect("it is sent");
        let mut answer = Vec::new();
        // Well before the default of the timeout.
        let closed = timeout(crate::server::LONG, stream.read_to_end(&mut answer)).await;
        closed.expect("the configured timeout holds").expect("the server closes");
        let answer = String::from_utf8(answer).expect("text");
        assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 408"), "{answer}");
    }
    assert_eq!(get(server.addr, "/healthz").await.status, 200);
}

#[tokio::test]
async fn a_head_that_is_too_large_is_refused() {
    let http = HttpConfig { header_bytes_max: 8192, headers_max: 10, ..HttpConfig::default() };
    let server = Server::with(http, GateConfig::default()).await;
    let long = format!("x-long: {}\r\n", "x".repeat(9000));
    assert_eq!(request(server.addr, "GET /healthz", &long).await.status, 431);
    assert_eq!(request(server.addr, "GET /healthz", &"x-many: x\r\n".repeat(20)).await.status, 431);
    assert_eq!(request(server.addr, "GET /healthz", "x-few: x\r\n").await.status, 200);
}

#[tokio::test]
async fn a_connection_too_many_is_turned_away() {
    let http = HttpConfig { connections_max: 1, ..HttpConfig::default() };
    let server = Server::with(http, GateConfig::default()).await;
    let mut first = TcpStream::connect(server.addr).await.expect("the server accepts");
    let head = format!("GET /healthz HTTP/1.1\r\nhost: {}\r\n\r\n", server.addr);
    first.write_all(head.as_bytes()).await.expect("it is sent");
    first.read_u8().await.expect("it is answered, so the connection counts");

    let mut second = TcpStream::connect(server.addr).await.expect("the system accepts");
    let turned_away = read_to_end(&mut second).await;
    assert_eq!(turned_away.error(), (503, "Overloaded".to_owned()));
    assert_eq!(turned_away.header("retry-after"), Some("1"));
}

#[tokio::test]
async fn one_connection_serves_many_requests() {
    let server = Server::start().await;
    let one = format!("GET /healthz HTTP/1.1\r\nhost: {}\r\n", server.addr);
    let both = exchange(server.addr, &format!("{one}\r\n{one}connection: close\r\n\r\n")).await;
    assert_eq!((both.status, both.body.matches("HTTP/1.1 200").count()), (200, 1), "{both:?}");
}
