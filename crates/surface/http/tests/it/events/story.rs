//! Things that happen.

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::{ContextId, Position, TenantId, TurnId};
use cairn_engine::{Act, Engine, Place};
use cairn_seam::{Blob, WriteTx};
use cairn_turns::prune::Rule;
use cairn_turns::{Append, DeclaredType};

fn transact<T: Send + 'static>(
    engine: &Engine,
    mut body: impl FnMut(&mut dyn WriteTx, &Scope) -> T + Send + 'static,
) -> T {
    let act = Act::new(Action::TurnsWrite, Resource::tenant(TenantId::LOCAL));
    let done = engine.transact(&Principal::local_owner(), act, move |tx, scope| Ok(body(tx, scope)));
    done.expect("it is committed").value
}

/// The id of a client that has seen nothing.
pub(crate) fn beginning(engine: &Engine) -> String {
    engine.event_ids(&Principal::local_owner()).of_event(Place::after(Position::START))
}

/// Makes contexts in one transaction; says the number of the last.
pub(crate) fn create(engine: &Engine, count: usize) -> u64 {
    transact(engine, move |tx, scope| {
        let make = |_| cairn_turns::create(tx, scope, None, 1_000).expect("it is made").id.0;
        (0..count).map(make).last().expect("at least one")
    })
}

/// Appends to a context; says the turn's number.
pub(crate) fn append(engine: &Engine, context: u64, text: &str) -> u64 {
    append_bytes(engine, context, text.as_bytes())
}

/// Appends a payload to a context; says the turn's number.
pub(crate) fn append_bytes(engine: &Engine, context: u64, payload: &[u8]) -> u64 {
    let payload = Blob::new(payload.to_vec()).expect("it is short");
    let request = Append {
        context: ContextId(context),
        parent: None,
        expected_head: None,
        declared: DeclaredType { id: "test.Said".into(), version: 3 },
        encoding: 1,
        compression: 0,
        payload_bytes: u32::try_from(payload.len()).expect("it is short"),
        payload,
        tree: None,
        key: None,
        remember_ms: 0,
        now_ms: 2_000,
        strict: false,
    };
    transact(engine, move |tx, scope| {
        cairn_turns::append(tx, scope, &request).expect("it is appended").turn.id.0
    })
}

/// Prunes a context.
pub(crate) fn prune(engine: &Engine, context: u64) {
    let rule = Rule::Named([ContextId(context)].into());
    let done = engine.prune(&Principal::local_owner(), TenantId::LOCAL, &rule, true, &mut |_| true);
    assert_eq!(done.expect("it is pruned").contexts, 1);
}

/// Attaches an empty tree to a turn.
pub(crate) fn attach(engine: &Engine, turn: u64) {
    transact(engine, move |tx, scope| {
        let blob = Blob::new(vec![0x90]).expect("it is short");
        tx.put_blob(&blob).expect("it is put");
        cairn_turns::attach(tx, scope, TurnId(turn), &blob.hash()).expect("it is attached");
    });
}
