//! Slow senders and too much at once.

use cairn_gate::GateConfig;
use cairn_http::HttpConfig;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::{append, context, json, turn};
use crate::client::{get, read_to_end, send};
use crate::server::{LONG, Server};

/// A connection that announces a body and sends half of it.
async fn stalled(server: &Server, bytes: usize, sent: usize) -> TcpStream {
    let mut stream = TcpStream::connect(server.addr).await.expect("the server accepts");
    let head = format!(
        "POST /v1/contexts/1/turns?type_id=t HTTP/1.1\r\nhost: {}\r\nconnection: close\r\n\
         content-type: application/msgpack\r\ncontent-length: {bytes}\r\n\r\n",
        server.addr
    );
    stream.write_all(head.as_bytes()).await.expect("it is sent");
    stream.write_all(&vec![7; sent]).await.expect("it is sent");
    stream
}

#[tokio::test]
async fn who_does_not_send_delays_nobody() {
    let gate = GateConfig { in_flight_max: 1, waiting_max: 0, ..GateConfig::default() };
    let server = Server::with(HttpConfig::default(), gate).await;
    context(server.addr).await;
    let mut slow = Vec::new();
    for _ in 0..20 {
        slow.push(stalled(&server, 60 << 20, 100_000).await);
    }
    let others = timeout(LONG, async {
        for _ in 0..20 {
            turn(server.addr, "1", b"\x01").await;
        }
    });
    others.await.expect("nobody waits for the slow ones");
    assert_eq!(json(server.addr, "/v1/contexts/1").await["head_turn_id"], "20");
    // A slow sender that goes on is served all the same.
    let mut one = stalled(&server, 10, 4).await;
    turn(server.addr, "1", b"\x01").await;
    one.write_all(&[7; 6]).await.expect("the rest");
    assert_eq!(read_to_end(&mut one).await.status, 201);
}

#[tokio::test]
async fn bodies_beyond_the_memory_are_told_to_come_back() {
    let http = HttpConfig { memory_bytes: 8 << 20, ..HttpConfig::default() };
    let server = Server::with(http, GateConfig::default()).await;
    context(server.addr).await;
    let too_much = send(server.addr, "POST /v1/blobs", "", &vec![1; 9 << 20]).await;
    assert_eq!(too_much.error(), (503, "Overloaded".to_owned()));
    assert_eq!(too_much.header("retry-after"), Some("1"));
    let slow = stalled(&server, 8 << 20, 7 << 20).await;
    let full = timeout(LONG, async {
        // Its bytes arrive whenever the system likes.
        while append(server.addr, "1", "type_id=t", "", &vec![2; 4 << 20]).await.status == 201 {}
    });
    full.await.expect("the slow one holds its share");
    assert_eq!(append(server.addr, "1", "type_id=t", "", b"short").await.status, 201, "short ones need none");
    drop(slow);
    let free = timeout(LONG, async {
        while append(server.addr, "1", "type_id=t", "", &vec![2; 4 << 20]).await.status != 201 {}
    });
    free.await.expect("it gives back what it held");
}

#[tokio::test]
async fn answers_beyond_the_memory_are_told_to_come_back() {
    let http = HttpConfig { memory_bytes: 6 << 20, ..HttpConfig::default() };
    let server = Server::with(http, GateConfig::default()).await;
    context(server.addr).await;
    turn(server.addr, "1", &vec![1; 3 << 20]).await;
    for path in ["/v1/contexts/1/turns?view=raw", "/v1/turns/1?view=raw"] {
        assert_eq!(get(server.addr, path).await.error(), (503, "Overloaded".to_owned()), "{path}");
        assert_eq!(get(server.addr, &format!("{path}&bytes_render=len_only")).await.status, 200, "{path}");
    }
    turn(server.addr, "1", &vec![1; 2 << 20]).await;
    for _ in 0..10 {
        assert_eq!(
            get(server.addr, "/v1/contexts/1/turns?limit=1&view=raw").await.status,
            200,
            "memory comes back"
        );
    }
}
