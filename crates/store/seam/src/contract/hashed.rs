//! Hashed keyspaces: exact look-ups, expiry, no versions.

use std::time::Duration;

use cairn_base::Clock;

use super::kit::{THEM, US, commit, commit_for, now, put, seen};
use super::{Make, SEEN, UNSEEN};
use crate::Reader;

/// An entry is found under its own tenant, keyspace and key, and nowhere else; many at once in order.
pub fn entries_are_found_by_tenant_and_keyspace(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    commit(&*store, |tx| {
        tx.hashed_put(SEEN, b"k", b"ours", None)?;
        tx.hashed_put(SEEN, b"empty", b"", None)?;
        tx.hashed_put(UNSEEN, b"k", b"elsewhere", None)
    });
    commit_for(&*store, THEM, |tx| tx.hashed_put(SEEN, b"k", b"theirs", None));
    let view = now(&*store);
    let mut found = Vec::new();
    let keys: [&[u8]; 4] = [b"empty", b"absent", b"k", b"k"];
    let read =
        view.hashed_get(SEEN, US, &keys, &mut |index, value| found.push((index, value.map(<[u8]>::to_vec))));
    read.expect("the entries can be read");
    let some = |text: &str| Some(text.as_bytes().to_vec());
    assert_eq!(found, [(0, some("")), (1, None), (2, some("ours")), (3, some("ours"))]);
    assert_eq!(seen(&*view, THEM, b"k"), some("theirs"));
    assert_eq!(seen(&*view, THEM, b"empty"), None);
    let mut elsewhere = None;
    let read = view.hashed_get(UNSEEN, US, &[b"k"], &mut |_, value| elsewhere = value.map(<[u8]>::to_vec));
    read.expect("the entry can be read");
    assert_eq!(elsewhere, some("elsewhere"));
}

/// An entry is there until its time and gone from then on, for snapshots and for transactions.
pub fn entries_expire_by_the_clock(make: Make<'_>) {
    let subject = make();
    let (store, clock) = (subject.store(), subject.clock());
    let expires = clock.now_ms() + 1000;
    commit(&*store, move |tx| {
        tx.hashed_put(SEEN, b"short", b"1", Some(expires))?;
        tx.hashed_put(SEEN, b"long", b"1", None)
    });
    clock.advance(Duration::from_millis(999));
    assert_eq!(seen(&*now(&*store), US, b"short"), Some(b"1".to_vec()));
    clock.advance(Duration::from_millis(1));
    assert_eq!(seen(&*now(&*store), US, b"short"), None);
    store.upkeep().expect("upkeep does its work");
    commit(&*store, |tx| {
        assert_eq!((seen(&*tx, US, b"short"), seen(&*tx, US, b"long")), (None, Some(b"1".to_vec())));
        Ok(())
    });
}

/// The newest put decides, value and time alike: it may prolong, shorten or take away the expiry.
pub fn an_entry_set_anew_replaces_value_and_expiry(make: Make<'_>) {
    let subject = make();
    let (store, clock) = (subject.store(), subject.clock());
    let soon = clock.now_ms() + 10;
    commit(&*store, move |tx| {
        tx.hashed_put(SEEN, b"prolonged", b"1", Some(soon))?;
        tx.hashed_put(SEEN, b"for ever", b"1", Some(soon))?;
        tx.hashed_put(SEEN, b"shortened", b"1", None)
    });
    commit(&*store, move |tx| {
        tx.hashed_put(SEEN, b"prolonged", b"2", Some(soon + 10))?;
        tx.hashed_put(SEEN, b"for ever", b"2", None)?;
        tx.hashed_put(SEEN, b"shortened", b"2", Some(soon))
    });
    assert_eq!(seen(&*now(&*store), US, b"shortened"), Some(b"2".to_vec()));
    clock.advance(Duration::from_millis(10));
    store.upkeep().expect("upkeep does its work");
    let view = now(&*store);
    let all =
        |view: &dyn Reader| [&b"prolonged"[..], b"for ever", b"shortened"].map(|key| seen(view, US, key));
    assert_eq!(all(&*view), [Some(b"2".to_vec()), Some(b"2".to_vec()), None]);
    clock.advance(Duration::from_millis(10));
    assert_eq!(all(&*now(&*store)), [None, Some(b"2".to_vec()), None]);
    commit(&*store, |tx| tx.hashed_put(SEEN, b"shortened", b"3", None));
    assert_eq!(
        seen(&*now(&*store), US, b"shortened"),
        Some(b"3".to_vec()),
        "an expired key can be set again"
    );
}

/// There are no old versions of hashed entries: a snapshot reads the newest one.
pub fn snapshots_see_the_newest_entry(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    commit(&*store, |tx| tx.hashed_put(SEEN, b"k", b"1", None));
    let view = now(&*store);
    commit(&*store, |tx| tx.hashed_put(SEEN, b"k", b"2", None));
    assert_eq!(seen(&*view, US, b"k"), Some(b"2".to_vec()));
}

/// Entries and their times are still there after reopening, the newest one of each.
pub fn expiry_survives_reopening(make: Make<'_>) {
    let mut subject = make();
    let clock = subject.clock();
    let expires = clock.now_ms() + 1000;
    {
        let store = subject.store();
        commit(&*store, move |tx| {
            tx.hashed_put(SEEN, b"short", b"1", None)?;
            tx.hashed_put(SEEN, b"long", b"1", None)
        });
        commit(&*store, move |tx| tx.hashed_put(SEEN, b"short", b"2", Some(expires)));
        put(&*store, &[("more", "1")]);
    }
    if !subject.reopen() {
        return;
    }
    let store = subject.store();
    assert_eq!(seen(&*now(&*store), US, b"short"), Some(b"2".to_vec()));
    assert_eq!(seen(&*now(&*store), THEM, b"short"), None);
    clock.advance(Duration::from_secs(1));
    let view = now(&*store);
    assert_eq!((seen(&*view, US, b"short"), seen(&*view, US, b"long")), (None, Some(b"1".to_vec())));
}
