//! What goes wrong as planned, and that nothing else does.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use cairn_base::{ContentHash, ManualClock, Position, TenantId};
use cairn_seam::contract::{RECORDS, SEEN};
use cairn_seam::{
    Event, EventKind, FaultPlan, FaultyStore, KeyRange, MemoryStore, SeamFault, Store, StoreError, Visit,
    WriteTx, get, submit, write,
};

const TENANT: TenantId = TenantId(1);
const KEYS: [&[u8]; 3] = [&[0, 0, 0, 1, b'a'], &[0, 0, 0, 1, b'b'], &[0, 0, 0, 1, b'c']];

fn memory() -> Arc<MemoryStore> {
    Arc::new(MemoryStore::new(Arc::new(ManualClock::new(0))))
}

fn faulty(plan: FaultPlan) -> (Arc<MemoryStore>, FaultyStore) {
    let inner = memory();
    (Arc::clone(&inner), FaultyStore::new(inner, plan))
}

/// Adds one to a number under every key: one read, five changes.
fn increment(tx: &mut dyn WriteTx) -> Result<u8, StoreError> {
    let next = get(&*tx, RECORDS, KEYS[0])?.map_or(0, |value| value[0]) + 1;
    for key in KEYS {
        tx.put(RECORDS, key, &[next])?;
    }
    tx.hashed_put(SEEN, b"entry", &[next], None)?;
    tx.emit(Event { kind: EventKind(1), body: vec![next] })?;
    Ok(next)
}

/// The number the store stands at, the same wherever one looks.
fn number(store: &dyn Store) -> u8 {
    let view = store.snapshot(Position::START).expect("the store inside works");
    let values = KEYS
        .map(|key| get(&*view, RECORDS, key).expect("the store inside works").map_or(0, |value| value[0]));
    let mut entry = 0;
    view.hashed_get(SEEN, TENANT, &[b"entry"], &mut |_, value| entry = value.map_or(0, |value| value[0]))
        .expect("the store inside works");
    let page = store.changes(Position::START, None, 100).expect("the store inside works");
    let last = page.changes.last().map_or(0, |change| change.events[0].body[0]);
    assert_eq!(
        (values, entry, page.changes.len()),
        ([last; 3], last, usize::from(last)),
        "half a transaction"
    );
    last
}

/// Reads of every kind beside two writes; what fails, fails.
fn work(store: &FaultyStore, inner: &dyn Store) {
    for by_submitting in [false, true] {
        let before = number(inner);
        let answer = if by_submitting {
            let (sender, receiver) = mpsc::channel();
            submit(store, TENANT, increment, move |outcome| sender.send(outcome).expect("somebody waits"));
            receiver.recv().expect("there is an answer")
        } else {
            write(store, TENANT, increment)
        };
        let after = number(inner);
        match answer {
            Ok((next, _)) => assert_eq!((next, after), (before + 1, before + 1)),
            Err(StoreError::OutcomeUnknown { .. }) => {
                assert_eq!(after, before + 1, "only the answer was lost")
            }
            Err(StoreError::Io { .. }) => assert_eq!(after, before),
            Err(error) => panic!("an error that was not planned: {error}"),
        }
        let Ok(view) = store.snapshot(Position::START) else { continue };
        let mut seen = 0;
        let read = view.multi_scan(RECORDS, &[KeyRange::prefix(&[0, 0, 0, 1])], &mut |_, _, _| {
            seen += 1;
            Visit::Continue
        });
        assert!(read.is_err() || seen == 3 || after == 0);
        let _ = view.hashed_get(SEEN, TENANT, &[b"entry"], &mut |_, _| {});
        let _ = view.blobs(TENANT, &[], &mut |_, _| {});
        let _ = store.changes(Position::START, None, 10);
        assert_eq!(number(inner), after, "a read changed something");
    }
}

#[test]
fn every_operation_failed_once_leaves_the_state_before_or_after() {
    let (inner, store) = faulty(FaultPlan::none());
    work(&store, &*inner);
    let operations = store.operations();
    assert_eq!(operations, 2 * (2 + 1 + 3 + 1), "a write and its read, a snapshot, its reads, the changes");
    let delay = SeamFault::Delay(Duration::from_secs(3600));
    let tears = (0..7).map(|at| SeamFault::Tear { at });
    let faults = [SeamFault::Fail, SeamFault::LoseAnswer, delay, SeamFault::Rerun].into_iter().chain(tears);
    for fault in faults {
        for n in 0..operations {
            let (inner, store) = faulty(FaultPlan::at(n, fault));
            work(&store, &*inner);
            assert!(number(&*inner) >= 1, "{fault:?} at {n}: one fault stops one write at most");
        }
    }
}

#[test]
fn a_lost_answer_is_a_write_that_happened() {
    let (inner, store) = faulty(FaultPlan::at(0, SeamFault::LoseAnswer));
    let answer = write(&store, TENANT, increment);
    assert!(matches!(answer, Err(StoreError::OutcomeUnknown { .. })), "{answer:?}");
    assert_eq!(number(&*inner), 1);
}

