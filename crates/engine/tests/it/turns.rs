//! Turns keep their blobs, and what their file trees list.

use std::time::Duration;

use cairn_access::{Action, Resource};
use cairn_base::{ContentHash, ContextId, ErrorCode, Position, TenantId, TurnId};
use cairn_engine::{Act, EngineError, TurnPayload, Window, WindowAt, limits};
use cairn_seam::{Blob, KeepChanges, Maintenance, Store, StoreError, WriteTx};
use cairn_turns::projection::{BytesRender, Hint, Options, View};
use cairn_turns::{Append, DeclaredType, Found};

use crate::support::{RAW, World};

const TENANT: TenantId = TenantId::LOCAL;

/// The newest turns of the one context.
const WINDOW: Window =
    Window { context: ContextId(1), at: WindowAt::Head, limit: 9, with_payload: true, bytes_max: 1 << 20 };

fn writing() -> Act {
    Act::new(Action::TurnsWrite, Resource::tenant(TENANT))
}

/// A tree object with one entry; kind 0 is a file, 1 a folder.
fn tree(name: &str, kind: u8, hash: ContentHash) -> Vec<u8> {
    let mut out = vec![0x91, 0x83, 1, 0xa0 | u8::try_from(name.len()).unwrap()];
    out.extend(name.as_bytes());
    out.extend([2, kind, 5, 0xc4, 32]);
    out.extend(hash.as_bytes());
    out
}

fn put(world: &World, bytes: &[u8]) -> ContentHash {
    let blob = Blob::new(bytes.to_vec()).unwrap();
    let hash = blob.hash();
    world.engine.transact(&world.owner, writing(), move |tx, _| Ok(tx.put_blob(&blob)?)).unwrap();
    hash
}

fn append(world: &World, text: &str, root: Option<ContentHash>) -> TurnId {
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
        tree: root,
        key: None,
        remember_ms: 0,
        now_ms: 1,
        strict: false,
    };
    let appended = world
        .engine
        .transact(&world.owner, writing(), move |tx, scope| Ok(cairn_turns::append(tx, scope, &request)?));
    appended.unwrap().value.turn.id
}

fn is_there(world: &World, hash: &ContentHash) -> bool {
    match world.store.open_blob(TENANT, hash) {
        Ok(found) => found.is_some(),
        Err(StoreError::BlobGone { .. }) => false,
        Err(error) => panic!("{error}"),
    }
}

#[test]
fn payloads_and_everything_in_trees_outlive_the_sweep() {
    let world = World::new();
    let made = world
        .engine
        .transact(&world.owner, writing(), |tx, scope| Ok(cairn_turns::create(tx, scope, None, 1)?));
    assert_eq!(made.unwrap().value.id, ContextId(1));
    let [in_turn, attached] = ["turn", "attached"].map(|which| {
        let file = put(&world, format!("file of {which}").as_bytes());
        let folder = put(&world, &tree("file.txt", 0, file));
        let root = put(&world, &tree("folder", 1, folder));
        [file, folder, root]
    });
    let loose = put(&world, b"nobody refers to this");
    append(&world, "one", Some(in_turn[2]));
    let turn = append(&world, "two", None);
    let root = attached[2];
    let act = world
        .engine
        .transact(&world.owner, writing(), move |tx, scope| Ok(cairn_turns::attach(tx, scope, turn, &root)?));
    act.unwrap();

    world.clock.advance(Duration::from_secs(25 * 60 * 60));
    let compact = Maintenance::Compact { keep_changes: KeepChanges::All, forget: Vec::new() };
    let report = world.engine.maintain(&world.owner, &compact, &mut |_| true).unwrap();
    assert_eq!(report.figures, [("blobs_removed", 1)]);
    assert!(!is_there(&world, &loose));
    for hash in in_turn.iter().chain(&attached) {
        assert!(is_there(&world, hash), "{hash}");
    }
    let mut texts = Vec::new();
    world
        .engine
        .turns_window(&world.owner, TENANT, WINDOW, |_| Ok(()), &mut |_, _, payload| {
            texts.push(payload.unwrap().clone());
        })
        .unwrap();
    assert_eq!(texts, [bytes(b"one"), bytes(b"two")]);

    // A doctor says which references lead nowhere.
    let verify = Maintenance::Verify { repair: false };
    let report = world.engine.maintain(&world.owner, &verify, &mut |_| true).unwrap();
    assert_eq!(report.findings, []);
    let remove = |hash: ContentHash| {
        let removed =
            world.engine.transact(&world.owner, writing(), move |tx, _| Ok(tx.remove_blob(&hash, u64::MAX)?));
        assert!(removed.unwrap().value);
        world.engine.maintain(&world.owner, &verify, &mut |_| true).unwrap()
    };
    // An entry of a tree makes the tree incomplete, which clients can do; what a record names is lost.
    let report = remove(in_turn[0]);
    assert_eq!((report.findings.len(), report.warnings.len()), (0, 1), "{report:?}");
    let lost = in_turn[2];
    let report = remove(lost);
    let details: Vec<&str> = report.findings.iter().map(|finding| finding.detail.as_str()).collect();
    assert_eq!(details, [format!("a record of tenant 1 refers to blob {lost}, which is not there")]);
    assert!(world.engine.position() > Position::START);
}

