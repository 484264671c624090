//! Export, import and pruning.

use std::time::Duration;

use cairn_base::{ContextId, ErrorCode, TurnId};
use cairn_gate::GateConfig;
use cairn_http::{Bytes, Client, ClientError, HttpConfig};
use cairn_wire::bulk::{ImportReport, PruneJob};
use serde_json::Value;
use tokio::io::AsyncWriteExt;
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use super::{append, context, fork, json, numbers, turn};
use crate::client::{get, post, read_to_end, send};
use crate::server::{LONG, Server};

async fn client(server: &Server) -> Client {
    Client::over(server.local().await, LONG).await.expect("it connects")
}

async fn export(server: &Server, contexts: &[u64], after: u64) -> String {
    let mut text = Vec::new();
    let contexts: Vec<_> = contexts.iter().copied().map(ContextId).collect();
    let take = &mut |bytes: &[u8], _: TurnId| {
        text.extend_from_slice(bytes);
        true
    };
    client(server).await.export(&contexts, TurnId(after), take).await.expect("it comes");
    String::from_utf8(text).expect("lines are text")
}

/// Sends a text in pieces of so many bytes.
async fn import(
    server: &Server,
    id: Option<&str>,
    text: &str,
    piece: usize,
) -> Result<ImportReport, ClientError> {
    let (pieces, coming) = mpsc::channel(1);
    let chunks: Vec<_> = text.as_bytes().chunks(piece).map(Bytes::copy_from_slice).collect();
    tokio::spawn(async move {
        for chunk in chunks {
            if pieces.send(chunk).await.is_err() {
                return;
            }
        }
    });
    client(server).await.import(id, coming, &mut |_| ()).await
}

fn refused(outcome: Result<ImportReport, ClientError>) -> (Option<ErrorCode>, String) {
    match outcome {
        Err(ClientError::Refused { code, message, .. }) => (code, message),
        other => panic!("{other:?}"),
    }
}