#[test]
fn a_rerun_runs_twice_and_counts_once() {
    for by_submitting in [false, true] {
        let (inner, store) = faulty(FaultPlan::at(0, SeamFault::Rerun));
        let runs = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&runs);
        let body = move |tx: &mut dyn WriteTx| {
            counted.fetch_add(1, Ordering::Relaxed);
            increment(tx)
        };
        if by_submitting {
            submit(&store, TENANT, body, |outcome| assert_eq!(outcome.unwrap().0, 1));
        } else {
            assert_eq!(write(&store, TENANT, body).unwrap().0, 1);
        }
        assert_eq!((runs.load(Ordering::Relaxed), number(&*inner)), (2, 1));
    }
}

#[test]
fn a_torn_transaction_stops_at_its_change_and_cannot_be_kept() {
    for at in 0..=6 {
        let (inner, store) = faulty(FaultPlan::at(0, SeamFault::Tear { at }));
        let answer = write(&store, TENANT, |tx| {
            // A closure that goes on whatever it is told.
            let answers = KEYS.map(|key| tx.put(RECORDS, key, &[9]).is_ok());
            Ok::<_, StoreError>(answers)
        });
        assert!(matches!(answer, Err(StoreError::Io { .. })), "torn at {at}: {answer:?}");
        assert_eq!(number(&*inner), 0, "torn at {at}");
    }
}

#[test]
fn a_torn_read_visits_as_many_keys_as_planned() {
    let (_, store) = faulty(FaultPlan::at(3, SeamFault::Tear { at: 2 }).and(4, SeamFault::Tear { at: 1 }));
    write(&store, TENANT, increment).unwrap();
    let view = store.snapshot(Position::START).unwrap();
    let mut seen = 0;
    let read = view.multi_scan(RECORDS, &[KeyRange::prefix(&[])], &mut |_, _, _| {
        seen += 1;
        Visit::Continue
    });
    assert!(matches!(read, Err(StoreError::Io { .. })));
    assert_eq!(seen, 2);
    let read = view.multi_get(RECORDS, &KEYS, &mut |_, _| seen += 1);
    assert!(matches!(read, Err(StoreError::Io { .. })));
    assert_eq!((seen, store.operations()), (3, 5));
}

#[test]
fn a_delay_passes_the_way_the_plan_waits() {
    let clock = ManualClock::new(0);
    let waited = clock.clone();
    let plan = FaultPlan::at(1, SeamFault::Delay(Duration::from_secs(6)))
        .waiting_by(move |time| waited.advance(time));
    let store = FaultyStore::new(Arc::new(MemoryStore::new(Arc::new(clock))), plan);
    let view = store.snapshot(Position::START).unwrap();
    let late = get(&*view, RECORDS, KEYS[0]);
    assert!(matches!(late, Err(StoreError::SnapshotTooOld)), "{late:?}");
}

#[test]
fn whoever_listens_hears_how_much_work_was_done() {
    let (_, store) = faulty(FaultPlan::none());
    write(&store, TENANT, increment).unwrap();
    assert_eq!(store.listen(), [""; 0], "nobody listened");
    let snapshot = store.snapshot(Position::START).unwrap();
    let missing: &[u8] = &[0, 0, 0, 1, b'd', b'd'];
    snapshot.multi_get(RECORDS, &[KEYS[0], missing], &mut |_, _| ()).unwrap();
    let one = KeyRange::prefix(&KEYS[0][..4]).limit(1);
    snapshot.multi_scan(RECORDS, &[one], &mut |_, _, _| Visit::Continue).unwrap();
    drop(store.open_blob(TENANT, &ContentHash::of(b"none")).unwrap());
    let name = RECORDS.name;
    assert_eq!(
        store.listen(),
        [
            "taking a snapshot".to_owned(),
            format!("get {name} 1+1 1+2 found 1 of 1 bytes"),
            format!("scan {name} 1+0 found 1 of 1 bytes"),
            "opening a blob".to_owned(),
            "a blob of tenant 1: None bytes".to_owned(),
        ]
    );
    write(&store, TENANT, |tx| tx.put(RECORDS, KEYS[0], &[1, 2, 3])).unwrap();
    assert_eq!(store.listen(), ["a transaction of tenant 1".to_owned(), format!("put {name} 5 3")]);
}

#[test]
fn a_store_that_takes_no_writes_reads_on_and_takes_them_again() {
    let (_, store) = faulty(FaultPlan::none());
    write(&store, TENANT, increment).unwrap();
    store.take_no_writes(Some(|| StoreError::StorageFull { free_bytes: 1, reserve_bytes: 2 }));
    for _ in 0..2 {
        let refused = write(&store, TENANT, increment);
        assert!(matches!(refused, Err(StoreError::StorageFull { free_bytes: 1, .. })), "{refused:?}");
    }
    let number = || get(&*store.snapshot(Position::START).unwrap(), RECORDS, KEYS[0]).unwrap();
    assert_eq!(number(), Some(vec![1]));
    store.take_no_writes(None);
    write(&store, TENANT, increment).unwrap();
    assert_eq!(number(), Some(vec![2]));
}
