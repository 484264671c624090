//! How many dependent read rounds an append and a page take through the engine.

use std::sync::Arc;

use cairn_access::{Action, Principal, Resource};
use cairn_base::{ContextId, ManualClock, TenantId};
use cairn_engine::{Act, Engine, TurnPayload, Window, WindowAt};
use cairn_seam::{Blob, CountingStore, MemoryStore, Store};
use cairn_turns::projection::{Hint, Options, View};
use cairn_turns::{Append, DeclaredType, IdempotencyKey};

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

fn append(engine: &Engine, owner: &Principal, number: usize) {
    let payload = Blob::new(format!("said {number}").into_bytes()).unwrap();
    let request = Append {
        context: ContextId(1),
        parent: None,
        expected_head: None,
        declared: DeclaredType { id: format!("test.T{}", number % 3), version: 1 },
        encoding: 1,
        compression: 0,
        payload_bytes: u32::try_from(payload.len()).unwrap(),
        payload,
        tree: None,
        key: IdempotencyKey::parse(format!("key {number}").as_bytes()).unwrap(),
        remember_ms: 1_000,
        now_ms: NOW_MS,
        strict: false,
    };
    let append = move |tx: &mut dyn cairn_seam::WriteTx, scope: &cairn_access::Scope| {
        Ok(cairn_turns::append(tx, scope, &request)?)
    };
    engine.transact(owner, writing(), append).unwrap();
}

/// The payloads of a typed page of the newest turns, oldest first.
fn page(engine: &Engine, owner: &Principal) -> Vec<TurnPayload> {
    let (context, at) = (ContextId(1), WindowAt::Head);
    let window = Window { context, at, limit: PAGE, with_payload: true, bytes_max: 1 << 20 };
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
        append(&engine, &owner, number);
        let rounds = store.take_rounds();
        // A type whose name is new to the tenant has to get a number.
        let most = if (1..3).contains(&number) { 4 } else { 3 };
        assert!(rounds.len() <= most, "append {number}: {rounds:#?}");
    }
    // The registry is read when it grew, and not with every page.
    engine.registry(&owner, TENANT).unwrap();
    store.take_rounds();
    // The context, its turns, what is beside them, payloads that are not in memory.
    let payloads = page(&engine, &owner);
    let rounds = store.take_rounds();
    assert!(rounds.len() <= 4, "{rounds:#?}");
    let said = |number: usize| TurnPayload::Bytes(format!("said {number}").into_bytes().into());
    assert_eq!(payloads, (200 - PAGE..200).map(said).collect::<Vec<_>>());
    // Now they are.
    assert_eq!(page(&engine, &owner), payloads);
    let rounds = store.take_rounds();
    assert!(rounds.len() <= 3, "{rounds:#?}");
}
