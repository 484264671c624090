//! A disk that is nearly full.

use std::sync::mpsc;

use super::kit::{US, answers, commit, get, key, now, texts};
use super::{Make, RECORDS};
use crate::{Aborted, Health, Store, StoreError, TxBody, WriteClass, WriteTx, limits};

fn put(name: &'static str) -> TxBody {
    Box::new(move |tx| tx.put(RECORDS, &key(name), b"").map_err(|_| Aborted))
}

/// Ordinary transactions are refused, those of other classes are taken, also when all are queued together;
/// reading goes on, and with room everything is taken again.
pub fn a_full_store_takes_only_what_may_use_the_reserve(make: Make<'_>) {
    let mut subject = make();
    let store = subject.store();
    commit(&*store, |tx| tx.put(RECORDS, &key("before"), b""));
    if !subject.set_full(true) {
        return;
    }
    assert!(matches!(store.health(), Health::Full { .. }), "{:?}", store.health());
    let (sender, receiver) = mpsc::channel();
    let classes = [
        ("a", WriteClass::Ordinary),
        ("b", WriteClass::Reserve),
        ("c", WriteClass::Ordinary),
        ("d", WriteClass::Vital),
        ("e", WriteClass::Ordinary),
    ];
    for (n, (name, class)) in classes.into_iter().enumerate() {
        let sender = sender.clone();
        let done = move |outcome| {
            // The contract has already failed if nobody listens.
            let _ = sender.send((n, outcome));
        };
        store.submit_as(US, class, put(name), Box::new(done));
    }
    for (n, outcome) in answers(&receiver, classes.len()) {
        match (classes[n].1, outcome) {
            (WriteClass::Ordinary, Err(StoreError::StorageFull { .. }))
            | (WriteClass::Reserve | WriteClass::Vital, Ok(_)) => {}
            (class, outcome) => panic!("a transaction of class {class:?} was answered {outcome:?}"),
        }
    }
    assert_eq!(texts(&*now(&*store)), ["b=", "before=", "d="]);
    let remove: TxBody = Box::new(|tx| tx.delete(RECORDS, &key("before")).map_err(|_| Aborted));
    store.write_as(US, WriteClass::Reserve, remove).expect("deleting is taken");
    assert!(matches!(store.write(US, put("f")), Err(StoreError::StorageFull { .. })));
    assert_eq!(texts(&*now(&*store)), ["b=", "d="]);
    drop(store);
    let is_back = subject.reopen();
    let store = subject.store();
    if is_back {
        assert_eq!(texts(&*now(&*store)), ["b=", "d="], "what the reserve paid for is durable");
    }
    assert!(subject.set_full(false), "what can be filled can be emptied");
    store.write(US, put("h")).expect("there is room again");
    assert_eq!(texts(&*now(&*store)), ["b=", "d=", "h="]);
}

/// A transaction that is too large for the reserve fails as a whole, and says so.
pub fn what_comes_from_the_reserve_is_bounded(make: Make<'_>) {
    let mut subject = make();
    let store = subject.store();
    if !subject.set_full(true) {
        return;
    }
    let write = |class, count: usize, value_bytes: usize| write_many(&*store, class, count, value_bytes);
    let whole = limits::RESERVE_COMMIT_BYTES_MAX / limits::VALUE_BYTES_MAX;
    for (class, count, value_bytes) in [
        (WriteClass::Reserve, whole, limits::VALUE_BYTES_MAX),
        (WriteClass::Reserve, limits::RESERVE_COMMIT_CHANGES_MAX + 1, 0),
        (WriteClass::Vital, 1, limits::VITAL_COMMIT_BYTES_MAX),
    ] {
        let error = write(class, count, value_bytes).expect_err("it is too large");
        assert!(matches!(error, StoreError::ReserveExceeded { .. }), "{class:?}: {error}");
        assert_eq!(get(&*now(&*store), "0000"), None, "{class:?}: nothing is kept");
    }
    write(WriteClass::Vital, 1, limits::VITAL_COMMIT_BYTES_MAX / 2).expect("it is small enough");
    assert!(subject.set_full(false), "what can be filled can be emptied");
    write(WriteClass::Reserve, whole, limits::VALUE_BYTES_MAX).expect("with room there is no such limit");
}

fn write_many(
    store: &dyn Store,
    class: WriteClass,
    count: usize,
    value_bytes: usize,
) -> Result<(), StoreError> {
    let body = move |tx: &mut dyn WriteTx| {
        (0..count).try_for_each(|n| tx.put(RECORDS, &key(format!("{n:04}")), &vec![7; value_bytes]))
    };
    crate::write_as(store, US, class, body).map(drop)
}
