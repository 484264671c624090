//! Appending.

use cairn_base::ContentHash;

use super::{MSGPACK, append, context, json, numbers, refused, text, turn};
use crate::client::send;
use crate::server::Server;

const PAYLOAD: &[u8] = b"\x81\x01\xa2hi";

#[tokio::test]
async fn a_turn_is_appended_and_read_back() {
    let server = Server::start().await;
    let addr = server.addr;
    context(addr).await;
    let first = append(addr, "1", "type_id=com.example.Message&type_version=3", "", PAYLOAD).await;
    assert_eq!(first.status, 201);
    insta::assert_snapshot!("appended", format!("{:#}", first.json()));
    let extra = "x-cairn-type-id: com.example.Message\r\nx-cairn-type-version: 3\r\n";
    let line = "POST /v1/contexts/1/append";
    for media_type in ["application/vnd.msgpack", "Application/X-MsgPack; charset=binary"] {
        let more = format!("content-type: {media_type}\r\n{extra}");
        assert_eq!(send(addr, line, &more, PAYLOAD).await.status, 201, "{media_type}");
    }
    insta::assert_snapshot!("turn", format!("{:#}", json(addr, "/v1/turns/3?view=raw").await));
    insta::assert_snapshot!(
        "page",
        format!("{:#}", json(addr, "/v1/contexts/1/turns?limit=1&view=raw").await)
    );
}

#[tokio::test]
async fn fields_pass_at_their_limits_and_not_beyond() {
    let server = Server::start().await;
    let addr = server.addr;
    context(addr).await;
    let long = "t".repeat(256);
    let key = |bytes: usize| format!("idempotency-key: {}\r\n", "k".repeat(bytes));
    let hash = ContentHash::of(PAYLOAD);
    for (query, extra) in [
        (format!("type_id={long}&type_version=4294967295&encoding=4294967295"), key(256)),
        ("type_id=&parent_turn_id=0".to_owned(), "if-match: \"1\"\r\n".to_owned()),
        (
            "type_id=%C3%A4%20b".to_owned(),
            format!("x-content-hash-b3: {}\r\n", hash.to_string().to_uppercase()),
        ),
        (
            "type_id=t&type_version=2".to_owned(),
            "x-cairn-type-id: t\r\nx-cairn-type-version: 2\r\n".to_owned(),
        ),
    ] {
        let answer = append(addr, "1", &query, &extra, PAYLOAD).await;
        assert_eq!(answer.status, 201, "{query} {extra}: {answer:?}");
    }
    let types = json(addr, "/v1/contexts/1/turns").await;
    let of = |at: usize| types["turns"][at]["declared_type"].clone();
    assert_eq!(of(0), serde_json::json!({"type_id": long, "type_version": u32::MAX}));
    assert_eq!(of(1), serde_json::json!({"type_id": "", "type_version": 1}));
    assert_eq!(of(2), serde_json::json!({"type_id": "ä b", "type_version": 1}));

    let no_hash = "0".repeat(64);
    for (query, extra, code) in [
        (format!("type_id={long}t"), String::new(), (422, "InvalidRequest")),
        ("type_version=1".to_owned(), String::new(), (422, "InvalidRequest")),
        ("type_id=t&type_version=4294967296".to_owned(), String::new(), (422, "InvalidRequest")),
        ("type_id=t&type_version=".to_owned(), String::new(), (422, "InvalidRequest")),
        ("type_id=t&type_id=t".to_owned(), String::new(), (422, "InvalidRequest")),
        ("type_id=t".to_owned(), "x-cairn-type-id: u\r\n".to_owned(), (422, "InvalidRequest")),
        (
            "type_id=t&type_version=1".to_owned(),
            "x-cairn-type-version: 2\r\n".to_owned(),
            (422, "InvalidRequest"),
        ),
        ("type_id=t&encoding=4294967296".to_owned(), String::new(), (422, "InvalidRequest")),
        ("type_id=t&parent_turn_id=x".to_owned(), String::new(), (422, "InvalidRequest")),
        ("type_id=t&parent_turn_id=99".to_owned(), String::new(), (404, "NotFound")),
        ("type_id=t&fs_root_hash=12".to_owned(), String::new(), (422, "InvalidRequest")),
        (format!("type_id=t&fs_root_hash={no_hash}"), String::new(), (404, "NotFound")),
        ("type_id=t".to_owned(), key(257), (422, "InvalidRequest")),
        ("type_id=t".to_owned(), key(1) + &key(1), (422, "InvalidRequest")),
        ("type_id=t".to_owned(), "if-match: *\r\n".to_owned(), (422, "InvalidRequest")),
        ("type_id=t".to_owned(), "x-content-hash-b3: 12\r\n".to_owned(), (422, "InvalidRequest")),
        ("type_id=t".to_owned(), format!("x-content-hash-b3: {no_hash}\r\n"), (422, "InvalidRequest")),
        ("type_id=t".to_owned(), "content-encoding: zstd\r\n".to_owned(), (415, "UnsupportedMediaType")),
    ] {
        let answer = append(addr, "1", &query, &extra, b"never stored").await;
        assert_eq!(answer.error(), (code.0, code.1.to_owned()), "{query} {extra}: {answer:?}");
    }
    assert_eq!(append(addr, "9", "type_id=t", "", b"never stored").await.status, 404);
    assert_eq!(json(addr, "/v1/contexts/1").await["head_turn_id"], "4");
    let blob = format!("/v1/blobs/{}", ContentHash::of(b"never stored"));
    refused(addr, &blob, (404, "NotFound")).await;
}

