//! How many dependent read rounds an append and a page take through the engine.

use std::sync::Arc;

use cairn_access::{Action, Principal, Resource};
use cairn_base::{ContextId, ManualClock, TenantId, TurnId};
use cairn_engine::{Act, AppendTurn, Engine, TurnPayload, Window, WindowAt};
use cairn_seam::{Blob, CountingStore, MemoryStore, Store};
use cairn_turns::projection::{Hint, Options, View};
use cairn_turns::{DeclaredType, IdempotencyKey};

use crate::support::{NOW_MS, open};

const TENANT: TenantId = TenantId::LOCAL;
const PAGE: usize = 64;

fn world() -> (Arc<CountingStore>, Arc<Engine>, Principal) {
    let clock = ManualClock::new(NOW_MS);
    let inner = MemoryStore::new(Arc::new(clock.clone())).with_strides(19);
    let store = Arc::new(CountingStore::new(Arc::new(inner)));
    let engine = open(Arc::clone(&store) as Arc<dyn Store>, &clock).unwrap();
    let made = engine.transact(&Principal::local_owner(), writing(), |tx, scope| {
        Ok(cairn_turns::create(tx, scope, None, 1)?)
    });
    assert_eq!(made.unwrap().value.id, ContextId(1));
    (store, engine, Principal::local_owner())
}

fn writing() -> Act {
    Act::new(Action::TurnsWrite, Resource::tenant(TENANT))
}

fn append(engine: &Engine, owner: &Principal, number: usize, payload: Vec<u8>) {
    let turn = AppendTurn {
        context: ContextId(1),
        parent: None,
        expected_head: None,
        declared: DeclaredType { id: format!("test.T{}", number % 3), version: 1 },
        encoding: 1,
        compression: 0,
        payload: Blob::new(payload).unwrap(),
        tree: None,
        key: IdempotencyKey::parse(format!("key {number}").as_bytes()).unwrap(),
    };
    engine.commit(engine.append(owner, TENANT, turn)).unwrap();
}

fn said(number: usize) -> Vec<u8> {
    format!("said {number}").into_bytes()
}

/// The payloads of a typed page, oldest first.
fn page(engine: &Engine, owner: &Principal, at: WindowAt) -> Vec<TurnPayload> {
    let context = ContextId(1);
    let window = Window { context, at, limit: PAGE, with_payload: true, bytes_max: 64 << 20 };
    let view = View { is_typed: true, is_raw: false, options: Options::default(), hint: Hint::Inherit };
    let page = engine.turns_page(owner, TENANT, window, &view, |_| Ok(())).unwrap();
    assert!(page.registry.is_some());
    assert!(page.turns().all(|shown| shown.type_name.starts_with("test.T") && shown.tree.is_none()));
    page.payloads
}

#[test]
fn an_append_takes_three_rounds_and_a_typed_page_of_64_turns_takes_four() {
    let (store, engine, owner) = world();
    for number in 0..200 {
        store.take_rounds();
        append(&engine, &owner, number, said(number));
        let rounds = store.take_rounds();
        // A type whose name is new to the tenant has to get a number.
        let most = if (1..3).contains(&number) { 4 } else { 3 };
        assert!(rounds.len() <= most, "append {number}: {rounds:#?}");
    }
    // The registry is read when it grew, and not with every page.
    engine.registry(&owner, TENANT).unwrap();
    store.take_rounds();
    store.take_snapshots();
    // The context, its turns, what is beside them, payloads that are not in memory.
    let payloads = page(&engine, &owner, WindowAt::Head);
    let rounds = store.take_rounds();
    assert!(rounds.len() <= 4, "{rounds:#?}");
    assert_eq!(store.take_snapshots(), 1);
    let bytes = |number| TurnPayload::Bytes(said(number).into());
    assert_eq!(payloads, (200 - PAGE..200).map(bytes).collect::<Vec<_>>());
    // Now they are.
    assert_eq!(page(&engine, &owner, WindowAt::Head), payloads);
    let rounds = store.take_rounds();
    assert!(rounds.len() <= 3, "{rounds:#?}");
}

#[test]
fn a_page_of_long_payloads_takes_no_more_rounds() {
    let (store, engine, owner) = world();
    for number in 0..PAGE {
        append(&engine, &owner, number, vec![number as u8; 96 << 10]);
    }
    engine.registry(&owner, TENANT).unwrap();
    store.take_rounds();
    assert_eq!(page(&engine, &owner, WindowAt::Head).len(), PAGE);
    let rounds = store.take_rounds();
    assert!(rounds.len() <= 4, "{rounds:#?}");
}

/// Whether a turn is of the history of a context is found out by jumps from its head, a round each: about
/// 2 log2(turns) more than a page at the head takes.
#[test]
fn a_page_before_a_turn_takes_the_jumps_to_it_and_no_more() {
    let (store, engine, owner) = world();
    for number in 0..1000 {
        append(&engine, &owner, number, said(number));
    }
    engine.registry(&owner, TENANT).unwrap();
    for before in [900, 500, 100] {
        store.take_rounds();
        store.take_snapshots();
        let payloads = page(&engine, &owner, WindowAt::Before(TurnId(before)));
        assert_eq!((payloads.len(), store.take_snapshots()), (PAGE, 1));
        let rounds = store.take_rounds();
        assert!(rounds.len() <= 5 + 2 * 10, "{} rounds before {before}: {rounds:#?}", rounds.len());
    }
}
