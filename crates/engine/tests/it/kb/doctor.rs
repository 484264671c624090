//! What the doctor finds of KBs and puts right.

use cairn_access::Principal;
use cairn_base::TenantId;
use cairn_engine::{Engine, EngineError};
use cairn_graph::tables::{NAMES, SPACE_NAMES, SPACES};
use cairn_kb::tables::{BRANCHES, VERSIONS};
use cairn_seam::{Keyspace, Maintenance, Store, StoreError, WriteTx};
use serde_json::json;

use super::kit::{Kb, Rows, code, elsewhere, plain, query, rows, target};

pub(super) fn verify(engine: &Engine, repair: bool) -> Vec<(String, bool)> {
    let owner = Principal::local_owner();
    let report = engine.maintain(&owner, &Maintenance::Verify { repair }, &mut |_| true).unwrap();
    report.findings.into_iter().map(|finding| (finding.detail, finding.repaired)).collect()
}

fn of(rows: &Rows, keyspace: Keyspace) -> Vec<(Vec<u8>, Vec<u8>)> {
    let of = rows.iter().filter(|((id, _), _)| *id == keyspace.id);
    of.map(|((_, key), value)| (key.clone(), value.clone())).collect()
}

pub(super) type Damage = fn(&mut dyn WriteTx, &Rows) -> Result<(), StoreError>;

pub(super) fn damage(store: &dyn Store, damage: Damage) {
    let before = rows(store);
    cairn_seam::write(store, TenantId::LOCAL, move |tx| damage(tx, &before)).unwrap();
}

pub(super) fn lose(tx: &mut dyn WriteTx, rows: &Rows, keyspace: Keyspace) -> Result<(), StoreError> {
    of(rows, keyspace).iter().try_for_each(|(key, _)| tx.delete(keyspace, key))
}

fn garble(tx: &mut dyn WriteTx, rows: &Rows, keyspace: Keyspace) -> Result<(), StoreError> {
    of(rows, keyspace).iter().try_for_each(|(key, _)| tx.put(keyspace, key, b"\xff"))
}

/// Damage to a store with one KB, what is said about it, and how many findings that takes. The repair undoes it.
const UNDONE: &[(&str, usize, Damage)] = &[
    ("\"kb/ws/main\": its space 2 has no branch record", 1, |tx, rows| lose(tx, rows, BRANCHES)),
    ("the record of a branch does not decode", 1, |tx, rows| garble(tx, rows, BRANCHES)),
    ("the record of a branch stands under another one's key", 2, |tx, rows| {
        let all = of(rows, BRANCHES);
        let mut key = all[0].0.clone();
        *key.last_mut().unwrap() ^= 1;
        tx.delete(BRANCHES, &all[0].0)?;
        tx.put(BRANCHES, &key, &all[0].1)
    }),
    ("the branch record names space 99, and space 2 has the name", 1, |tx, rows| {
        let (key, mut value) = of(rows, BRANCHES).remove(0);
        value[1] = 99;
        tx.put(BRANCHES, &key, &value)
    }),
    ("\"kb/ws/main\": its space 2 has lost its name", 1, |tx, rows| lose(tx, rows, SPACES)),
    ("\"kb/ws/main\": its space 2 has lost its name", 1, |tx, rows| lose(tx, rows, SPACE_NAMES)),
    ("\"kb/ws/main\": its space 2 has lost its name", 1, |tx, rows| {
        lose(tx, rows, SPACES)?;
        lose(tx, rows, SPACE_NAMES)
    }),
    ("\"kb/ws/main\": its space 2 has no branch record", 1, |tx, rows| {
        lose(tx, rows, SPACES)?;
        lose(tx, rows, BRANCHES)
    }),
    ("the version of space 77 belongs to no branch", 1, |tx, rows| {
        let (mut key, value) = of(rows, VERSIONS).remove(0);
        *key.last_mut().unwrap() = 77;
        tx.put(VERSIONS, &key, &value)
    }),
];

