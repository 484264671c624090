//! Syncs over HTTP: lines in, lines out.

use axum::body::Bytes;
use cairn_http::{Client, ClientError};
use cairn_kb::sync::{SyncFile, SyncHeader, SyncReport};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::{client, with_main};
use crate::client::{get, send};
use crate::server::Server;

fn file(path: &str, hash: &str, entities: &[Value]) -> SyncFile {
    let entities: Vec<Value> = entities.iter().map(|entity| json!({"line": 2, "entity": entity})).collect();
    serde_json::from_value(json!({"path": path, "hash": hash, "entities": entities})).expect("a file")
}

fn req(id: &str, links: Value) -> Value {
    json!({"type": "req", "id": id, "properties": {"title": id, "status": "open"}, "relationships": links})
}

async fn sync(client: &mut Client, header: Value, files: &[SyncFile]) -> Result<SyncReport, ClientError> {
    let header: SyncHeader = serde_json::from_value(header).expect("a header");
    let (send, text) = mpsc::channel(8);
    let lines: Vec<Vec<u8>> =
        std::iter::once(header.line()).chain(files.iter().map(SyncFile::line)).collect();
    tokio::spawn(async move {
        for line in lines {
            // The server answers early what it refuses.
            let _ = send.send(Bytes::from(line)).await;
        }
    });
    client.kb_sync("shop", "main", text, &mut |_| {}).await
}

#[tokio::test]
async fn files_are_synced_and_listed() {
    let server = with_main().await;
    let mut client = client(&server).await;
    let links = json!([{"type": "specified_by", "from": "DOC-1", "to": "SCEN-1"}]);
    let files = [file("a.md", "1", &[req("DOC-1", links)]), file("b.md", "1", &[req("DOC-2", json!([]))])];
    let report = sync(&mut client, json!({}), &files).await.expect("synced");
    assert_eq!((report.created, report.relationships_created, report.stored), (2, 1, true));
    let listed = client.kb_files("shop", "main").await.expect("files");
    assert_eq!(listed.sync_id, report.sync_id);
    assert_eq!(listed.files.iter().map(|file| &*file.path).collect::<Vec<_>>(), ["a.md", "b.md"]);
    assert_eq!(listed.files[0].entities, ["DOC-1"]);
    let stale = sync(&mut client, json!({"expectSync": "0.0"}), &files).await.expect_err("refused");
    let ClientError::Refused { code, .. } = &stale else { panic!("{stale}") };
    assert_eq!(code.map(|code| code.name()), Some("KbSyncMoved"), "{stale}");
    let removed = sync(&mut client, json!({"removed": ["a.md"], "expectSync": listed.sync_id}), &[]);
    let removed = removed.await.expect("synced");
    assert_eq!((removed.removed, removed.files_removed), (1, 1));
    let status = client.kb_status("shop", "main").await.expect("a status");
    assert_eq!((status.entities, status.file_owned), (3, 1));
}

#[tokio::test]
async fn a_wrong_line_syncs_nothing() {
    let server = with_main().await;
    let good = String::from_utf8(file("a.md", "1", &[req("DOC-1", json!([]))]).line()).expect("text");
    for (body, status, code, message) in [
        (String::new(), 422, "InvalidRequest", "the body is empty"),
        (format!("{{}}\n{good}{{\"path\": 1}}\n"), 422, "InvalidRequest", "line 3: "),
        (format!("{{}}\n{good}nonsense\n"), 400, "MalformedJson", "line 3: "),
        (format!("{{\"forced\": true}}\n{good}"), 422, "InvalidRequest", "line 1: "),
        (format!("{{}}\n{good}{good}"), 422, "KbInvalidArgument", "appears twice"),
        ("{\"removed\": [\"../a.md\"]}\n".to_owned(), 422, "KbInvalidArgument", "segment"),
    ] {
        let answer = send(server.addr, "POST /v1/kb/shop/main/sync", "", body.as_bytes()).await;
        assert_eq!(answer.error(), (status, code.to_owned()), "{body}: {answer:?}");
        assert!(
            answer.json()["error"]["message"].as_str().is_some_and(|text| text.contains(message)),
            "{answer:?}"
        );
    }
    let listed = get(server.addr, "/v1/kb/shop/main/files").await.json();
    assert_eq!(listed["files"], json!([]));
    let nowhere = send(server.addr, "POST /v1/kb/shop/none/sync", "", b"{}\n").await;
    assert_eq!(nowhere.error(), (404, "KbNoBranch".to_owned()));
}

#[tokio::test]
async fn lines_are_read_however_they_are_cut() {
    let server: Server = with_main().await;
    let mut client = client(&server).await;
    let files: Vec<SyncFile> = (0..700)
        .map(|at| file(&format!("docs/{at:04}.md"), "1", &[req(&format!("DOC-{at:04}"), json!([]))]))
        .collect();
    let all: Vec<u8> = std::iter::once(SyncHeader::default().line())
        .chain(files.iter().map(SyncFile::line))
        .flatten()
        .collect();
    let (send, text) = mpsc::channel(4);
    tokio::spawn(async move {
        for piece in all.chunks(997) {
            let _ = send.send(Bytes::copy_from_slice(piece)).await;
        }
    });
    let report = client.kb_sync("shop", "main", text, &mut |_| {}).await.expect("synced");
    assert_eq!((report.files, report.created, report.problem_count), (700, 700, 0));
    let again = sync(&mut client, json!({}), &files).await.expect("synced");
    assert_eq!((again.unchanged, again.stored), (700, false));
}
