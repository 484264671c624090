//! Stopping while requests are under way.

use std::time::Duration;

use cairn_gate::GateConfig;
use cairn_http::{Drained, HttpConfig};
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;

use crate::client::read_to_end;
use crate::server::{LONG, Server};

async fn start_waiting(server: &Server) -> TcpStream {
    let mut stream = TcpStream::connect(server.addr).await.expect("the server accepts");
    let head = format!("GET /test/wait HTTP/1.1\r\nhost: {}\r\n\r\n", server.addr);
    stream.write_all(head.as_bytes()).await.expect("it is sent");
    server.wait_entered().await;
    stream
}

#[tokio::test]
async fn a_request_under_way_is_answered_and_then_the_server_is_gone() {
    let server = Server::start().await;
    let (addr, leave) = (server.addr, server.leave.clone());
    let mut running = start_waiting(&server).await;
    let idle = TcpStream::connect(addr).await.expect("the server accepts");
    let served = server.stop();
    // New connections are refused once the listener is closed.
    while TcpStream::connect(addr).await.is_ok() {
        tokio::task::yield_now().await;
    }
    leave.add_permits(1);
    let answer = read_to_end(&mut running).await;
    assert_eq!((answer.status, answer.body.as_str()), (200, "answered"));
    assert_eq!(served.await.expect("it ends"), Drained::Clean);
    drop(idle);
}

#[tokio::test]
async fn a_request_that_never_ends_is_cut_when_time_is_up() {
    let http = HttpConfig { drain: Duration::from_millis(20), ..HttpConfig::default() };
    let gate = GateConfig { deadline: LONG, ..GateConfig::default() };
    let server = Server::with(http, gate).await;
    let _running = start_waiting(&server).await;
    assert_eq!(server.stop().await.expect("it ends"), Drained::Cut { connections: 1 });
}