#[test]
fn a_record_a_name_and_a_version_follow_from_the_others() {
    let whole = Kb::filled();
    assert_eq!(verify(whole.engine(), false), []);
    for (at, (expected, findings, harm)) in UNDONE.iter().enumerate() {
        let kb = Kb::filled();
        let before = kb.rows();
        damage(&*kb.store(), *harm);
        assert!(kb.rows() != before, "{at}");
        let found = verify(kb.engine(), false);
        assert!(found.iter().any(|(detail, _)| detail.contains(expected)), "{at}: {found:?}");
        assert_eq!(found.len(), *findings, "{at}: {found:?}");
        assert!(found.iter().all(|(_, repaired)| !repaired), "{at}: {found:?}");
        let repaired = verify(kb.engine(), true);
        assert!(!repaired.is_empty() && repaired.iter().all(|(_, repaired)| *repaired), "{at}: {repaired:?}");
        assert_eq!(verify(kb.engine(), false), [], "{at}");
        assert!(kb.rows() == before, "{at}: it is as before");
        for engine in [kb.engine(), &*elsewhere(kb.store())] {
            assert_eq!(query(engine, &target("main"), json!({})).unwrap().count, 10, "{at}");
        }
    }
}

#[test]
fn a_record_without_a_space_goes_with_its_version() {
    let kb = Kb::filled();
    damage(&*kb.store(), |tx, rows| {
        let of_graph = cairn_graph::tables::KEYSPACES.iter();
        of_graph.copied().try_for_each(|keyspace| lose(tx, rows, keyspace))
    });
    let expected =
        |repaired| vec![("KB of tenant 1: \"kb/ws/main\": its space 2 is gone".to_owned(), repaired)];
    assert_eq!(verify(kb.engine(), false), expected(false));
    assert_eq!(verify(kb.engine(), true), expected(true));
    assert_eq!(verify(kb.engine(), false), []);
    assert_eq!((of(&kb.rows(), BRANCHES), of(&kb.rows(), VERSIONS)), (vec![], vec![]));
    assert_eq!(code(query(kb.engine(), &target("main"), json!({}))), "KbNoBranch");
    kb.create("main");
    kb.put(&plain("req", "R-9", &[]));
}

#[test]
fn a_version_that_does_not_decode_begins_again_behind_the_old_ones() {
    let kb = Kb::filled();
    let before = kb.snapshot_id();
    damage(&*kb.store(), |tx, rows| garble(tx, rows, VERSIONS));
    let found = verify(kb.engine(), true);
    assert_eq!(found, [("KB of tenant 1: the version of space 2 does not decode".to_owned(), true)]);
    assert_eq!(verify(kb.engine(), false), []);
    assert!(super::kit::writes(&kb.snapshot_id()) > super::kit::writes(&before));
    kb.put(&plain("req", "R-9", &[]));
    assert_eq!(query(kb.engine(), &target("main"), json!({})).unwrap().count, 11);
}

#[test]
fn a_space_without_the_types_of_the_kb_is_reported_and_left_alone() {
    for (with_record, expected) in [(true, "is not whole"), (false, "has no branch record, and is not whole")]
    {
        let kb = Kb::filled();
        damage(&*kb.store(), |tx, rows| lose(tx, rows, NAMES));
        if !with_record {
            damage(&*kb.store(), |tx, rows| lose(tx, rows, BRANCHES));
        }
        let before = kb.rows();
        for repair in [false, true] {
            let found = verify(kb.engine(), repair);
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].0.contains(expected) && !found[0].1, "{found:?}");
        }
        assert!(kb.rows() == before);
    }
}

#[test]
fn a_name_that_no_branch_can_have_is_reported() {
    let kb = Kb::filled();
    damage(&*kb.store(), |tx, rows| {
        let (mut key, _) = of(rows, SPACE_NAMES).remove(0);
        *key.last_mut().unwrap() = 77;
        tx.put(SPACE_NAMES, &key, b"kb/nobody")
    });
    let found = verify(kb.engine(), true);
    let expected = "KB of tenant 1: \"kb/nobody\": space 77 has this name, and no branch can have it";
    assert_eq!(found, [(expected.to_owned(), false)]);
}

#[test]
fn more_branches_than_fit_on_a_page_are_all_put_right() {
    let kb = Kb::new();
    (0..300).for_each(|number| kb.create(&format!("b-{number}")));
    let before = kb.rows();
    damage(&*kb.store(), |tx, rows| lose(tx, rows, BRANCHES));
    let repaired = verify(kb.engine(), true);
    assert_eq!(repaired.iter().filter(|(_, repaired)| *repaired).count(), 301);
    assert!(kb.rows() == before);
    let mut calls = 0;
    let owner = Principal::local_owner();
    let stopped = kb.engine().maintain(&owner, &Maintenance::Verify { repair: false }, &mut |stage| {
        calls += usize::from(stage.name == "verifying KBs");
        calls < 2
    });
    assert!(matches!(stopped, Err(EngineError::Store(StoreError::Stopped))));
}
