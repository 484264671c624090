//! Turns whose payloads are damaged: every other turn is shown, exported and imported.

use std::sync::Arc;

use cairn_base::{ContentHash, ContextId, TenantId, TurnId};
use cairn_gate::GateConfig;
use cairn_http::{Bytes, Client, HttpConfig};
use cairn_seam::{MemoryStore, Store};
use cairn_wire::bulk::ImportReport;
use serde_json::Value;
use tokio::sync::mpsc;

use super::{append, context, json, numbers, turn};
use crate::client::{get, send};
use crate::server::{LONG, Server};

/// Four turns; the payload of the second and the root of the tree of the third are damaged.
async fn damaged() -> Server {
    let mut kept: Option<Arc<MemoryStore>> = None;
    let keep = |store| -> Arc<dyn Store> {
        let store = Arc::new(store);
        kept = Some(Arc::clone(&store));
        store
    };
    let server = Server::over(keep, HttpConfig::default(), GateConfig::default()).await;
    let addr = server.addr;
    assert_eq!(context(addr).await, "1");
    turn(addr, "1", b"\xa3one").await;
    turn(addr, "1", b"\xa3two").await;
    let root = send(addr, "POST /v1/blobs", "", &[0x90]).await.json();
    let query = format!("type_id=t&fs_root_hash={}", root["hash"].as_str().expect("a hash"));
    assert_eq!(append(addr, "1", &query, "", b"\xa5three").await.status, 201);
    turn(addr, "1", b"\xa4four").await;
    let store = kept.expect("it was made");
    store.damage_blob(TenantId::LOCAL, &ContentHash::of(b"\xa3two"));
    store.damage_blob(TenantId::LOCAL, &ContentHash::of(&[0x90]));
    server
}

#[tokio::test]
async fn a_damaged_payload_is_marked_in_every_view_and_hides_no_other_turn() {
    let server = damaged().await;
    for view in ["typed", "raw", "both"] {
        let page = json(server.addr, &format!("/v1/contexts/1/turns?view={view}")).await;
        assert_eq!(numbers(&page), [1, 2, 3, 4], "{view}");
        let alone = json(server.addr, &format!("/v1/turns/2?view={view}")).await;
        for turn in [&page["turns"][1], &alone] {
            let reason = turn["unreadable"].as_str().expect("a reason");
            assert!(reason.contains("damaged"), "{reason}");
            for absent in ["bytes_b64", "data", "decoded_as", "error"] {
                assert!(turn[absent].is_null(), "{view}: {turn}");
            }
            assert_eq!((&turn["depth"], &turn["declared_type"]["type_id"]), (&1.into(), &"t".into()));
            assert_eq!(turn["content_hash_b3"].is_string(), view != "typed", "{turn}");
        }
        for other in [0, 2, 3] {
            assert!(page["turns"][other]["unreadable"].is_null(), "{page}");
            assert_eq!(page["turns"][other]["bytes_b64"].is_string(), view != "typed", "{page}");
        }
        for path in ["contexts/1/turns?limit=1&before_turn_id=3", "turns/2?"] {
            let strict = get(server.addr, &format!("/v1/{path}&view={view}&strict=1")).await;
            assert_eq!(strict.error(), (500, "DecodeError".to_owned()), "{path}: {strict:?}");
            assert_eq!(strict.json()["error"]["details"]["turn_id"], "2");
        }
    }
    // Nothing is read where no bytes are wanted.
    let page = json(server.addr, "/v1/contexts/1/turns?view=raw&bytes_render=len_only").await;
    assert_eq!((&page["turns"][1]["bytes_len"], page["turns"][1]["unreadable"].is_null()), (&4.into(), true));
}

async fn client(server: &Server) -> Client {
    Client::over(server.local().await, LONG).await.expect("it connects")
}

async fn export(server: &Server, contexts: &[ContextId]) -> String {
    let mut text = Vec::new();
    let take = &mut |bytes: &[u8], _: TurnId| {
        text.extend_from_slice(bytes);
        true
    };
    client(server).await.export(contexts, TurnId::NONE, take).await.expect("it comes");
    String::from_utf8(text).expect("lines are text")
}

async fn import(server: &Server, text: &str) -> ImportReport {
    let (pieces, coming) = mpsc::channel(1);
    let bytes = Bytes::copy_from_slice(text.as_bytes());
    tokio::spawn(async move { pieces.send(bytes).await });
    client(server).await.import(None, coming, &mut |_| ()).await.expect("it is imported")
}

#[tokio::test]
async fn an_export_says_what_is_missing_and_its_import_keeps_every_turn_in_its_place() {
    let server = damaged().await;
    for contexts in [&[][..], &[ContextId(1)]] {
        let text = export(&server, contexts).await;
        let lines: Vec<Value> =
            text.lines().map(|line| serde_json::from_str(line).expect("a line is JSON")).collect();
        let unreadable: Vec<&Value> = lines.iter().filter(|line| line["unreadable"].is_object()).collect();
        assert_eq!(unreadable.len(), 1, "{text}");
        assert_eq!(unreadable[0]["unreadable"]["turn_id"], "2");
        assert!(text.contains("{\"unreadable\":{\"turn_id\":\"2\""), "the command looks for it: {text}");
        let end = &lines.last().expect("an end")["end"];
        assert_eq!(end["turns"], 3);
        let missing = serde_json::json!({
            "turns": 1, "trees": 1, "blobs": 0, "bundles": 0, "turn_ids": ["2", "3"], "blob_hashes": []
        });
        assert_eq!(end["unreadable"], missing);

        let other = Server::start().await;
        let report = import(&other, &text).await;
        assert_eq!((report.turns, report.placeholders, report.skipped), (4, 1, 0));
        let page = json(other.addr, "/v1/contexts/1/turns?view=raw").await;
        assert_eq!(numbers(&page), [1, 2, 3, 4]);
        let parents: Vec<_> = (0..4).map(|at| page["turns"][at]["parent_turn_id"].as_str()).collect();
        assert_eq!(parents, [Some("0"), Some("1"), Some("2"), Some("3")]);
        assert_eq!(page["turns"][1]["declared_type"]["type_id"], "cairn.unreadable");
        assert!(page["turns"][1]["unreadable"].is_null(), "what is here is whole: {page}");
        // A tree that is missing is not one that an older turn had.
        let files = json(other.addr, "/v1/turns/4/fs").await;
        assert!(files.to_string().contains("cairn-unreadable.txt"), "{files}");
        assert_eq!(import(&other, &text).await.turns, 0, "again it is skipped");
        // An end that is silent about what is missing is no end of this export.
        let honest = text.replace("\"unreadable\":{\"turns\":1,", "\"unreadable\":{\"turns\":0,");
        let (pieces, coming) = mpsc::channel(1);
        tokio::spawn(async move { pieces.send(Bytes::from(honest)).await });
        client(&other).await.import(Some("x"), coming, &mut |_| ()).await.expect_err("it is refused");
    }
}
