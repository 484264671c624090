//! kill -9 in the middle of concurrent publishes: every acknowledged artifact is there, verifies and is found once.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::mpsc;
use std::thread;

use cairn_access::identity::{Identity, sign};
use cairn_base::{Base64, CanonicalObject, Clock, Entropy, SystemClock, SystemEntropy, Value, to_iso_utc};
use serde_json::Value as Json;

use crate::connection::Connection;
use crate::program::{Server, cairn, within};

const CLIENTS: usize = 16;
/// Publishes of one client, if nothing comes in between.
const EACH: usize = 500;
/// Acknowledged publishes before the server is killed: well before all are done, as a debug build takes its time.
const KILLED_AFTER: usize = 1200;

/// A body that the node signs, or one that its author has signed, whose name is its key.
fn body(author: Option<&Identity>, client: usize, number: usize) -> Vec<u8> {
    let content = format!("client {client} saw kingfisher number {number}");
    let mut object = CanonicalObject::parse(b"{}").expect("an object");
    let mut set = |field: &str, text: String| object.set(field, &Value::String(text)).expect("a text");
    set("title", format!("Report {number} of {client}"));
    set("format", "text".into());
    set("visibility", "public".into());
    if let Some(author) = author {
        set("id", uuid());
        set("version", "1".into());
        set("user_id", author.public_key().to_string());
        set("tenant_id", "local".into());
        set("timestamp", to_iso_utc(SystemClock.now_ms()));
        set("content_hash", format!("{:?}", cairn_seam::Sha256::of(content.as_bytes())));
        let signature = sign(&object, author).signature.to_string();
        object.set("signature", &Value::String(signature)).expect("a text");
    }
    object.set("_content_b64", &Value::String(Base64(content.as_bytes()).to_string())).expect("a text");
    object.to_json(|_| true).into_bytes()
}

fn uuid() -> String {
    let mut bytes = [0; 16];
    SystemEntropy.fill(&mut bytes);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    [&hex[..8], &hex[8..12], &hex[12..16], &hex[16..20], &hex[20..]].join("-")
}

/// Publishes one after the other until the server is gone, and says what was acknowledged. Returns what was not.
fn publish(addr: &str, client: usize, acknowledged: &mpsc::Sender<String>) -> Option<Vec<u8>> {
    let author = client.is_multiple_of(2).then(|| Identity::random(&SystemEntropy, &SystemClock));
    let mut connection = Connection::open(addr);
    for number in 0..EACH {
        let body = body(author.as_ref(), client, number);
        let Some((status, said)) = connection.ask("POST", "/kcp/v1/artifacts", &body) else {
            return author.is_some().then_some(body);
        };
        assert_eq!(status, 201, "{said}");
        let id = said["id"].as_str().expect("an id").to_owned();
        if acknowledged.send(id).is_err() {
            return None;
        }
    }
    None
}

/// A server that logs no requests: nobody reads what it prints, and a pipe that is full would stop it.
fn start(dir: &Path) -> Server {
    let mut command = cairn(dir, &["serve", "--json", "--http", "127.0.0.1:0", "--data-dir", "data"]);
    command.env("CAIRN_LOG_LEVEL", "warn");
    Server::spawn(command)
}

#[test]
fn acknowledged_artifacts_survive_kill_9_and_are_found_once() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let server = start(dir.path());
    let (tell, told) = mpsc::channel();
    let publishing: Vec<_> = (0..CLIENTS)
        .map(|client| {
            let (addr, tell) = (server.addr().to_owned(), tell.clone());
            thread::spawn(move || publish(&addr, client, &tell))
        })
        .collect();
    drop(tell);
    let (first, told) =
        within("acknowledgements", move || (told.iter().take(KILLED_AFTER).collect::<Vec<_>>(), told));
    server.kill();
    let in_flight: Vec<_> =
        publishing.into_iter().filter_map(|client| client.join().expect("no other response")).collect();
    let acknowledged: Vec<String> = first.into_iter().chain(told).collect();
    let ids: BTreeSet<&str> = acknowledged.iter().map(String::as_str).collect();
    assert_eq!(ids.len(), acknowledged.len(), "no id was given twice");
    assert!((KILLED_AFTER..CLIENTS * EACH).contains(&ids.len()), "{} of {}", ids.len(), CLIENTS * EACH);

    let server = start(dir.path());
    thread::scope(|scope| {
        for share in acknowledged.chunks(acknowledged.len().div_ceil(CLIENTS)) {
            let mut connection = Connection::open(server.addr());
            scope.spawn(move || {
                for id in share {
                    let got =
                        connection.ask("GET", &format!("/kcp/v1/artifacts/{id}"), b"").expect("a response");
                    assert_eq!((got.0, got.1["id"].as_str()), (200, Some(id.as_str())), "{}", got.1);
                    let question = format!("{{\"id\":\"{id}\"}}");
                    let verified = connection.ask("POST", "/kcp/v1/verify", question.as_bytes());
                    let (status, said) = verified.expect("a response");
                    assert_eq!((status, &said["valid"]), (200, &Json::Bool(true)), "{id}: {said}");
                }
            });
        }
    });
    for query in ["", "&q=kingfisher"] {
        let listed = list(server.addr(), query);
        let once: BTreeSet<&str> = listed.iter().map(String::as_str).collect();
        assert_eq!(once.len(), listed.len(), "none is listed twice");
        assert!(ids.is_subset(&once), "{} of {} are listed", ids.intersection(&once).count(), ids.len());
        // Each client may have had one more stored without hearing of it.
        assert!(once.len() <= ids.len() + CLIENTS, "{} for {}", once.len(), ids.len());
    }
    // What got no response can be sent again: it is there once.
    let mut connection = Connection::open(server.addr());
    for body in &in_flight {
        let (status, said) = connection.ask("POST", "/kcp/v1/artifacts", body).expect("a response");
        assert!(matches!(status, 200 | 201), "{status}: {said}");
        let (status, said) = connection.ask("POST", "/kcp/v1/artifacts", body).expect("a response");
        assert_eq!(status, 200, "{said}");
    }
    let verified = crate::program::run(dir.path(), &["doctor", "--data-dir", "data"]);
    assert!(verified.status.success(), "{verified:?}");
}

/// Ids of all artifacts, page by page, once the search index has them.
fn list(addr: &str, query: &str) -> Vec<String> {
    let (addr, query) = (addr.to_owned(), query.to_owned());
    within("the whole list", move || {
        let mut connection = Connection::open(&addr);
        let mut page = |offset: usize| loop {
            let path = format!("/kcp/v1/artifacts?limit=500&offset={offset}{query}");
            let (status, said) = connection.ask("GET", &path, b"").expect("a response");
            let is_whole = said["behind"] == Json::Bool(false) && said["rebuilding"] == Json::Bool(false);
            match status {
                200 if is_whole => return said,
                200 | 429 => {}
                _ => panic!("{status}: {said}"),
            }
        };
        let mut ids: Vec<String> = Vec::new();
        loop {
            let said = page(ids.len());
            let found = said["results"].as_array().expect("a list");
            if found.is_empty() {
                assert_eq!(said["total"].as_u64(), Some(ids.len() as u64));
                return ids;
            }
            ids.extend(found.iter().map(|item| item["id"].as_str().expect("an id").to_owned()));
        }
    })
}