#[tokio::test]
async fn other_content_types_are_named_and_refused() {
    let server = Server::start().await;
    context(server.addr).await;
    for header in ["", "content-type: text/plain\r\n", "content-type: application/octet-stream\r\n"] {
        let answer = send(server.addr, "POST /v1/contexts/1/turns?type_id=t", header, b"{}").await;
        assert_eq!(answer.error(), (415, "UnsupportedMediaType".to_owned()), "{header}");
        let hint = answer.json()["error"]["details"]["hint"].to_string();
        assert!(hint.contains("application/msgpack"), "{hint}");
    }
}

#[tokio::test]
async fn a_repeated_append_answers_the_first_turn() {
    let server = Server::start().await;
    let addr = server.addr;
    context(addr).await;
    let key = "idempotency-key: once\r\n";
    let first = append(addr, "1", "type_id=t", key, PAYLOAD).await;
    turn(addr, "1", b"\x02").await;
    let again = append(addr, "1", "type_id=t", key, PAYLOAD).await;
    assert_eq!((first.status, again.status), (201, 200));
    let mut expected = first.json();
    expected["is_repeated"] = true.into();
    assert_eq!(again.json(), expected);
    let other = append(addr, "1", "type_id=t", key, b"\x03").await;
    assert_eq!(other.error(), (409, "Conflict".to_owned()));
    assert_eq!(other.json()["error"]["details"]["turn_id"], "1");
    assert_eq!(numbers(&json(addr, "/v1/contexts/1/turns").await), [1, 2]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn fifty_at_once_with_one_key_are_one_turn() {
    let server = Server::start().await;
    let addr = server.addr;
    context(addr).await;
    let send_one = || async move { append(addr, "1", "type_id=t", "idempotency-key: k\r\n", PAYLOAD).await };
    let all: Vec<_> = (0..50).map(|_| tokio::spawn(send_one())).collect();
    let mut statuses = Vec::new();
    for one in all {
        let answer = one.await.expect("it is answered");
        assert_eq!(text(&answer.json(), "turn_id"), "1");
        statuses.push(answer.status);
    }
    statuses.sort_unstable();
    assert_eq!((statuses[48], statuses[49]), (200, 201), "{statuses:?}");
    assert_eq!(numbers(&json(addr, "/v1/contexts/1/turns").await), [1]);
}

#[tokio::test]
async fn a_head_that_moved_refuses() {
    let server = Server::start().await;
    let addr = server.addr;
    context(addr).await;
    for (expected, status) in [("\"1\"", 409), ("\"0\"", 201), ("0", 409), ("1", 201), ("\"2\"", 201)] {
        let answer = append(addr, "1", "type_id=t", &format!("if-match: {expected}\r\n"), PAYLOAD).await;
        assert_eq!(answer.status, status, "{expected}: {answer:?}");
    }
    let answer = append(addr, "1", "type_id=t", "if-match: 1\r\n", PAYLOAD).await;
    assert_eq!(answer.error(), (409, "Conflict".to_owned()));
    assert_eq!(answer.json()["error"]["details"]["head_turn_id"], "3");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn of_many_who_expect_the_same_head_one_wins() {
    let server = Server::start().await;
    let addr = server.addr;
    context(addr).await;
    for round in 0..5 {
        let race = move |number: u8| async move {
            let expected = format!("if-match: \"{round}\"\r\n");
            append(addr, "1", "type_id=t", &expected, &[0xcc, number]).await.status
        };
        let all: Vec<_> = (0..10).map(|number| tokio::spawn(race(number))).collect();
        let mut won = 0;
        for one in all {
            match one.await.expect("it is answered") {
                201 => won += 1,
                status => assert_eq!(status, 409),
            }
        }
        assert_eq!(won, 1, "round {round}");
    }
    assert_eq!(numbers(&json(addr, "/v1/contexts/1/turns").await), [1, 2, 3, 4, 5]);
}

#[tokio::test]
async fn large_payloads_pass_whole() {
    let server = Server::start().await;
    let addr = server.addr;
    context(addr).await;
    let payload: Vec<u8> = (0..5_u32 << 20).map(|at| (at * 7 % 251) as u8).collect();
    let hash = ContentHash::of(&payload).to_string();
    let appended = append(addr, "1", "type_id=t", &format!("x-content-hash-b3: {hash}\r\n"), &payload).await;
    assert_eq!((appended.status, text(&appended.json(), "content_hash_b3")), (201, hash.clone()));
    let read = json(addr, "/v1/contexts/1/turns?view=raw").await;
    let bytes = cairn_base::from_base64(&text(&read["turns"][0], "bytes_b64")).expect("base64");
    assert_eq!(ContentHash::of(&bytes).to_string(), hash);
    let wrong =
        append(addr, "1", "type_id=t", &format!("x-content-hash-b3: {hash}\r\n"), &payload[1..]).await;
    assert_eq!(wrong.error(), (422, "InvalidRequest".to_owned()));
    refused(addr, &format!("/v1/blobs/{}", ContentHash::of(&payload[1..])), (404, "NotFound")).await;
}

#[tokio::test]
async fn payloads_stop_at_their_own_limit() {
    let http = cairn_http::HttpConfig { body_bytes_max: 16, content_bytes_max: 100, ..Default::default() };
    let server = Server::with(http, cairn_gate::GateConfig::default()).await;
    let addr = server.addr;
    context(addr).await;
    assert_eq!(append(addr, "1", "type_id=t", "", &[1; 100]).await.status, 201);
    assert_eq!(append(addr, "1", "type_id=t", "", &[1; 101]).await.error(), (413, "TooLarge".to_owned()));
    assert_eq!(send(addr, "POST /v1/blobs", "", &[2; 101]).await.error(), (413, "TooLarge".to_owned()));
    let long = send(addr, "POST /v1/contexts", "content-type: application/json\r\n", &[b' '; 17]).await;
    assert_eq!(
        long.error(),
        (413, "TooLarge".to_owned()),
        "where the body is no content the other limit holds"
    );
    assert!(MSGPACK.ends_with("\r\n"));
}
