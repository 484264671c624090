//! Turns whose payloads are damaged on disk: everything else is served, exported and found.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cairn_access::{Action, Principal, Resource};
use cairn_base::fs::{FileSystem, SimulatedFs};
use cairn_base::{ContentHash, ContextId, ManualClock, SeededEntropy, TenantId, TurnId};
use cairn_embedded::{Background, EmbeddedOptions, EmbeddedStore};
use cairn_engine::{
    Act, Engine, EngineConfig, Export, ExportCounts, ExportItem, ExportedTree, TurnPayload, Window, WindowAt,
};
use cairn_seam::{Blob, StoreCode, WriteTx};
use cairn_turns::{Append, DeclaredType};

use crate::support::{NOW_MS, RAW};

const TENANT: TenantId = TenantId::LOCAL;
const DIR: &str = "data";

fn on_disk(fs: &SimulatedFs) -> Arc<Engine> {
    let clock = Arc::new(ManualClock::new(NOW_MS));
    let options = EmbeddedOptions {
        fs: Arc::new(fs.clone()),
        clock: clock.clone(),
        entropy: Arc::new(SeededEntropy::new(1)),
        segment_bytes: 64 << 10,
        reserve_bytes: 0,
        cache_bytes: 1 << 20,
        background: Background::Manual,
        ..EmbeddedOptions::default()
    };
    let store = EmbeddedStore::open(Path::new(DIR), options).unwrap();
    Engine::open(Arc::new(store), clock, Arc::new(SeededEntropy::new(1)), EngineConfig::default()).unwrap()
}

fn owner() -> Principal {
    Principal::local_owner()
}

fn write<T: Send + 'static>(
    engine: &Engine,
    mut act: impl FnMut(&mut dyn WriteTx, &cairn_access::Scope) -> Result<T, cairn_turns::TurnsError>
    + Send
    + 'static,
) -> T {
    let writing = Act::new(Action::TurnsWrite, Resource::tenant(TENANT));
    engine.transact(&owner(), writing, move |tx, scope| Ok(act(tx, scope)?)).unwrap().value
}

fn put(engine: &Engine, bytes: &[u8]) -> ContentHash {
    let blob = Blob::new(bytes.to_vec()).unwrap();
    let hash = blob.hash();
    write(engine, move |tx, _| Ok(tx.put_blob(&blob)?));
    hash
}

fn append(engine: &Engine, text: &str, tree: Option<ContentHash>) -> TurnId {
    let payload = Blob::new(text.as_bytes().to_vec()).unwrap();
    let request = Append {
        context: ContextId(1),
        parent: None,
        expected_head: None,
        declared: DeclaredType { id: "t".into(), version: 1 },
        encoding: 1,
        compression: 0,
        payload_bytes: u32::try_from(payload.len()).unwrap(),
        payload,
        tree,
        key: None,
        remember_ms: 0,
        now_ms: 1,
        strict: false,
    };
    write(engine, move |tx, scope| Ok(cairn_turns::append(tx, scope, &request)?.turn.id))
}

/// A folder with one file.
fn folder(file: ContentHash, name: u8) -> Vec<u8> {
    let mut bytes = vec![0x91, 0x83, 1, 0xa1, name, 2, 0, 5, 0xc4, 32];
    bytes.extend(file.as_bytes());
    bytes
}

/// Flips a bit inside these bytes, wherever they stand in the log.
fn damage(fs: &SimulatedFs, bytes: &[u8]) {
    let mut hits = 0;
    for name in fs.list(Path::new(DIR)).unwrap().iter().filter(|name| name.starts_with("segment-")) {
        let path: PathBuf = Path::new(DIR).join(name);
        let content = fs.read_all(&path).unwrap();
        for at in (0..content.len()).filter(|at| content[*at..].starts_with(bytes)) {
            fs.flip(&path, at as u64 + 1);
            hits += 1;
        }
    }
    assert!(hits > 0, "{bytes:?} is in the log");
}

/// A closed store with four turns, on a disk.
fn written() -> SimulatedFs {
    let fs = SimulatedFs::new(1);
    let engine = on_disk(&fs);
    write(&engine, |tx, scope| cairn_turns::create(tx, scope, None, 1));
    let file = put(&engine, b"the one file");
    let whole = put(&engine, &folder(file, b'w'));
    let other = put(&engine, b"another file");
    let root = put(&engine, &folder(other, b'q'));
    append(&engine, "the first payload", Some(whole));
    append(&engine, "the second payload", None);
    append(&engine, "the third payload", Some(root));
    append(&engine, "the fourth payload", None);
    engine.close().unwrap();
    fs
}

