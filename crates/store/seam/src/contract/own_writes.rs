//! A transaction reads what it wrote.

use cairn_base::ContentHash;

use super::kit::{THEM, US, blob, commit, content, get, key, now, put, seen, texts, texts_in};
use super::{Make, RECORDS, SEEN};
use crate::{KeyRange, StoreError};

/// Puts and deletions show at once, over stored values and over each other.
pub fn gets_see_own_writes(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    put(&*store, &[("stored", "1"), ("goes", "1")]);
    commit(&*store, |tx| {
        assert_eq!(get(&*tx, "stored"), Some(b"1".to_vec()));
        tx.put(RECORDS, &key("stored"), b"2")?;
        assert_eq!(get(&*tx, "stored"), Some(b"2".to_vec()));
        tx.put(RECORDS, &key("stored"), b"3")?;
        tx.delete(RECORDS, &key("goes"))?;
        tx.put(RECORDS, &key("own"), b"1")?;
        tx.put(RECORDS, &key("comes and goes"), b"1")?;
        tx.delete(RECORDS, &key("comes and goes"))?;
        assert_eq!(get(&*tx, "stored"), Some(b"3".to_vec()));
        assert_eq!(get(&*tx, "goes"), None);
        assert_eq!(get(&*tx, "own"), Some(b"1".to_vec()));
        assert_eq!(get(&*tx, "comes and goes"), None);
        Ok(())
    });
    assert_eq!(texts(&*now(&*store)), ["own=1", "stored=3"]);
}

/// Scans mix stored records with own puts and leave out own deletions, either way and with limits.
pub fn scans_see_own_writes_in_both_directions(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    put(&*store, &[("a", "s"), ("c", "s"), ("e", "s"), ("g", "s"), ("i", "s")]);
    commit(&*store, |tx| {
        for name in ["0", "b", "c", "f", "z"] {
            tx.put(RECORDS, &key(name), b"o")?;
        }
        for name in ["a", "d", "g"] {
            tx.delete(RECORDS, &key(name))?;
        }
        let expected = ["0=o", "b=o", "c=o", "e=s", "f=o", "i=s", "z=o"];
        let whole = KeyRange::prefix(&key(""));
        for limit in 0..=8 {
            let range = whole.clone().limit(limit);
            assert!(texts_in(&*tx, &range).iter().eq(expected.iter().take(limit)), "limit {limit}");
            let backwards = texts_in(&*tx, &range.descending());
            assert!(backwards.iter().eq(expected.iter().rev().take(limit)), "backwards, limit {limit}");
        }
        Ok(())
    });
    assert_eq!(texts(&*now(&*store)), ["0=o", "b=o", "c=o", "e=s", "f=o", "i=s", "z=o"]);
}

/// A range removed takes stored and own records; what is put afterwards stays.
pub fn a_put_after_delete_range_is_there(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    put(&*store, &[("r/a", "s"), ("r/b", "s"), ("s", "s")]);
    commit(&*store, |tx| {
        tx.put(RECORDS, &key("r/c"), b"o")?;
        tx.delete(RECORDS, &key("r/a"))?;
        assert_eq!(tx.delete_range(RECORDS, &KeyRange::prefix(&key("r/")))?, 2, "one stored, one own");
        assert_eq!(texts(&*tx), ["s=s"]);
        assert_eq!(tx.delete_range(RECORDS, &KeyRange::prefix(&key("r/")))?, 0);
        tx.put(RECORDS, &key("r/b"), b"again")?;
        assert_eq!(texts(&*tx), ["r/b=again", "s=s"]);
        Ok(())
    });
    assert_eq!(texts(&*now(&*store)), ["r/b=again", "s=s"]);
}

/// Hashed entries and blobs are there for the transaction itself, and for nobody before it commits.
pub fn hashed_entries_and_blobs_are_seen_before_commit(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    commit(&*store, |tx| tx.hashed_put(SEEN, b"k", b"1", None));
    let hash = ContentHash::of(b"content");
    let answer = crate::write(&*store, US, move |tx| {
        assert_eq!(seen(&*tx, US, b"k"), Some(b"1".to_vec()));
        tx.hashed_put(SEEN, b"k", b"2", None)?;
        assert_eq!(seen(&*tx, US, b"k"), Some(b"2".to_vec()));
        tx.hashed_put(SEEN, b"k", b"3", Some(0))?;
        assert_eq!(seen(&*tx, US, b"k"), None, "set to have expired long ago");
        assert_eq!(content(&*tx, US, hash), None);
        tx.put_blob(&blob("content"))?;
        assert_eq!(content(&*tx, US, hash), Some(b"content".to_vec()));
        Err::<(), _>(StoreError::Conflict)
    });
    assert!(matches!(answer, Err(StoreError::Conflict)), "the closure's own error comes back: {answer:?}");
    let view = now(&*store);
    assert_eq!((seen(&*view, US, b"k"), content(&*view, US, hash)), (Some(b"1".to_vec()), None));
    assert_eq!(seen(&*view, THEM, b"k"), None);
}
