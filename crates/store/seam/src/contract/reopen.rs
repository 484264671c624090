//! A store that was closed comes back as it was.

use cairn_base::{ContentHash, Position};

use super::kit::{
    THEM, US, blob, commit, commit_for, content, event, feed, key, key_of, now, put, said, scan, seen, texts,
};
use super::{Make, OTHERS, RECORDS, SEEN};
use crate::{Health, KeyRange};

/// Records, deletions, entries, blobs, changes and the position are there, and writing goes on.
pub fn everything_is_there_after_reopening(make: Make<'_>) {
    let mut subject = make();
    let large = vec![7; 500_000];
    let hash = ContentHash::of(&large);
    for round in 0..3_u32 {
        let (position, changes) = {
            let store = subject.store();
            put(&*store, &[("kept", "1"), ("gone", "1"), ("changed", &round.to_string())]);
            let bytes = large.clone();
            commit(&*store, move |tx| {
                tx.delete(RECORDS, &key("gone"))?;
                tx.put(OTHERS, &key(round.to_be_bytes()), b"")?;
                tx.hashed_put(SEEN, &round.to_be_bytes(), b"entry", None)?;
                tx.put_blob(&blob(bytes.clone()))?;
                tx.emit(event(&round.to_string()))
            });
            commit_for(&*store, THEM, |tx| tx.put(RECORDS, &key_of(THEM, "theirs"), b""));
            (store.position(), feed(&*store, Position::START, None, 100))
        };
        if !subject.reopen() {
            return;
        }
        let store = subject.store();
        assert_eq!(store.health(), Health::Serving);
        assert!(store.position() >= position, "round {round}: the position went back");
        let view = store.snapshot(position).expect("the position was handed out");
        assert_eq!(texts(&*view), [format!("changed={round}"), "kept=1".into()]);
        assert_eq!(scan(&*view, OTHERS, &KeyRange::prefix(&key(""))).len(), round as usize + 1);
        assert_eq!(scan(&*view, RECORDS, &KeyRange::prefix(&key_of(THEM, ""))).len(), 1);
        for earlier in 0..=round {
            assert_eq!(seen(&*view, US, &earlier.to_be_bytes()), Some(b"entry".to_vec()));
        }
        assert_eq!(content(&*view, US, hash).as_ref(), Some(&large));
        assert_eq!(content(&*view, THEM, hash), None);
        assert_eq!(feed(&*store, Position::START, None, 100), changes);
    }
}

/// A consumer that kept its position reads on after reopening, without repeats or gaps.
pub fn history_reads_on_across_reopening(make: Make<'_>) {
    let mut subject = make();
    let mut after = Position::START;
    let mut heard = Vec::new();
    for round in 0..5_u32 {
        {
            let store = subject.store();
            for part in 0..3 {
                commit(&*store, move |tx| tx.emit(event(&format!("{round}.{part}"))));
                put(&*store, &[("silent", "1")]);
            }
            let page = store.changes(after, None, 2).expect("the feed can be read");
            heard.extend(said(&page.changes));
            after = page.next;
        }
        if !subject.reopen() {
            return;
        }
    }
    let store = subject.store();
    heard.extend(said(&feed(&*store, after, None, 2)));
    let expected: Vec<_> =
        (0..5).flat_map(|round| (0..3).map(move |part| format!("{round}.{part}"))).collect();
    assert_eq!(heard, expected);
    let before = store.position();
    assert!(put(&*store, &[("k", "1")]) > before);
    assert_eq!(scan(&*now(&*store), RECORDS, &KeyRange::prefix(&key(""))).len(), 2);
}