fn bytes(payload: &[u8]) -> TurnPayload {
    TurnPayload::Bytes(payload.into())
}

fn create(world: &World) {
    let made = world
        .engine
        .transact(&world.owner, writing(), |tx, scope| Ok(cairn_turns::create(tx, scope, None, 1)?));
    made.unwrap();
}

#[test]
fn paths_in_trees_are_followed_within_bounds() {
    let world = World::new();
    create(&world);
    let file = put(&world, b"content");
    let folder = put(&world, &tree("file.txt", 0, file));
    let root = put(&world, &tree("folder", 1, folder));
    let first = append(&world, "one", Some(root));
    let second = append(&world, "two", None);
    let follow = |turn, path: &str| world.engine.tree_path(&world.owner, TENANT, turn, path, &mut |_| Ok(()));
    for turn in [first, second] {
        let found = follow(turn, "folder/file.txt").unwrap();
        assert_eq!(found.root, root);
        assert!(matches!(found.found, Found::Leaf(entry) if entry.hash == file));
    }
    assert!(matches!(follow(first, "").unwrap().found, Found::Folder(hash, _) if hash == root));
    let code = |turn, path: &str| follow(turn, path).unwrap_err().code();
    assert_eq!(code(first, "folder/other"), ErrorCode::NotFound);
    assert_eq!(code(TurnId(9), ""), ErrorCode::NotFound);

    // Whoever asks hears of every object before it is read, and may refuse.
    let mut heard = 0;
    let refused = world.engine.tree_path(&world.owner, TENANT, first, "folder", &mut |_| {
        heard += 1;
        if heard < 2 { Ok(()) } else { Err(EngineError::ListenersFull) }
    });
    assert!(matches!(refused, Err(EngineError::ListenersFull)), "{refused:?}");
}

#[test]
fn a_tree_object_larger_than_all_that_is_read_is_refused() {
    let world = World::new();
    create(&world);
    let bytes = vec![7; usize::try_from(limits::TREE_READ_BYTES_MAX).unwrap() + 1];
    let blob = world.engine.blob(&world.owner, TENANT, bytes).unwrap();
    let root = blob.hash();
    world.engine.transact(&world.owner, writing(), move |tx, _| Ok(tx.put_blob(&blob)?)).unwrap();
    let turn = append(&world, "one", Some(root));
    let mut never = |_| panic!("it is not read");
    let refused = world.engine.tree_path(&world.owner, TENANT, turn, "", &mut never);
    assert_eq!(refused.unwrap_err().code(), ErrorCode::TooLarge);
}

#[test]
fn a_turn_is_read_with_what_belongs_to_it() {
    let world = World::new();
    create(&world);
    let root = put(&world, &[0x90]);
    let first = append(&world, "one", None);
    let second = append(&world, "two", Some(root));
    let attached = put(&world, &tree("x", 0, root));
    let attach =
        move |tx: &mut dyn WriteTx, scope: &_| Ok(cairn_turns::attach(tx, scope, second, &attached)?);
    world.engine.transact(&world.owner, writing(), attach).unwrap();
    let read = world.engine.turn(&world.owner, TENANT, second, &RAW, |_| Ok(())).unwrap();
    assert_eq!((read.type_name.as_str(), read.payload), ("t", Some(bytes(b"two"))));
    assert_eq!(read.tree, Some(attached), "what was attached last");
    let lengths = View { options: Options { bytes: BytesRender::Length, ..RAW.options }, ..RAW };
    let no = |_| Err(EngineError::ListenersFull);
    let alone = world.engine.turn(&world.owner, TENANT, first, &lengths, no).unwrap();
    assert_eq!((alone.tree, alone.payload), (None, None), "no payload is needed");
    assert!(world.engine.turn(&world.owner, TENANT, first, &RAW, no).is_err());

    let page = world.engine.turns_page(&world.owner, TENANT, WINDOW, &RAW, |_| Ok(())).unwrap();
    assert_eq!(page.trees, [None, Some(attached)]);
    assert_eq!(page.payloads, [bytes(b"one"), bytes(b"two")]);
    assert!(page.registry.is_none() && page.next_before().is_none());
    let shown: Vec<_> = page.turns().map(|shown| (shown.turn.id, shown.type_name, shown.tree)).collect();
    assert_eq!(shown, [(first, "t", None), (second, "t", Some(attached))]);
    let typed = View { is_typed: true, ..RAW };
    let page = world.engine.turns_page(&world.owner, TENANT, WINDOW, &typed, |_| Ok(())).unwrap();
    assert!(page.registry.is_some());
    let other = DeclaredType { id: "another".into(), version: 1 };
    let wrong = View { hint: Hint::Explicit(other), ..typed };
    let refused = world.engine.turns_page(&world.owner, TENANT, WINDOW, &wrong, |_| Ok(())).unwrap_err();
    assert_eq!(
        (refused.code(), refused.hint()),
        (ErrorCode::Conflict, "name the type of the turns in as_type_id")
    );
}
