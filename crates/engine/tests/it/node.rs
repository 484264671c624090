//! Opening a fresh and a used store.

use std::sync::Arc;
use std::time::Duration;

use cairn_access::Action;
use cairn_base::{ErrorCode, KeyBuf, Position, SpaceId, TenantId};
use cairn_engine::{AuditOutcome, EngineError, Place, tables};
use cairn_seam::{Store, StoreCode, StoreError};

use crate::support::{NOW_MS, World, open};

#[test]
fn a_fresh_store_becomes_a_node_and_stays_it() {
    let world = World::new();
    let node = *world.engine.node();
    assert_eq!((node.created_at_ms, node.id.to_string().len()), (NOW_MS, 32));

    world.clock.advance(Duration::from_secs(60));
    let at = world.store.position();
    let again = open(Arc::clone(&world.store) as Arc<dyn Store>, &world.clock).unwrap();
    assert_eq!((*again.node(), world.store.position()), (node, at), "opening again writes nothing");
}

#[test]
fn becoming_a_node_is_an_event_and_an_audited_act() {
    let world = World::new();
    let page = world.store.changes(crate::support::start(), None, 10).unwrap();
    let kinds: Vec<_> =
        page.changes.iter().flat_map(|change| &change.events).map(|event| event.kind).collect();
    assert_eq!((kinds, page.changes[0].tenant), (vec![tables::NODE_INITIALISED], TenantId::NODE));

    let [line] = world.trail(TenantId::NODE).try_into().unwrap();
    assert_eq!(
        (line.actor.as_str(), line.action, line.outcome),
        ("node", Action::NodeInit, AuditOutcome::Done)
    );
    assert_eq!((line.at_ms, line.subject), (NOW_MS, world.engine.node().id.to_string()));
}

fn key() -> KeyBuf {
    KeyBuf::new().tenant(TenantId::NODE).space(SpaceId::NONE)
}

#[test]
fn a_store_without_a_secret_gets_one_that_stays() {
    let world = World::new();
    let delete = cairn_seam::write(&*world.store, TenantId::NODE, |tx| tx.delete(tables::SECRET, &key()));
    delete.map_err(|error: StoreError| error).unwrap();
    let place = Place::after(Position::from_stored(7));
    let id = world.reopen().event_ids(&world.owner).of_event(place);
    assert_ne!(id, world.engine.event_ids(&world.owner).of_event(place), "it is a new one");
    let at = world.store.position();
    let again = world.reopen().event_ids(&world.owner).of_event(place);
    assert_eq!((again, world.store.position()), (id, at), "opening again writes nothing");
    let lines = world.trail(TenantId::NODE);
    let subjects: Vec<_> = lines.iter().map(|line| (line.action, line.subject.as_str())).collect();
    assert_eq!(subjects[1..], [(Action::NodeInit, "secret")]);
}

#[test]
fn a_damaged_or_newer_record_of_the_node_refuses_to_open() {
    let cases = [(0, ErrorCode::Damaged), (9, StoreCode::NewerFormat)];
    for (table, (byte, code)) in
        [tables::NODE, tables::SECRET].into_iter().flat_map(|table| cases.map(|case| (table, case)))
    {
        let world = World::new();
        cairn_seam::write(&*world.store, TenantId::NODE, move |tx| tx.put(table, &key(), &[byte]))
            .map_err(|error: StoreError| error)
            .unwrap();
        let error = open(Arc::clone(&world.store) as Arc<dyn Store>, &world.clock).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(matches!(error, EngineError::BadRecord { .. } | EngineError::NewerRecord { .. }));
    }
}
