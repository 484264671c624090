//! Each limit at the limit and one past it; what is refused changes nothing.

use cairn_base::Position;

use super::kit::{US, commit, event, feed, key, now, put, refused, scan, seen, texts};
use super::{Make, RECORDS, SEEN};
use crate::{Event, EventKind, KeyRange, Store, StoreError, WriteTx, limits};

/// A transaction that would change something before it does what is refused.
#[track_caller]
fn refused_after_changes(
    store: &dyn Store,
    mut last: impl FnMut(&mut dyn WriteTx) -> Result<(), StoreError> + Send + 'static,
) -> StoreError {
    let at = store.position();
    let error = refused(store, move |tx| {
        tx.put(RECORDS, &key("refused"), b"")?;
        tx.hashed_put(SEEN, b"refused", b"", None)?;
        tx.emit(event("refused"))?;
        last(tx)
    });
    let view = now(store);
    assert!(!texts(&*view).iter().any(|text| text.starts_with("refused=")), "a record was left");
    assert_eq!(seen(&*view, US, b"refused"), None, "an entry was left");
    assert_eq!((feed(store, at, None, 1), store.position()), (Vec::new(), at), "history was left");
    error
}

/// Keys have 4 bytes, the tenant alone, to the longest.
pub fn keys_at_the_limits(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let longest = key([b'k'; limits::KEY_BYTES_MAX - 4]);
    let same = longest.clone();
    commit(&*store, move |tx| {
        tx.put(RECORDS, &key(""), b"shortest")?;
        tx.put(RECORDS, &same, b"longest")
    });
    let view = now(&*store);
    assert_eq!(crate::get(&*view, RECORDS, &longest).expect("it can be read"), Some(b"longest".to_vec()));
    assert_eq!(scan(&*view, RECORDS, &KeyRange::prefix(&key(""))).len(), 2);
    let too_long = [longest, vec![b'k']].concat();
    for bad in [Vec::new(), key("")[..3].to_vec(), too_long] {
        let bytes = bad.len();
        let same = bad.clone();
        for error in [
            refused_after_changes(&*store, move |tx| tx.put(RECORDS, &bad, b"")),
            refused_after_changes(&*store, move |tx| tx.delete(RECORDS, &same)),
        ] {
            assert!(
                matches!(error, StoreError::KeyLength { bytes: said } if said == bytes),
                "{bytes}: {error}"
            );
        }
    }
}

/// Values have up to 64 KiB.
pub fn values_at_the_limit(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let largest = vec![b'v'; limits::VALUE_BYTES_MAX];
    let same = largest.clone();
    commit(&*store, move |tx| tx.put(RECORDS, &key("k"), &same));
    assert_eq!(scan(&*now(&*store), RECORDS, &KeyRange::prefix(&key(""))), [(key("k"), largest.clone())]);
    let too_large = [largest, vec![b'v']].concat();
    let bytes = too_large.len();
    let error = refused_after_changes(&*store, move |tx| tx.put(RECORDS, &key("k"), &too_large));
    assert!(matches!(error, StoreError::ValueTooLarge { bytes: said } if said == bytes), "{error}");
}

/// Events have a body up to their limit.
pub fn events_at_the_limit(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let sized = |bytes| Event { kind: EventKind(1), body: vec![b'e'; bytes] };
    let largest = sized(limits::EVENT_BYTES_MAX);
    let same = largest.clone();
    commit(&*store, move |tx| tx.emit(same.clone()));
    assert_eq!(feed(&*store, Position::START, None, 1)[0].events, [largest]);
    let bytes = limits::EVENT_BYTES_MAX + 1;
    let error = refused_after_changes(&*store, move |tx| tx.emit(sized(bytes)));
    assert!(matches!(error, StoreError::ValueTooLarge { bytes: said } if said == bytes), "{error}");
}

