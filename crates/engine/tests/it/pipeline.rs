//! Authorize → transact → audit → notify.

use std::sync::mpsc;

use cairn_access::{Action, RefusalReason, Resource};
use cairn_base::{ErrorCode, Position, TenantId};
use cairn_engine::{Act, Committed, EngineError, Prepared, tables};
use cairn_seam::{Health, StoreCode, StoreError};

use crate::support::{World, advance, register, start, stranger};

#[test]
fn a_transaction_is_read_at_its_position() {
    let world = World::new();
    let write = |value: u8| {
        let body = move |tx: &mut dyn cairn_seam::WriteTx, scope: &cairn_access::Scope| {
            assert_eq!((scope.tenant(), tx.tenant()), (TenantId::NODE, TenantId::NODE));
            Ok(tx.put(tables::CONSUMERS, &scope.key().u8(1), &[value])?)
        };
        world.engine.transact(&world.owner, advance(), body).unwrap().position
    };
    let first = write(1);
    let second = write(2);
    assert!(second > first);
    let read = |at_least| {
        world.engine.read(
            &world.owner,
            Act::new(Action::ConsumerRead, Resource::NODE),
            at_least,
            |snapshot, scope| {
                Ok((snapshot.position(), cairn_seam::get(snapshot, tables::CONSUMERS, &scope.key().u8(1))?))
            },
        )
    };
    assert_eq!(read(second).unwrap(), (second, Some(vec![2])));
    let ahead = read(Position::from_stored(second.to_stored() + 1)).unwrap_err();
    assert_eq!(ahead.code(), StoreCode::PositionAhead);
}

#[test]
fn a_closure_that_fails_leaves_nothing_and_its_own_reason() {
    let world = World::new();
    let before = (world.engine.position(), world.trail(TenantId::NODE));
    let error = world
        .engine
        .transact(&world.owner, register(), |tx, scope| {
            tx.put(tables::CONSUMERS, &scope.key().u8(1), b"half")?;
            Err::<(), _>(EngineError::ConsumersFull)
        })
        .unwrap_err();
    assert!(matches!(error, EngineError::ConsumersFull));
    let panicked =
        world.engine.transact(&world.owner, register(), |_, _| -> Result<(), _> { panic!("oops") });
    assert!(
        matches!(panicked, Err(EngineError::Store(StoreError::Panicked { message })) if message == "oops")
    );
    assert_eq!((world.engine.position(), world.trail(TenantId::NODE)), before);
}

#[test]
fn submit_answers_like_transact() {
    let world = World::new();
    let (tell, told) = mpsc::channel();
    let submit = |principal: &_, act: Act| {
        let tell = tell.clone();
        let write = Prepared::new(principal, act, |_, scope| Ok(scope.tenant()));
        world.engine.submit(write, move |outcome| tell.send(outcome).unwrap());
        told.try_recv().expect("the memory store answers at once")
    };
    assert_eq!(submit(&world.owner, register()).unwrap().value, TenantId::NODE);
    assert_eq!(world.trail(TenantId::NODE).last().unwrap().action, Action::ConsumerRegister);
    let refused = submit(&stranger(), register()).unwrap_err();
    assert!(matches!(refused, EngineError::Refused(refusal) if refusal.reason == RefusalReason::RoleMissing));
}

#[test]
fn a_prepared_write_does_nothing_by_itself_and_its_outcome_can_be_changed() {
    let world = World::new();
    let before = (world.engine.position(), world.trail(TenantId::NODE));
    let prepared = |principal: &_| {
        Prepared::new(principal, register(), |_, scope| Ok(scope.tenant())).map(|outcome| match outcome {
            Ok(Committed { value, position }) => Ok(Committed { value: Ok(value), position }),
            Err(error) => Ok(Committed { value: Err(error.code()), position: Position::START }),
        })
    };
    drop(prepared(&world.owner));
    assert_eq!((world.engine.position(), world.trail(TenantId::NODE)), before);
    let refused = world.engine.commit(prepared(&stranger())).unwrap();
    assert_eq!(refused.value, Err(ErrorCode::Forbidden));
    let committed = world.engine.commit(prepared(&world.owner)).unwrap();
    assert_eq!((committed.value, committed.position), (Ok(TenantId::NODE), world.engine.position()));
    let (tell, told) = mpsc::channel();
    world.engine.submit(prepared(&world.owner), move |outcome| tell.send(outcome).unwrap());
    assert_eq!(told.recv().unwrap().unwrap().value, Ok(TenantId::NODE));
}

#[test]
fn a_refused_act_never_runs() {
    let world = World::new();
    let eve = stranger();
    let refused = world.engine.transact(&eve, advance(), |_, _| -> Result<(), _> { panic!("it ran") });
    assert_eq!(refused.unwrap_err().code(), ErrorCode::Forbidden);
    let refused = world.engine.read(&eve, advance(), start(), |_, _| -> Result<(), _> { panic!("it ran") });
    assert_eq!(refused.unwrap_err().code(), ErrorCode::Forbidden);
    assert_eq!(world.engine.stats(&eve).unwrap_err().code(), ErrorCode::Forbidden);
    assert_eq!(world.engine.subscribe(&eve, TenantId::LOCAL).unwrap_err().code(), ErrorCode::NotFound);
}

#[test]
fn a_closed_engine_refuses_writes_and_closes_twice() {
    let world = World::new();
    assert_eq!(world.engine.health(), Health::Serving);
    world.engine.close().unwrap();
    world.engine.close().unwrap();
    assert_eq!(world.engine.health(), Health::Closed);
    let error = world.engine.transact(&world.owner, advance(), |_, _| Ok(())).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Unavailable);
}
