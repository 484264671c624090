//! Reads and writes through the gate.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::Duration;

use cairn_access::{Action, Principal, Resource, Roles};
use cairn_base::{ErrorCode, TenantId};
use cairn_engine::{Act, EngineError, Prepared, SearchHome};
use cairn_gate::{GateConfig, GateError};
use cairn_seam::{Event, EventKind};
use tokio::task::yield_now;
use tokio::time::Instant;

use crate::support::{CONFIG, advance, gate, world};

#[tokio::test]
async fn reads_and_writes_reach_the_engine() {
    let gate = gate(CONFIG);
    let owner = Principal::local_owner();
    let admission = gate.admit().await.unwrap();
    let committed =
        gate.write(&admission, Prepared::new(&owner, advance(), |tx, _| Ok(tx.tenant()))).await.unwrap();
    assert_eq!(committed.value, TenantId::NODE);
    let stats = gate.read(&admission, move |engine| engine.stats(&owner)).await.unwrap();
    assert_eq!(stats.position, gate.read_in_place(&admission, |engine| Ok(engine.position())).unwrap());
}

#[tokio::test]
async fn errors_of_the_engine_come_through_typed() {
    let gate = gate(CONFIG);
    let admission = gate.admit().await.unwrap();
    let eve = Principal::new("eve", TenantId(7), Roles::NONE);
    let refused = gate.write(&admission, Prepared::new(&eve, advance(), |_, _| Ok(()))).await.unwrap_err();
    assert!(matches!(refused, GateError::Engine(EngineError::Refused(_))));
    assert_eq!((refused.code(), refused.retry_after_s()), (ErrorCode::Forbidden, None));
    let refused = gate.read(&admission, move |engine| engine.stats(&eve)).await.unwrap_err();
    assert_eq!(refused.code(), ErrorCode::Forbidden);
    let failed = gate.read_in_place(&admission, |_| Err::<(), _>(EngineError::ListenersFull)).unwrap_err();
    assert_eq!((failed.code(), failed.retry_after_s()), (ErrorCode::Overloaded, Some(1)));
}

#[tokio::test]
async fn a_panic_is_an_error_of_that_request_only() {
    let gate = gate(CONFIG);
    let owner = Principal::local_owner();
    let admission = gate.admit().await.unwrap();
    // More often than there are readers: each gives its place back.
    for _ in 0..CONFIG.readers_max * 2 {
        let failed = gate.read(&admission, |_| -> Result<(), _> { panic!("read {}", 1) }).await.unwrap_err();
        assert!(matches!(&failed, GateError::Internal { message } if message == "read 1"), "{failed}");
    }
    let failed = gate.read_in_place(&admission, |_| -> Result<(), _> { panic!("point") }).unwrap_err();
    assert!(matches!(&failed, GateError::Internal { message } if message == "point"), "{failed}");
    let failed = gate
        .write(&admission, Prepared::new(&owner, advance(), |_, _| -> Result<(), _> { panic!("write") }))
        .await;
    assert_eq!(failed.unwrap_err().code(), ErrorCode::Internal);
    gate.write(&admission, Prepared::new(&owner, advance(), |_, _| Ok(()))).await.unwrap();
}

#[tokio::test(start_paused = true)]
async fn a_write_past_its_deadline_has_an_unknown_outcome() {
    let world = world(CONFIG);
    let admission = world.gate.admit().await.unwrap();
    let before = world.gate.engine().position();
    world.store.hold();
    let started = Instant::now();
    let body = |tx: &mut dyn cairn_seam::WriteTx, scope: &cairn_access::Scope| {
        Ok(tx.put(cairn_engine::tables::CONSUMERS, &scope.key().u8(1), b"late")?)
    };
    let late = world
        .gate
        .write(&admission, Prepared::new(&Principal::local_owner(), advance(), body))
        .await
        .unwrap_err();
    assert_eq!((late.code(), started.elapsed()), (ErrorCode::DeadlineExceeded, CONFIG.deadline));
    assert!(late.to_string().contains("its outcome is not known"), "{late}");
    world.store.let_go();
    assert!(world.gate.engine().position() > before, "it was carried out after all");
}

#[tokio::test]
async fn waiting_writes_take_no_thread_and_each_gets_its_own_answer() {
    let world = world(GateConfig { in_flight_max: 500, ..CONFIG });
    world.store.hold();
    let mut writes = Vec::new();
    // On one thread: if any of them blocked it, the test would hang here.
    for index in 0..500 {
        let gate = world.gate.clone();
        writes.push(tokio::spawn(async move {
            let admission = gate.admit().await?;
            let owner = Principal::local_owner();
            gate.write(&admission, Prepared::new(&owner, advance(), move |_, _| Ok(index))).await
        }));
        yield_now().await;
    }
    assert_eq!(world.gate.in_flight(), 500);
    world.store.let_go();
    for (index, write) in writes.into_iter().enumerate() {
        assert_eq!(write.await.unwrap().unwrap().value, index);
    }
}

