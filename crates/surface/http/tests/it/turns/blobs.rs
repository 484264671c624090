//! Blobs: uploads, conditions, ranges, and large ones.

use std::time::Duration;

use cairn_base::ContentHash;
use cairn_gate::GateConfig;
use cairn_http::HttpConfig;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

use super::refused;
use crate::client::{Answer, get, request, send};
use crate::server::{LONG, Server};

fn noise(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|at| (at.wrapping_mul(2_654_435_761) >> 7) as u8).collect()
}

async fn upload(server: &Server, bytes: &[u8]) -> String {
    let stored = send(server.addr, "POST /v1/blobs", "", bytes).await;
    assert!(matches!(stored.status, 200 | 201), "{stored:?}");
    stored.json()["hash"].as_str().expect("a hash").to_owned()
}

async fn read(server: &Server, hash: &str, extra: &str) -> Answer {
    request(server.addr, &format!("GET /v1/blobs/{hash}"), extra).await
}

#[tokio::test]
async fn blobs_are_stored_once_under_their_hash() {
    let server = Server::start().await;
    let hash = ContentHash::of(b"hello").to_string();
    let first = send(server.addr, "POST /v1/blobs", "content-type: text/plain\r\n", b"hello").await;
    assert_eq!(first.status, 201);
    assert_eq!(first.json(), serde_json::json!({"hash": hash, "bytes": 5, "was_new": true}));
    let line = format!("PUT /v1/blobs/{hash}");
    let again = send(server.addr, &line, "", b"hello").await;
    assert_eq!((again.status, again.json()["was_new"].as_bool()), (200, Some(false)));
    let wrong = send(server.addr, &line, "", b"other").await;
    assert_eq!(wrong.error(), (422, "InvalidRequest".to_owned()));
    refused(server.addr, &format!("/v1/blobs/{}", ContentHash::of(b"other")), (404, "NotFound")).await;
    for bad in ["12", &hash[1..], &format!("{hash}0"), &format!("g{}", &hash[1..])] {
        refused(server.addr, &format!("/v1/blobs/{bad}"), (422, "InvalidRequest")).await;
        assert_eq!(send(server.addr, &format!("PUT /v1/blobs/{bad}"), "", b"x").await.status, 422);
    }
    let empty = upload(&server, b"").await;
    assert_eq!(read(&server, &empty, "").await.bytes, b"");
}

#[tokio::test]
async fn a_blob_says_how_to_keep_it() {
    let server = Server::start().await;
    let hash = upload(&server, b"<script>alert(1)</script>").await;
    let etag = format!("\"{hash}\"");
    let whole = read(&server, &hash, "").await;
    assert_eq!((whole.status, whole.body.as_str()), (200, "<script>alert(1)</script>"));
    for (name, value) in [
        ("content-type", "application/octet-stream"),
        ("etag", &etag),
        ("accept-ranges", "bytes"),
        ("cache-control", "private, max-age=31536000, immutable"),
        ("x-content-type-options", "nosniff"),
        ("content-length", "25"),
    ] {
        assert_eq!(whole.header(name), Some(value));
    }
    assert!(whole.header("content-security-policy").is_some_and(|policy| policy.contains("sandbox")));

    let known = read(&server, &hash, &format!("if-none-match: W/\"x\", {etag}\r\n")).await;
    assert_eq!((known.status, known.bytes.len(), known.header("etag")), (304, 0, Some(&*etag)));
    assert_eq!(read(&server, &hash, "if-none-match: \"x\"\r\n").await.status, 200);

    let head = request(server.addr, &format!("HEAD /v1/blobs/{hash}"), "range: bytes=1-2\r\n").await;
    assert_eq!((head.status, head.bytes.len()), (200, 0));
    assert_eq!((head.header("content-length"), head.header("etag")), (Some("25"), Some(&*etag)));
    let missing = "0".repeat(64);
    assert_eq!(request(server.addr, &format!("HEAD /v1/blobs/{missing}"), "").await.status, 404);
}

#[tokio::test]
async fn ranges_are_served() {
    let server = Server::start().await;
    // Short ones are read at once, long ones piece by piece.
    for length in [10_usize, 1_500_000] {
        let content = noise(length);
        let hash = upload(&server, &content).await;
        for (range, part) in [
            ("0-0", 0..1),
            ("2-5", 2..6),
            ("1-", 1..length),
            ("-3", length - 3..length),
            ("0-99999999", 0..length),
        ] {
            let answer = read(&server, &hash, &format!("range: bytes={range}\r\n")).await;
            assert_eq!(answer.status, 206, "{range} of {length}");
            let expected = format!("bytes {}-{}/{length}", part.start, part.end - 1);
            assert_eq!(answer.header("content-range"), Some(&*expected), "{range}");
            assert_eq!(answer.header("content-length"), Some(&*part.len().to_string()), "{range}");
            assert!(answer.bytes == content[part], "{range} of {length}");
        }
        for range in ["0-1,3-4", "5-2", "x"] {
            let answer = read(&server, &hash, &format!("range: bytes={range}\r\n")).await;
            assert_eq!(answer.status, 200, "{range}");
            assert!(answer.bytes == content, "{range}");
        }
        let beyond = read(&server, &hash, &format!("range: bytes={length}-\r\n")).await;
        assert_eq!(beyond.error(), (416, "InvalidRequest".to_owned()));
        assert_eq!(beyond.header("content-range"), Some(&*format!("bytes */{length}")));
        let stale = read(&server, &hash, "range: bytes=0-0\r\nif-range: \"x\"\r\n").await;
        assert_eq!(stale.status, 200);
    }
}

#[tokio::test]
async fn large_blobs_come_whole() {
    let server = Server::start().await;
    let content = noise(5 << 20);
    let hash = upload(&server, &content).await;
    assert_eq!(hash, ContentHash::of(&content).to_string());
    let whole = read(&server, &hash, "").await;
    assert_eq!(whole.header("content-length"), Some("5242880"));
    assert!(whole.bytes == content);
    assert_eq!(server.gate.in_flight(), 0);
}

#[tokio::test]
async fn a_slow_reader_holds_a_stream_and_nobodys_turn() {
    let http =
        HttpConfig { content_streams_max: 1, patience: Duration::from_secs(3), ..HttpConfig::default() };
    let gate = GateConfig { in_flight_max: 1, waiting_max: 1, ..GateConfig::default() };
    let server = Server::with(http, gate).await;
    let hash = upload(&server, &noise(20 << 20)).await;
    let mut slow = TcpStream::connect(server.addr).await.expect("the server accepts");
    let head = format!("GET /v1/blobs/{hash} HTTP/1.1\r\nhost: {}\r\n\r\n", server.addr);
    slow.write_all(head.as_bytes()).await.expect("it is sent");
    slow.read_u8().await.expect("it begins to answer");

    let second = read(&server, &hash, "").await;
    assert_eq!(second.error(), (503, "Overloaded".to_owned()));
    assert_eq!(read(&server, &hash, "range: bytes=0-9\r\n").await.status, 206, "short parts need no stream");
    assert_eq!(get(server.addr, "/v1/contexts").await.status, 200);

    // Who takes nothing is left after a while, and the next one is served.
    let free = timeout(LONG, async {
        while read(&server, &hash, "").await.status == 503 {
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    });
    free.await.expect("its stream ends");
    let mut rest = Vec::new();
    let ended = timeout(LONG, slow.read_to_end(&mut rest)).await.expect("it is cut");
    assert!(ended.is_err() || rest.len() < 20 << 20, "what is cut is not taken for whole");
}
