//! Lost and damaged records: nothing is answered from them.

use cairn_access::{Action, Resource};
use cairn_base::TenantId;
use cairn_engine::Act;
use cairn_seam::{Keyspace, StoreCode};
use serde_json::json;

use super::kit::{Kb, code, elsewhere, plain, query, target, upsert};

fn damage(kb: &Kb, keyspace: Keyspace, value: Option<&'static [u8]>, which: fn(&[u8], &[u8]) -> bool) {
    let keys: Vec<Vec<u8>> = kb
        .rows()
        .into_iter()
        .filter(|((id, key), value)| *id == keyspace.id && which(key, value))
        .map(|((_, key), _)| key)
        .collect();
    assert!(!keys.is_empty());
    let act = Act::new(Action::GraphWrite, Resource::tenant(TenantId::LOCAL));
    let damaged = kb.engine().transact(&kb.world.owner, act, move |tx, _| {
        for key in &keys {
            match value {
                Some(value) => tx.put(keyspace, key, value)?,
                None => tx.delete(keyspace, key)?,
            }
        }
        Ok(())
    });
    damaged.unwrap();
}

#[test]
fn a_lost_space_or_record_fails_closed() {
    use cairn_graph::tables::SPACES;
    use cairn_kb::tables::{BRANCHES, VERSIONS};
    type Case = (Keyspace, Option<&'static [u8]>, &'static str);
    let cases: [Case; 5] = [
        (SPACES, None, "KbRefreshError"),
        (SPACES, Some(b"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff"), "KbRefreshError"),
        (BRANCHES, None, "KbNoBranch"),
        (BRANCHES, Some(b"\x09"), "DecodeError"),
        (VERSIONS, Some(b"\xff"), "KbRefreshError"),
    ];
    for (keyspace, value, expected) in cases {
        let kb = Kb::filled();
        let other = elsewhere(kb.store());
        damage(&kb, keyspace, value, |_, _| true);
        let rows = kb.rows();
        for engine in [kb.engine(), &*other] {
            let what = format!("{} {value:?}", keyspace.name);
            assert_eq!(code(query(engine, &target("main"), json!({}))), expected, "{what}");
            assert_eq!(code(upsert(engine, &target("main"), &plain("req", "R-9", &[]))), expected, "{what}");
        }
        assert!(kb.rows() == rows);
    }
}

#[test]
fn an_entity_that_does_not_decode_fails_closed_when_it_is_read() {
    let kb = Kb::filled();
    damage(&kb, cairn_graph::tables::CONCEPTS, Some(b"\xff\xff"), |_, value| {
        value.windows(4).any(|part| part == b"SC-1")
    });
    let other = elsewhere(kb.store());
    assert_eq!(code(query(&other, &target("main"), json!({}))), "KbRefreshError");
}

#[test]
fn on_a_full_disk_deleting_works_and_writing_does_not() {
    let kb = Kb::filled();
    kb.world.store.set_full(true);
    let full = kb.try_put(&plain("req", "R-9", &[])).unwrap_err();
    assert_eq!(full.code(), StoreCode::StorageFull);
    assert_eq!(query(kb.engine(), &target("main"), json!({})).unwrap().count, 10);
    assert_eq!(kb.delete(&["FL-1"]).unwrap().deleted, 1);
    assert!(kb.engine().kb_delete_branch(&kb.world.owner, &target("main")).unwrap());
    kb.world.store.set_full(false);
    kb.create("main");
    kb.put(&plain("req", "R-9", &[]));
}