fn window(engine: &Engine, with_payload: bool) -> Vec<(TurnId, Option<TurnPayload>)> {
    let window =
        Window { context: ContextId(1), at: WindowAt::Head, limit: 9, with_payload, bytes_max: 1 << 20 };
    let mut seen = Vec::new();
    let visit = &mut |_: &_, turn: &cairn_turns::Turn, payload: Option<&TurnPayload>| {
        seen.push((turn.id, payload.cloned()));
    };
    engine.turns_window(&owner(), TENANT, window, |_| Ok(()), visit).unwrap();
    seen
}

fn is_bytes(payload: &Option<TurnPayload>, expected: &str) -> bool {
    matches!(payload, Some(TurnPayload::Bytes(bytes)) if **bytes == *expected.as_bytes())
}

#[test]
fn a_damaged_payload_is_marked_and_costs_no_other_turn() {
    let fs = written();
    damage(&fs, b"the second payload");
    let engine = on_disk(&fs);
    let seen = window(&engine, true);
    assert_eq!(seen.iter().map(|(id, _)| id.0).collect::<Vec<_>>(), [1, 2, 3, 4]);
    let Some(TurnPayload::Unreadable(reason)) = &seen[1].1 else { panic!("{seen:?}") };
    assert!(reason.contains("segment-") || reason.contains("lost"), "{reason}");
    for (at, text) in [(0, "the first payload"), (2, "the third payload"), (3, "the fourth payload")] {
        assert!(is_bytes(&seen[at].1, text), "{seen:?}");
    }
    assert!(window(&engine, false).iter().all(|(_, payload)| payload.is_none()));

    let alone = engine.turn(&owner(), TENANT, TurnId(2), &RAW, |_| Ok(())).unwrap();
    assert_eq!((alone.turn.id, alone.type_name.as_str()), (TurnId(2), "t"));
    assert!(matches!(alone.payload, Some(TurnPayload::Unreadable(_))), "{alone:?}");
    // The store is written to as before.
    append(&engine, "the fifth payload", None);
    assert_eq!(window(&engine, true).len(), 5);
}

fn export(engine: &Engine) -> Vec<ExportItem> {
    let mut export = Export::new(TENANT, &[], TurnId::NONE);
    let mut items = Vec::new();
    while !export.is_done() {
        items.extend(engine.export_page(&owner(), &mut export).unwrap());
    }
    items
}

#[test]
fn an_export_goes_on_past_what_is_damaged_and_its_end_names_it() {
    let fs = written();
    let whole = export(&on_disk(&fs));
    let Some(ExportItem::End(counts, missing)) = whole.last() else { panic!("{whole:?}") };
    assert_eq!(*counts, ExportCounts { contexts: 1, turns: 4, blobs: 4, bundles: 0 });
    assert!(missing.is_empty());

    // A payload, a file of the first tree, and the root of the second.
    damage(&fs, b"the second payload");
    damage(&fs, b"the one file");
    damage(&fs, &[0x91, 0x83, 1, 0xa1, b'q', 2]);
    let engine = on_disk(&fs);
    let items = export(&engine);
    let Some(ExportItem::End(counts, missing)) = items.last() else { panic!("{items:?}") };
    assert_eq!(*counts, ExportCounts { contexts: 1, turns: 3, blobs: 1, bundles: 0 });
    assert_eq!((missing.turns, missing.trees, missing.blobs, missing.bundles), (1, 1, 1, 0));
    assert_eq!(missing.turn_ids, [TurnId(2), TurnId(3)]);
    assert_eq!(missing.blob_hashes, [ContentHash::of(b"the one file")]);
    let turns: Vec<_> = items
        .iter()
        .filter_map(|item| if let ExportItem::Turn(turn) = item { Some(turn) } else { None })
        .collect();
    assert_eq!(turns.iter().map(|turn| turn.turn.id.0).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert!(matches!(turns[0].tree, Some(ExportedTree::Root(_))));
    assert!(matches!(turns[1].payload, TurnPayload::Unreadable(_)));
    assert!(matches!(turns[2].tree, Some(ExportedTree::Unreadable(_))));
    assert!(matches!(&turns[2].payload, TurnPayload::Bytes(bytes) if **bytes == *b"the third payload"));
}

#[test]
fn a_swept_payload_is_no_damage() {
    let fs = written();
    let engine = on_disk(&fs);
    let lost = ContentHash::of(b"the second payload");
    assert!(write(&engine, move |tx, _| Ok(tx.remove_blob(&lost, u64::MAX)?)));
    let read = engine.turn(&owner(), TENANT, TurnId(2), &RAW, |_| Ok(()));
    assert_eq!(read.unwrap_err().code(), StoreCode::Gone);
}
