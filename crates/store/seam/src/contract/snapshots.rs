//! Snapshots stand still, and not for ever.

use std::ops::Bound;
use std::sync::{Arc, mpsc};
use std::time::Duration;

use cairn_base::{ContentHash, Position};

use super::kit::{PATIENCE, US, commit, get, key, now, put, scan, texts, texts_in, try_scan};
use super::{Make, OTHERS, RECORDS, SEEN};
use crate::{KeyRange, Snapshot, StoreError, Visit, limits};

/// What is put, changed and removed after a snapshot does not show in it.
pub fn a_snapshot_stands_still_while_others_write(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    put(&*store, &[("changed", "1"), ("gone", "1"), ("kept", "1"), ("range/a", "1"), ("range/b", "1")]);
    let before = now(&*store);
    let seen = texts(&*before);
    put(&*store, &[("changed", "2"), ("new", "2")]);
    commit(&*store, |tx| {
        tx.delete(RECORDS, &key("gone"))?;
        tx.delete_range(RECORDS, &KeyRange::prefix(&key("range/")))?;
        tx.put(OTHERS, &key("new keyspace"), b"2")
    });
    store.upkeep().expect("upkeep does its work");
    assert_eq!(texts(&*before), seen);
    assert_eq!(texts_in(&*before, &KeyRange::prefix(&key("")).descending().limit(1)), ["range/b=1"]);
    assert_eq!(get(&*before, "changed"), Some(b"1".to_vec()));
    assert_eq!(get(&*before, "gone"), Some(b"1".to_vec()));
    assert_eq!(get(&*before, "new"), None);
    assert_eq!(scan(&*before, OTHERS, &KeyRange::new(Bound::Unbounded, Bound::Unbounded)), []);
    assert_eq!(texts(&*now(&*store)), ["changed=2", "kept=1", "new=2"]);
}

/// Snapshots of different times live side by side, whichever is dropped first.
pub fn many_snapshots_each_see_their_own_time(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let mut views: Vec<(Box<dyn Snapshot>, Vec<String>)> = vec![(now(&*store), Vec::new())];
    for round in 0..20 {
        let expected = if round % 3 == 2 {
            commit(&*store, |tx| tx.delete(RECORDS, &key("k")));
            Vec::new()
        } else {
            put(&*store, &[("k", &round.to_string())]);
            vec![format!("k={round}")]
        };
        views.push((now(&*store), expected));
        store.upkeep().expect("upkeep does its work");
        if round % 4 == 3 {
            views.remove(views.len() / 2);
        }
        for (view, expected) in &views {
            assert_eq!(&texts(&**view), expected, "at {}", view.position());
        }
    }
}

/// After its time every kind of read answers that the snapshot is too old; new ones are served.
pub fn a_snapshot_too_old_says_so_on_every_read(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    put(&*store, &[("k", "1")]);
    let view = now(&*store);
    subject.clock().advance(limits::SNAPSHOT_AGE_MAX - Duration::from_millis(1));
    put(&*store, &[("k", "2")]);
    assert_eq!(texts(&*view), ["k=1"], "a snapshot is good for its whole time");
    subject.clock().advance(Duration::from_millis(2));
    put(&*store, &[("k", "3")]);
    let whole = KeyRange::prefix(&key(""));
    let answers = [
        crate::get(&*view, RECORDS, &key("k")).map(|_| ()),
        try_scan(&*view, RECORDS, &whole).map(|_| ()),
        view.hashed_get(SEEN, US, &[b"k"], &mut |_, _| {}),
        view.blobs(US, &[ContentHash::of(b"")], &mut |_, _| {}),
    ];
    for (read, answer) in ["multi_get", "multi_scan", "hashed_get", "blobs"].iter().zip(answers) {
        assert!(matches!(answer, Err(StoreError::SnapshotTooOld)), "{read}: {answer:?}");
    }
    assert_eq!(texts(&*now(&*store)), ["k=3"]);
}

/// A snapshot stands at least where it was asked to, and never where the store has not been.
pub fn a_snapshot_holds_what_was_asked_for(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    assert_eq!(texts(&*store.snapshot(Position::START).expect("an empty store can be read")), [""; 0]);
    let mut newest = Position::START;
    for round in 0..5 {
        let at = put(&*store, &[("k", &round.to_string())]);
        let view = store.snapshot(at).expect("the position was handed out");
        assert!(view.position() >= at);
        assert_eq!(texts(&*view), [format!("k={round}")]);
        newest = at;
    }
    for ahead in [newest.to_stored() + 1_000_000, u64::MAX].map(Position::from_stored) {
        match store.snapshot(ahead).map(|view| view.position()) {
            Err(StoreError::PositionAhead { asked, .. }) => assert_eq!(asked, ahead),
            other => panic!("a snapshot ahead of the store answered {other:?}"),
        }
    }
}

/// A write gets through while a visitor dawdles, and does not show in its scan.
pub fn a_slow_visitor_holds_up_no_writer(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    put(&*store, &[("a", "1"), ("b", "1")]);
    let view = now(&*store);
    let (reached, begin) = mpsc::channel();
    let (written, go_on) = mpsc::channel();
    let writer = Arc::clone(&store);
    let thread = std::thread::spawn(move || {
        begin.recv_timeout(PATIENCE).expect("the visitor is reached");
        put(&*writer, &[("a", "2"), ("b", "2"), ("c", "2")]);
        // The visitor has given up if nobody listens any more.
        let _ = written.send(());
    });
    let mut found = Vec::new();
    let whole = KeyRange::prefix(&key(""));
    let read = view.multi_scan(RECORDS, &[whole], &mut |index, key, value| {
        if found.is_empty() {
            reached.send(()).expect("the writer waits");
            go_on.recv_timeout(PATIENCE).expect("the write ends while the visitor waits");
        }
        found.push((index, key[4..].to_vec(), value.to_vec()));
        Visit::Continue
    });
    read.expect("the range can be read");
    thread.join().expect("the writer ends");
    assert_eq!(found, [(0, b"a".to_vec(), b"1".to_vec()), (0, b"b".to_vec(), b"1".to_vec())]);
}