/// Hashed entries have the limits of records, but for the tenant that their keys do not carry.
pub fn hashed_entries_at_the_limits(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let (longest, largest) = ([b'k'; limits::KEY_BYTES_MAX], vec![b'v'; limits::HASHED_VALUE_BYTES_MAX]);
    let same = largest.clone();
    commit(&*store, move |tx| {
        tx.hashed_put(SEEN, b"k", b"shortest", None)?;
        tx.hashed_put(SEEN, &longest, &same, None)
    });
    let view = now(&*store);
    assert_eq!(seen(&*view, US, b"k"), Some(b"shortest".to_vec()));
    assert_eq!(seen(&*view, US, &longest), Some(largest));
    for bad in [Vec::new(), vec![b'k'; limits::KEY_BYTES_MAX + 1]] {
        let bytes = bad.len();
        let error = refused_after_changes(&*store, move |tx| tx.hashed_put(SEEN, &bad, b"", None));
        assert!(matches!(error, StoreError::KeyLength { bytes: said } if said == bytes), "{error}");
    }
    let too_large = vec![b'v'; limits::HASHED_VALUE_BYTES_MAX + 1];
    let error = refused_after_changes(&*store, move |tx| tx.hashed_put(SEEN, b"k", &too_large, None));
    assert!(matches!(error, StoreError::HashedValueTooLarge { .. }), "{error}");
    assert_eq!(seen(&*now(&*store), US, b"k"), Some(b"shortest".to_vec()));
}

fn put_numbers(tx: &mut dyn WriteTx, count: usize) -> Result<(), StoreError> {
    (0..count as u32).try_for_each(|n| tx.put(RECORDS, &key(n.to_be_bytes()), b"v"))
}

/// A commit has up to 200,000 changes, and a removed range counts key by key.
pub fn changes_at_the_limit(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let whole = KeyRange::prefix(&key(""));
    for one_more in [
        (|tx| tx.put(RECORDS, &key("k"), b"")) as fn(&mut dyn WriteTx) -> Result<(), StoreError>,
        |tx| tx.delete(RECORDS, &key("k")),
        |tx| tx.emit(event("")),
        |tx| tx.hashed_put(SEEN, b"k", b"", None),
        |tx| tx.put_blob(&super::kit::blob("")),
        |tx| tx.delete_range(RECORDS, &KeyRange::prefix(&key(0_u32.to_be_bytes()))).map(|_| ()),
    ] {
        // Three changes were made by whoever counts the rest.
        let error = refused_after_changes(&*store, move |tx| {
            put_numbers(tx, limits::COMMIT_CHANGES_MAX - 3)?;
            one_more(tx)
        });
        assert!(matches!(error, StoreError::CommitTooLarge), "{error}");
    }
    commit(&*store, |tx| put_numbers(tx, limits::COMMIT_CHANGES_MAX));
    assert_eq!(scan(&*now(&*store), RECORDS, &whole).len(), limits::COMMIT_CHANGES_MAX);
    put(&*store, &[("and one", "more")]);
    let same = whole.clone();
    let error = refused(&*store, move |tx| tx.delete_range(RECORDS, &same));
    assert!(matches!(error, StoreError::CommitTooLarge), "{error}");
    assert_eq!(scan(&*now(&*store), RECORDS, &whole).len(), limits::COMMIT_CHANGES_MAX + 1);
    let all_but_one = whole.limit(limits::COMMIT_CHANGES_MAX);
    commit(&*store, move |tx| tx.delete_range(RECORDS, &all_but_one));
    assert_eq!(texts(&*now(&*store)), ["and one=more"]);
}

/// A commit has up to 64 MiB of keys and values together.
pub fn bytes_at_the_limit(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    // 1023 records of 8 + 65,528 bytes are 64 KiB each; the last one is filled to the limit.
    let fill = |tx: &mut dyn WriteTx, last_bytes: usize| {
        let value = vec![b'v'; 65_528];
        for n in 0..1023_u32 {
            tx.put(RECORDS, &key(n.to_be_bytes()), &value)?;
        }
        tx.put(RECORDS, &key("last"), &vec![b'v'; last_bytes])
    };
    assert_eq!(limits::COMMIT_BYTES_MAX, 1024 * (8 + 65_528), "the arithmetic of this contract");
    let at = store.position();
    let error = refused(&*store, move |tx| fill(tx, 65_529));
    assert!(matches!(error, StoreError::CommitTooLarge), "{error}");
    assert_eq!((texts(&*now(&*store)), store.position()), (Vec::new(), at));
    commit(&*store, move |tx| fill(tx, 65_528));
    assert_eq!(scan(&*now(&*store), RECORDS, &KeyRange::prefix(&key(""))).len(), 1024);
}
