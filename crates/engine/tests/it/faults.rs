//! Every operation of the store fails once: an act and its audit line are there together or not at all.

use std::sync::Arc;

use cairn_access::{Action, Principal};
use cairn_base::{ManualClock, TenantId};
use cairn_engine::{AuditOutcome, Engine, EngineError, Received};
use cairn_seam::{FaultPlan, FaultyStore, MemoryStore, SeamFault, Store};

use crate::support::{NOW_MS, name, open, start};

/// Opens a node and has a consumer registered, advanced and removed again.
fn run(store: Arc<dyn Store>, clock: &ManualClock) -> Result<(), EngineError> {
    let owner = Principal::local_owner();
    let engine = open(store, clock)?;
    engine.consumer_register(&owner, &name("a"), start())?;
    engine.consumer_register(&owner, &name("b"), start())?;
    engine.feed_advance(&owner, &name("a"), start())?;
    engine.consumer_remove(&owner, &name("b"))?;
    Ok(())
}

/// Registrations less removals, once by the records and once by the audit trail.
fn consumers_and_lines(engine: &Engine) -> (usize, usize) {
    let owner = Principal::local_owner();
    let lines = engine.audit_page(&owner, TenantId::NODE, None, 100).unwrap().lines;
    let count = |action| {
        lines.iter().filter(|line| line.action == action && line.outcome == AuditOutcome::Done).count()
    };
    assert_eq!(count(Action::NodeInit), 1);
    let registered = count(Action::ConsumerRegister) - count(Action::ConsumerRemove);
    (engine.consumers(&owner).unwrap().len(), registered)
}

#[test]
fn whatever_fails_the_trail_tells_the_truth() {
    let kinds = [
        SeamFault::Fail,
        SeamFault::LoseAnswer,
        SeamFault::Rerun,
        SeamFault::Tear { at: 0 },
        SeamFault::Tear { at: 1 },
    ];
    for fault in kinds {
        for n in 0.. {
            let clock = ManualClock::new(NOW_MS);
            let inner: Arc<dyn Store> = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
            let faulty = Arc::new(FaultyStore::new(Arc::clone(&inner), FaultPlan::at(n, fault)));
            let outcome = run(Arc::clone(&faulty) as Arc<dyn Store>, &clock);
            let engine = open(inner, &clock).unwrap();
            let (consumers, lines) = consumers_and_lines(&engine);
            assert_eq!(consumers, lines, "{fault:?} at operation {n}");
            if faulty.operations() <= n {
                assert!(n > 10, "the workload has operations to fail");
                assert_eq!((outcome.is_ok(), consumers), (true, 1));
                break;
            }
        }
    }
}

#[test]
fn a_closure_that_ran_twice_is_announced_and_audited_once() {
    let clock = ManualClock::new(NOW_MS);
    let inner: Arc<dyn Store> = Arc::new(MemoryStore::new(Arc::new(clock.clone())));
    drop(open(Arc::clone(&inner), &clock).unwrap());
    let plan = (0..20).fold(FaultPlan::none(), |plan, n| plan.and(n, SeamFault::Rerun));
    let engine = open(Arc::new(FaultyStore::new(inner, plan)), &clock).unwrap();
    let owner = Principal::local_owner();
    let listener = engine.subscribe(&owner, TenantId::NODE).unwrap();
    let mut runs = 0;
    let committed = engine
        .transact(&owner, crate::support::register(), move |tx, _| {
            runs += 1;
            tx.emit(cairn_seam::Event { kind: cairn_seam::EventKind(100), body: Vec::new() })?;
            Ok(runs)
        })
        .unwrap();
    assert_eq!(committed.value, 2);
    assert!(matches!(listener.try_recv(), Some(Received::Notification(told)) if told.kinds.len() == 1));
    assert_eq!(listener.try_recv(), None);
    assert_eq!(engine.audit_page(&owner, TenantId::NODE, None, 100).unwrap().lines.len(), 2);
}
