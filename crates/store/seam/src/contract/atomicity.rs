//! All of a transaction or nothing of it.

use cairn_base::{ContentHash, Position};

use super::kit::{
    THEM, US, blob, commit_for, content, event, feed, key, key_of, now, put, said, scan, seen, texts,
};
use super::{Make, OTHERS, RECORDS, SEEN};
use crate::{Aborted, KeyRange, Store, StoreError, WriteTx};

type Call = fn(&mut dyn WriteTx) -> Result<(), StoreError>;

const RECORDS_OF_ONE: u32 = 1000;

/// Changes something of every kind, in two keyspaces.
fn change_everything(tx: &mut dyn WriteTx) -> Result<(), StoreError> {
    for n in 0..RECORDS_OF_ONE {
        tx.put(RECORDS, &key(n.to_be_bytes()), b"value")?;
        tx.put(OTHERS, &key(n.to_be_bytes()), b"value")?;
    }
    tx.delete(RECORDS, &key("before"))?;
    tx.hashed_put(SEEN, b"entry", b"value", None)?;
    tx.put_blob(&blob("content"))?;
    tx.emit(event("happened"))
}

/// Everything there is, to be compared: records, others, entry, blob, events.
fn everything(store: &dyn Store) -> (usize, usize, bool, bool, Vec<String>, bool) {
    let view = now(store);
    let whole = KeyRange::prefix(&key(""));
    let before = super::kit::get(&*view, "before").is_some();
    (
        scan(&*view, RECORDS, &whole).len(),
        scan(&*view, OTHERS, &whole).len(),
        seen(&*view, US, b"entry").is_some(),
        content(&*view, US, ContentHash::of(b"content")).is_some(),
        said(&feed(store, Position::START, None, 100)),
        before,
    )
}

/// Many keys, a deletion, an entry, a blob and an event land together, at one position.
pub fn a_transaction_lands_whole(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let earlier = put(&*store, &[("before", "1")]);
    let ((), at) = commit_for(&*store, US, change_everything);
    assert!(at > earlier, "a transaction has a position of its own");
    let all = RECORDS_OF_ONE as usize;
    assert_eq!(everything(&*store), (all, all, true, true, vec!["happened".into()], false));
    assert_eq!(feed(&*store, Position::START, None, 1)[0].position, at);
}

/// Nothing is left of a closure that did its work and then gave up.
pub fn a_transaction_given_up_leaves_nothing(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let at = put(&*store, &[("before", "1")]);
    let before = everything(&*store);
    let answer = store.write(US, Box::new(|tx| change_everything(tx).map_err(|_| Aborted).and(Err(Aborted))));
    assert!(matches!(answer, Err(StoreError::Aborted)), "{answer:?}");
    assert_eq!((everything(&*store), store.position()), (before, at));
}

/// Nothing is left of a closure that panicked; its words come back, and the store goes on.
pub fn a_panic_leaves_nothing(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    put(&*store, &[("before", "1")]);
    let before = everything(&*store);
    let answer = store.write(
        US,
        Box::new(|tx| {
            change_everything(tx).map_err(|_| Aborted)?;
            panic!("contract panic number {}", 7)
        }),
    );
    match answer {
        Err(StoreError::Panicked { message }) => assert_eq!(message, "contract panic number 7"),
        other => panic!("a panicking closure was answered {other:?}"),
    }
    assert_eq!(everything(&*store), before);
    put(&*store, &[("after", "1")]);
    assert_eq!(texts(&*now(&*store)), ["after=1", "before=1"]);
}

/// A closure that ignores an error it was handed cannot commit the rest.
pub fn an_overlooked_error_still_dooms_the_transaction(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    put(&*store, &[("before", "1")]);
    let before = everything(&*store);
    let overlook: [Call; 4] = [
        |tx| tx.put(RECORDS, &[0; 3], b""),
        |tx| tx.put(RECORDS, &key_of(THEM, "k"), b""),
        |tx| crate::get(&*tx, RECORDS, &key_of(THEM, "k")).map(|_| ()),
        |tx| tx.delete_range(RECORDS, &KeyRange::prefix(&key_of(THEM, ""))).map(|_| ()),
    ];
    for (number, overlooked) in overlook.into_iter().enumerate() {
        let body = Box::new(move |tx: &mut dyn WriteTx| {
            assert!(overlooked(tx).is_err(), "call {number} is refused");
            change_everything(tx).map_err(|_| Aborted)
        });
        let answer = store.write(US, body);
        let right = match &answer {
            Err(StoreError::KeyLength { bytes }) => number == 0 && *bytes == 3,
            Err(StoreError::ForeignTenant) => number > 0,
            _ => false,
        };
        assert!(right, "call {number} was answered {answer:?}");
        assert_eq!(everything(&*store), before, "call {number}");
    }
}

/// A transaction that only reads answers with a position that is already there, and adds no event.
pub fn a_transaction_without_changes_takes_no_position(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let at = put(&*store, &[("k", "1")]);
    let (found, position) = commit_for(&*store, US, |tx| {
        assert_eq!(tx.delete_range(RECORDS, &KeyRange::prefix(&key("nothing")))?, 0);
        crate::get(&*tx, RECORDS, &key("k"))
    });
    assert_eq!((found, position, store.position()), (Some(b"1".to_vec()), at, at));
    assert_eq!(feed(&*store, Position::START, None, 10), []);
}