/// Two contexts, the second of which goes on from the first turn of the first; and a file tree.
async fn story(server: &Server) {
    let addr = server.addr;
    assert_eq!(context(addr).await, "1");
    turn(addr, "1", b"\xa3one").await;
    turn(addr, "1", b"\xa3two").await;
    let file = send(addr, "POST /v1/blobs", "", b"a file").await.json();
    let mut tree = vec![0x91, 0x83, 1, 0xa1, b'f', 2, 0, 5, 0xc4, 32];
    let hash = file["hash"].as_str().expect("a hash");
    tree.extend((0..32).map(|at| u8::from_str_radix(&hash[2 * at..2 * at + 2], 16).expect("digits")));
    let root = send(addr, "POST /v1/blobs", "", &tree).await.json();
    let query = format!("type_id=t&fs_root_hash={}", root["hash"].as_str().expect("a hash"));
    assert_eq!(fork(addr, r#"{"base_turn_id":"1"}"#).await.status, 201);
    let appended = append(addr, "2", &query, "", b"\xa5three").await;
    assert_eq!(appended.status, 201, "{appended:?}");
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect()
}

#[tokio::test]
async fn what_is_exported_here_is_imported_there() {
    let (here, there) = (Server::start().await, Server::start().await);
    story(&here).await;
    let text = export(&here, &[], 0).await;
    let kinds: Vec<_> = lines(&text)
        .iter()
        .map(|line| line.as_object().expect("an object").keys().next().expect("a key").clone())
        .collect();
    let expected =
        ["cairn", "context", "turn", "context", "turn", "blob", "blob", "turn", "head", "head", "end"];
    assert_eq!(kinds, expected, "{text}");
    let third = &lines(&text)[7]["turn"];
    assert_eq!(
        (third["turn_id"].as_str(), third["context_id"].as_str(), third["parent_turn_id"].as_str()),
        (Some("3"), Some("2"), Some("1"))
    );
    assert_eq!(third["payload_b64"], "pXRocmVl");

    // Other turns are there already, so that numbers differ.
    context(there.addr).await;
    turn(there.addr, "1", b"\xc0").await;
    for piece in [1 << 20, 7] {
        let report = import(&there, None, &text, piece).await.expect("it is taken");
        let (new, skipped) = if piece == 7 { (0, 7) } else { (1, 0) };
        let expected = ImportReport {
            contexts: 2 * new,
            turns: 3 * new,
            blobs: 2 * new,
            bundles: 0,
            placeholders: 0,
            skipped,
        };
        assert_eq!(report, expected);
    }
    let page = json(there.addr, "/v1/contexts/3/turns?view=raw").await;
    assert_eq!(numbers(&page), [2, 4]);
    let before = json(here.addr, "/v1/contexts/2/turns?view=raw").await;
    for (then, now) in
        before["turns"].as_array().expect("turns").iter().zip(page["turns"].as_array().expect("turns"))
    {
        for name in ["created_at_unix_ms", "content_hash_b3", "bytes_b64", "fs_root_hash", "depth"] {
            assert_eq!(then[name], now[name], "{name}");
        }
    }
    let (then, now) = (json(here.addr, "/v1/contexts/2").await, json(there.addr, "/v1/contexts/3").await);
    for name in ["created_at_unix_ms", "last_activity_at", "head_depth"] {
        assert_eq!(then[name], now[name], "{name}");
    }
    let file = get(there.addr, "/v1/turns/4/fs/f").await;
    assert_eq!((file.status, file.body.as_str()), (200, "a file"));

    // Under another id they are others.
    let report = import(&there, Some("once more? & more"), &text, 100).await.expect("it is taken");
    assert_eq!((report.contexts, report.turns), (2, 3));
    // What came since is added to what was imported.
    turn(here.addr, "2", b"\xa4four").await;
    let report = import(&there, None, &export(&here, &[], 3).await, 1 << 20).await.expect("it is taken");
    assert_eq!((report.contexts, report.turns), (0, 1));
    assert_eq!(numbers(&json(there.addr, "/v1/contexts/3/turns").await), [2, 4, 8]);
    // And one context comes with what it reaches.
    let one = export(&here, &[2], 0).await;
    assert_eq!(lines(&one).iter().filter(|line| line["turn"].is_object()).count(), 3);
}

#[tokio::test]
async fn a_cut_body_is_refused_and_goes_on_where_it_stopped() {
    let here = Server::start().await;
    story(&here).await;
    let text = export(&here, &[], 0).await;
    let ends: Vec<_> = text.match_indices('\n').map(|(at, _)| at + 1).collect();
    // They end with the test.
    let mut servers = Vec::new();
    for cut in ends.iter().copied().chain([ends[3] + 30, 0]).filter(|cut| *cut < text.len()) {
        let there = Server::start().await;
        let (code, message) = refused(import(&there, None, &text[..cut], 1 << 20).await);
        assert_eq!(code, Some(ErrorCode::InvalidRequest), "{message}");
        let report = import(&there, None, &text, 1 << 20).await.expect("it goes on");
        let whole_turns =
            text[..cut].rfind('\n').map_or("", |end| &text[..end]).matches("{\"turn\":").count();
        assert_eq!(report.turns, 3 - whole_turns as u64, "cut at {cut}");
        let pages =
            [json(there.addr, "/v1/contexts/1/turns").await, json(there.addr, "/v1/contexts/2/turns").await];
        assert_eq!(pages.map(|page| numbers(&page)), [vec![1, 2], vec![1, 3]], "cut at {cut}");
        servers.push(there);
    }
}

#[tokio::test]
async fn wrong_lines_are_named() {
    let (here, there) = (Server::start().await, Server::start().await);
    story(&here).await;
    let text = export(&here, &[], 0).await;
    let all: Vec<_> = text.lines().map(str::to_owned).collect();
    let with = |at: usize, from: &str, to: &str| {
        let mut all = all.clone();
        assert!(all[at].contains(from), "{from} in {}", all[at]);
        all[at] = all[at].replace(from, to);
        all.join("\n") + "\n"
    };
    for (text, line, why) in [
        (with(2, "{\"turn\"", "{turn"), 3, "key must be a string"),
        (with(2, "payload_b64\":\"", "payload_b64\":\"!"), 3, "payload_b64 is no base64"),
        (with(2, "payload_b64\":\"o", "payload_b64\":\"p"), 3, "it was changed"),
        (with(5, "data_b64\":\"", "data_b64\":\"AAAA"), 6, "it was changed"),
        (with(4, "parent_turn_id\":\"1", "parent_turn_id\":\"77"), 5, "turn 77 did not come before"),
        (with(3, "base_turn_id\":\"1", "base_turn_id\":\"9"), 4, "turn 9 did not come before"),
        (with(7, "fs_root_hash\":\"", "fs_root_hash\":\"x"), 8, "fs_root_hash"),
        (with(4, "turn_id\":\"2", "turn_id\":\"-2"), 5, "is no number as text"),
        (with(4, "turn_id\":\"2", "turn_id\":\"0"), 5, "turn_id is 0"),
        (with(0, "version\":1", "version\":2"), 1, "a newer one may"),
        (with(0, "\"turns\"", "\"graph\""), 1, "a newer one may"),
        (with(1, "{\"context\"", "{\"other\""), 2, "none of header"),
        (with(10, "turns\":3", "turns\":4"), 11, "something is missing"),
        (all[1..].join("\n"), 1, "a header must come first"),
        (format!("{text}{}\n", all[1]), 12, "a header must come first"),
    ] {
        // Each is an import of its own.
        let (code, message) = refused(import(&there, Some(&format!("{line} {why}")), &text, 1 << 20).await);
        assert_eq!(code, Some(ErrorCode::InvalidRequest), "{message}");
        assert!(message.starts_with(&format!("line {line}: ")) && message.contains(why), "{message}");
    }
    let long = "x".repeat(257);
    assert_eq!(refused(import(&there, Some(&long), &text, 1 << 20).await).0, Some(ErrorCode::InvalidRequest));
    // A status says so when it is known at once.
    let refused = send(there.addr, "POST /v1/import", "", b"{}\n").await;
    assert_eq!((refused.status, refused.json()["error"]["details"]["line"].as_u64()), (422, Some(1)));
    for (path, status) in [("contexts=999999", 404), ("contexts=x", 422), ("after_turn=-1", 422)] {
        assert_eq!(get(there.addr, &format!("/v1/export?{path}")).await.status, status, "{path}");
    }
}

#[tokio::test]
async fn more_than_fits_into_one_batch_comes_through() {
    let (here, there) = (Server::start().await, Server::start().await);
    assert_eq!(context(here.addr).await, "1");
    // Long enough for a place of its own, and for more than one page.
    turn(here.addr, "1", &vec![b'x'; 9 << 20]).await;
    let mut text = export(&here, &[], 0).await;
    let large = text.len();
    assert!(large > 12 << 20);
    text.truncate(text.find("{\"head\"").expect("a head"));
    for number in 2..1_300 {
        text += &format!(
            "{{\"turn\":{{\"turn_id\":\"{number}\",\"context_id\":\"1\",\"parent_turn_id\":\"{}\",\"type_id\":\"t\",\
             \"type_version\":1,\"encoding\":1,\"created_at_unix_ms\":5,\"payload_b64\":\"wA==\"}}}}\n",
            number - 1
        );
    }
    text += "{\"end\":{\"contexts\":1,\"turns\":1299,\"blobs\":0,\"bundles\":0}}\n";
    let report = import(&there, None, &text, 1 << 20).await.expect("it is taken");
    assert_eq!((report.contexts, report.turns), (1, 1299));
    let again = lines(&export(&there, &[], 1).await);
    assert_eq!(again.iter().filter(|line| line["turn"].is_object()).count(), 1298);
}

#[tokio::test]
async fn few_at_once_and_a_client_that_stops_is_given_up() {
    let config = HttpConfig { patience: Duration::from_secs(2), ..HttpConfig::default() };
    let server = Server::with(config, GateConfig::default()).await;
    let begin =
        "POST /v1/import HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-length: 99\r\n\r\n{";
    let mut streams = Vec::new();
    for _ in 0..2 {
        let mut stream = TcpStream::connect(server.addr).await.expect("it accepts");
        stream
            .write_all(begin.replace("localhost", &server.addr.to_string()).as_bytes())
            .await
            .expect("it reads");
        streams.push(stream);
    }
    // As soon as both have their places, there is none for a third.
    let mut third = get(server.addr, "/v1/export").await;
    for _ in 0..500 {
        if third.status != 200 {
            break;
        }
        third = get(server.addr, "/v1/export").await;
    }
    assert_eq!(third.error(), (503, "Overloaded".to_owned()));
    // Both say nothing more, and their places come back.
    for mut stream in streams {
        let answer = read_to_end(&mut stream).await;
        assert!(answer.body.contains("DeadlineExceeded"), "{answer:?}");
    }
    let text = export(&server, &[], 0).await;
    assert_eq!(lines(&text).len(), 2, "{text}");
}

#[tokio::test]
async fn pruning_is_a_dry_run_until_it_is_applied() {
    let server = Server::start().await;
    story(&server).await;
    let mut job = PruneJob { contexts: Some(vec!["1".to_owned()]), ..PruneJob::default() };
    let mut stages = 0;
    let dry = client(&server).await.prune(&job, &mut |_| stages += 1).await.expect("it is looked at");
    assert_eq!((dry.contexts, dry.turns, dry.payload_bytes, dry.applied), (1, 1, 4, false));
    assert_eq!((dry.contexts_kept, dry.turns_kept), (1, 2));
    assert!(stages > 0);
    assert_eq!(get(server.addr, "/v1/contexts/1/turns").await.status, 200);
    job.apply = true;
    let done = client(&server).await.prune(&job, &mut |_| ()).await.expect("it is done");
    assert_eq!((done.contexts, done.turns, done.applied), (1, 1, true));
    assert_eq!(get(server.addr, "/v1/contexts/1/turns").await.status, 404);
    assert_eq!(get(server.addr, "/v1/turns/2").await.status, 404);
    assert_eq!(numbers(&json(server.addr, "/v1/contexts/2/turns").await), [1, 3]);
    for body in [r"{}", r#"{"keep":1,"older_than_ms":1}"#, r#"{"contexts":["x"]}"#, r#"{"kep":1}"#] {
        assert_eq!(post(server.addr, "/v1/admin/prune", body).await.status, 422, "{body}");
    }
    let rest = post(server.addr, "/v1/admin/prune", r#"{"keep":0,"apply":true}"#).await;
    assert!(rest.body.contains(r#""turns":2"#), "{rest:?}");
}