#[tokio::test]
async fn an_answer_that_got_lost_is_an_error_and_not_a_hang() {
    let world = world(CONFIG);
    world.store.hold();
    let gate = world.gate.clone();
    let write = tokio::spawn(async move {
        let admission = gate.admit().await?;
        gate.write(&admission, Prepared::new(&Principal::local_owner(), advance(), |_, _| Ok(()))).await
    });
    while world.gate.in_flight() == 0 {
        yield_now().await;
    }
    world.store.lose();
    assert!(matches!(write.await.unwrap(), Err(GateError::Internal { .. })));
}

#[tokio::test]
async fn at_most_so_many_read_at_once_and_a_late_one_keeps_its_thread_to_the_end() {
    let gate = gate(GateConfig { deadline: Duration::from_millis(30), ..CONFIG });
    let (enter, entered) = mpsc::channel();
    let (leave, left) = mpsc::channel::<()>();
    let left = Arc::new(std::sync::Mutex::new(left));
    let admission = gate.admit().await.unwrap();
    for _ in 0..CONFIG.readers_max {
        let (enter, left) = (enter.clone(), Arc::clone(&left));
        let late = gate.read(&admission, move |_| {
            enter.send(()).expect("the test listens");
            let _ = left.lock().map(|left| left.recv());
            Ok(())
        });
        assert!(matches!(late.await, Err(GateError::ReadDeadline)));
        entered.recv().unwrap();
    }
    // Both threads are still busy with answers nobody waits for: a third read does not start.
    let admission = gate.admit().await.unwrap();
    let starved = gate.read(&admission, |_| -> Result<(), _> { panic!("it ran") }).await;
    assert!(matches!(starved, Err(GateError::ReadDeadline)), "{starved:?}");
    drop(leave);
    tokio::time::timeout(Duration::from_secs(300), async {
        while gate.read(&gate.admit().await.unwrap(), |_| Ok(())).await.is_err() {}
    })
    .await
    .expect("the threads come back");
}

#[tokio::test]
async fn long_work_takes_nobodys_turn_and_tells_its_end_even_after_a_panic() {
    let gate = gate(CONFIG);
    let (leave, left) = mpsc::channel::<()>();
    let (tell, told) = tokio::sync::oneshot::channel();
    gate.run_long(
        move |engine| {
            left.recv().unwrap();
            Ok(engine.position())
        },
        move |outcome| tell.send(outcome).unwrap(),
    );
    assert_eq!(gate.in_flight(), 0);
    leave.send(()).unwrap();
    assert_eq!(told.await.unwrap().unwrap(), gate.engine().position());

    let (tell, told) = tokio::sync::oneshot::channel();
    gate.run_long(|_| -> Result<(), _> { panic!("long") }, move |outcome| tell.send(outcome).unwrap());
    let failed = told.await.unwrap().unwrap_err();
    assert!(matches!(&failed, GateError::Internal { message } if message == "long"), "{failed}");
}

#[tokio::test]
async fn an_answer_that_has_begun_is_read_on_in_nobodys_turn() {
    let gate = gate(GateConfig { in_flight_max: 1, waiting_max: 0, ..GateConfig::default() });
    let _only = gate.admit().await.expect("the first");
    assert_eq!(gate.read_on(|_| Ok(7)).await.expect("it needs no turn"), 7);
    let panicked = gate.read_on(|_| -> Result<(), _> { panic!("inside") }).await;
    assert!(matches!(panicked, Err(GateError::Internal { .. })), "{panicked:?}");
}

#[tokio::test(start_paused = true)]
async fn only_writes_of_turns_wait_for_a_search_index_that_is_late() {
    let world = world(CONFIG);
    let (gate, owner) = (&world.gate, Principal::local_owner());
    let engine = Arc::clone(gate.engine());
    engine.start_search(SearchHome { folder: None, writer_bytes: 16 << 20, tail_bytes: 16 << 20 }).unwrap();
    while engine.search_status().state != "ready" {
        std::thread::sleep(Duration::from_millis(1));
    }
    let writing = || Act::new(Action::TurnsWrite, Resource::tenant(TenantId::LOCAL));
    let admission = gate.admit().await.unwrap();
    let began = Instant::now();
    gate.write(&admission, Prepared::new(&owner, writing(), |_, _| Ok(()))).await.unwrap();
    assert_eq!(began.elapsed(), Duration::ZERO, "an index that keeps up slows nobody");
    world.store.starves_search.store(true, Ordering::SeqCst);
    for _ in 0..1500 {
        let event = Event { kind: EventKind(100), body: Vec::new() };
        engine.transact(&owner, advance(), move |tx, _| Ok(tx.emit(event.clone())?)).unwrap();
    }
    world.clock.advance(Duration::from_secs(31));
    gate.write(&admission, Prepared::new(&owner, advance(), |_, _| Ok(()))).await.unwrap();
    gate.read_in_place(&admission, |engine| engine.stats(&owner)).unwrap();
    assert_eq!(began.elapsed(), Duration::ZERO, "administration and reads are never slowed");
    gate.write(&admission, Prepared::new(&owner, writing(), |_, _| Ok(()))).await.unwrap();
    let slowed = began.elapsed();
    assert!(slowed > Duration::ZERO && slowed <= Duration::from_millis(60), "{slowed:?}");
    world.store.starves_search.store(false, Ordering::SeqCst);
    engine.close().unwrap();
}
