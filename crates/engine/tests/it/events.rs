//! Following what happens to turns.

use std::sync::Arc;

use cairn_access::{Action, Resource};
use cairn_base::{ContextId, ErrorCode, Position, SeededEntropy, TenantId, TurnId};
use cairn_engine::{Act, Engine, EngineConfig, Place, WhatHappened, limits};
use cairn_seam::{Blob, Event, EventKind, MemoryStore, StoreCode, WriteTx};
use cairn_turns::{Append, DeclaredType};

use crate::support::World;

const TENANT: TenantId = TenantId::LOCAL;

fn request(context: u64, payload: &[u8]) -> Append {
    Append {
        context: ContextId(context),
        parent: None,
        expected_head: None,
        declared: DeclaredType { id: "t.Said".into(), version: 2 },
        encoding: 1,
        compression: 0,
        payload_bytes: u32::try_from(payload.len()).unwrap(),
        payload: Blob::new(payload.to_vec()).unwrap(),
        tree: None,
        key: None,
        remember_ms: 0,
        now_ms: 5,
        strict: false,
    }
}

impl World {
    fn transact<T: Send + 'static>(
        &self,
        mut body: impl FnMut(&mut dyn WriteTx, &cairn_access::Scope) -> T + Send + 'static,
    ) -> Position {
        let act = Act::new(Action::TurnsWrite, Resource::tenant(TENANT));
        self.engine.transact(&self.owner, act, move |tx, scope| Ok(body(tx, scope))).unwrap().position
    }

    fn create(&self) -> Position {
        self.transact(|tx, scope| cairn_turns::create(tx, scope, None, 4).unwrap())
    }

    /// Everything after a place, in pages of `limit`, in short.
    fn follow(&self, mut after: Place, limit: usize) -> Vec<(Place, String)> {
        let mut seen = Vec::new();
        loop {
            let page = self.engine.turn_events(&self.owner, TENANT, after, limit).unwrap();
            assert!(page.events.len() <= limit && page.next >= after);
            seen.extend(page.events.into_iter().map(|event| (event.place, short(&event.what))));
            if page.at_end {
                assert_eq!(page.next, Place::after(self.engine.position()));
                return seen;
            }
            assert!(page.next > after, "it goes on");
            after = page.next;
        }
    }
}

fn short(what: &WhatHappened) -> String {
    match what {
        WhatHappened::ContextCreated(context) => {
            format!("context {} at {}", context.id, context.created_at_ms)
        }
        WhatHappened::TurnAppended { turn, type_name } => {
            format!("turn {} in {} at depth {}, a {type_name}", turn.id, turn.context, turn.depth)
        }
        WhatHappened::TreeAttached { turn, context, .. } => format!("tree of {turn} in {context}"),
        WhatHappened::MetadataUpdated { context, said } => format!("metadata of {context}: {:?}", said.title),
        WhatHappened::ContextPruned(context) => format!("context {context} is gone"),
    }
}

#[test]
fn everything_is_seen_once_in_order_from_wherever_one_begins() {
    let world = World::new();
    let begin = Place::after(world.engine.position());
    world.create();
    // Several events in one transaction, one of them not of turns.
    world.transact(|tx, scope| {
        cairn_turns::append(tx, scope, &request(1, b"one")).unwrap();
        cairn_turns::create(tx, scope, Some(TurnId(1)), 7).unwrap();
        tx.emit(Event { kind: EventKind(900), body: b"?".to_vec() }).unwrap();
        cairn_turns::append(tx, scope, &request(2, b"two")).unwrap();
    });
    world.emit(&[100]);
    world.transact(|tx, scope| {
        let blob = Blob::new(vec![0x90]).unwrap();
        tx.put_blob(&blob).unwrap();
        cairn_turns::attach(tx, scope, TurnId(1), &blob.hash()).unwrap();
        tx.emit(Event { kind: EventKind(900), body: b"?".to_vec() }).unwrap();
    });

    let all = world.follow(begin, 100);
    let texts: Vec<_> = all.iter().map(|(_, text)| text.as_str()).collect();
    assert_eq!(
        texts,
        [
            "context 1 at 4",
            "turn 1 in 1 at depth 0, a t.Said",
            "context 2 at 7",
            "turn 2 in 2 at depth 1, a t.Said",
            "tree of 1 in 1"
        ]
    );
    assert!(all.is_sorted_by(|a, b| a.0 < b.0), "{all:?}");
    for limit in 1..5 {
        assert_eq!(world.follow(begin, limit), all, "in pages of {limit}");
    }
    for (at, (place, _)) in all.iter().enumerate() {
        let ids = world.engine.event_ids(&world.owner);
        let again = ids.place(&ids.of_event(*place)).unwrap();
        assert_eq!(world.follow(again, 2), all[at + 1..], "after {place:?}");
    }
}

#[test]
fn an_id_stays_what_it_is_when_the_store_is_opened_again_and_is_good_for_its_tenant_alone() {
    let world = World::new();
    let place = Place::after(world.create());
    let ids = world.engine.event_ids(&world.owner);
    let (event, moment) = (ids.of_event(place), ids.of_moment(place));
    // With randomness that it has never seen.
    let entropy = Arc::new(SeededEntropy::new(99));
    let again =
        Engine::open(world.store.clone(), Arc::new(world.clock.clone()), entropy, EngineConfig::default())
            .unwrap();
    let ids = again.event_ids(&world.owner);
    assert_eq!(ids.of_event(place), event);
    assert_eq!((ids.place(&event), ids.place(&moment)), (Some(place), Some(place)));
    let foreign = again.event_ids(&crate::support::stranger());
    assert_eq!((foreign.place(&event), foreign.place(&moment)), (None, None));
    let elsewhere = MemoryStore::new(Arc::new(world.clock.clone()));
    let other = Engine::open(
        Arc::new(elsewhere),
        Arc::new(world.clock.clone()),
        again.entropy().clone(),
        EngineConfig::default(),
    );
    assert_eq!(other.unwrap().event_ids(&world.owner).place(&event), None, "another store");
}

#[test]
fn what_is_gone_and_what_is_not_yet_are_told() {
    let world = World::new();
    let first = world.create();
    world.create();
    let events = |after| world.engine.turn_events(&world.owner, TENANT, after, 10);
    assert_eq!(events(Place::after(first)).unwrap().events.len(), 1);
    let ahead = Position::from_stored(world.engine.position().to_stored() + 1);
    for ahead in [Place::after(ahead), Place::inside(ahead, 1)] {
        assert_eq!(events(ahead).unwrap_err().code(), StoreCode::PositionAhead);
    }
    world.store.drop_history();
    assert_eq!(events(Place::after(first)).unwrap_err().code(), StoreCode::PositionTooOld);
    let stranger = crate::support::stranger();
    let refused = world.engine.turn_events(&stranger, TENANT, Place::after(ahead), 10).unwrap_err();
    assert_eq!(refused.code(), ErrorCode::NotFound);
}

#[test]
fn a_page_has_a_limit_whatever_is_asked_for() {
    let world = World::new();
    let begin = Place::after(world.engine.position());
    world.transact(|tx, scope| {
        for _ in 0..limits::EVENTS_PAGE_MAX + 1 {
            cairn_turns::create(tx, scope, None, 1).unwrap();
        }
    });
    let page = world.engine.turn_events(&world.owner, TENANT, begin, usize::MAX).unwrap();
    assert_eq!((page.events.len(), page.at_end), (limits::EVENTS_PAGE_MAX, false));
    assert_eq!(world.follow(page.next, 10).len(), 1);
}
