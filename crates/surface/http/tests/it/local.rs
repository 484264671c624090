//! The local owner's socket, and the pipe inside the process.

use std::net::SocketAddr;
use std::time::Duration;

use cairn_http::{App, Client, HttpConfig, serve_in_process};
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::client::get;
use crate::server::Server;

const LONG: Duration = Duration::from_secs(300);

#[tokio::test]
async fn no_name_is_checked_on_the_local_socket() {
    let server = Server::start().await;
    for host in ["", "host: anything\r\n"] {
        let mut stream = server.local().await;
        let request = format!("GET /healthz HTTP/1.1\r\n{host}connection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("it is sent");
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.expect("it is answered");
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

#[tokio::test]
async fn stats_are_the_same_over_every_way() {
    let server = Server::start().await;
    let plain = |mut stats: Value| {
        stats["uptime_ms"] = Value::Null;
        stats
    };
    let over_tcp = plain(get(server.addr, "/v1/admin/stats").await.json());
    let mut local = Client::over(server.local().await, LONG).await.expect("it connects");
    assert_eq!(plain(json!(local.stats().await.expect("it answers"))), over_tcp);
    assert_eq!(plain(json!(local.stats().await.expect("it answers twice"))), over_tcp);

    let app = App::new(server.gate.clone(), HttpConfig::default(), SocketAddr::from(([127, 0, 0, 1], 0)));
    let mut inside = Client::over(serve_in_process(app), LONG).await.expect("it connects");
    assert_eq!(plain(json!(inside.stats().await.expect("it answers"))), over_tcp);
}
