//! Bounds of ranges, in both directions.

use std::ops::{Bound, RangeBounds};

use super::kit::{THEM, commit, commit_for, key, key_of, now, put, scan, texts_in};
use super::{Make, RECORDS};
use crate::{KeyRange, Order};

type Bounds = (Bound<Vec<u8>>, Bound<Vec<u8>>);

const NAMES: [&str; 6] = ["", "a", "aa", "b", "c", "c\u{7f}"];

/// Every pair of bounds on, between and outside of stored keys.
fn all_bounds(low_open: Bound<Vec<u8>>, high_open: Bound<Vec<u8>>) -> Vec<Bounds> {
    let ends: Vec<Vec<u8>> = NAMES.iter().copied().chain(["0", "ab", "z"]).map(key).collect();
    let bounds = |open: Bound<Vec<u8>>| {
        let closed = ends.iter().flat_map(|end| [Bound::Included(end.clone()), Bound::Excluded(end.clone())]);
        closed.chain([open]).collect::<Vec<_>>()
    };
    let highs = bounds(high_open);
    bounds(low_open)
        .into_iter()
        .flat_map(|low| highs.iter().map(move |high| (low.clone(), high.clone())))
        .collect()
}

fn expected(keys: &[Vec<u8>], range: &KeyRange) -> Vec<Vec<u8>> {
    let bounds = range.bounds();
    let inside = |key: &&Vec<u8>| {
        <(Bound<&[u8]>, Bound<&[u8]>) as RangeBounds<[u8]>>::contains(&bounds, key.as_slice())
    };
    let mut found: Vec<_> = keys.iter().filter(inside).cloned().collect();
    if range.order == Order::Descending {
        found.reverse();
    }
    found.truncate(range.limit);
    found
}

fn both_ways((low, high): Bounds) -> impl Iterator<Item = KeyRange> {
    let range = KeyRange::new(low, high);
    [range.clone(), range.descending()]
        .into_iter()
        .flat_map(|range| [0, 1, 2, usize::MAX].map(|limit| range.clone().limit(limit)))
}

/// Included, excluded and open bounds, ascending and descending, with every kind of limit.
pub fn every_pair_of_bounds_both_ways(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    put(&*store, &NAMES.map(|name| (name, "value")));
    commit_for(&*store, THEM, |tx| tx.put(RECORDS, &key_of(THEM, "b"), b"theirs"));
    let keys: Vec<_> = NAMES.iter().map(key).chain([key_of(THEM, "b")]).collect();
    let view = now(&*store);
    for range in all_bounds(Bound::Unbounded, Bound::Unbounded).into_iter().flat_map(both_ways) {
        let found: Vec<_> = scan(&*view, RECORDS, &range).into_iter().map(|(key, _)| key).collect();
        assert_eq!(found, expected(&keys, &range), "{range:?}");
    }
}

/// The same inside a transaction that put half of the keys itself and removed others.
pub fn every_pair_of_bounds_inside_a_transaction(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let keys = NAMES.map(key);
    put(&*store, &[("", "stored"), ("aa", "stored"), ("c", "stored"), ("0", "goes"), ("ac", "goes")]);
    commit_for(&*store, THEM, |tx| tx.put(RECORDS, &key_of(THEM, "b"), b"theirs"));
    commit(&*store, move |tx| {
        for name in ["a", "b", "c\u{7f}"] {
            tx.put(RECORDS, &key(name), b"own")?;
        }
        for name in ["0", "ac", "never there"] {
            tx.delete(RECORDS, &key(name))?;
        }
        for range in all_bounds(Bound::Unbounded, Bound::Unbounded).into_iter().flat_map(both_ways) {
            let found: Vec<_> = scan(&*tx, RECORDS, &range).into_iter().map(|(key, _)| key).collect();
            assert_eq!(found, expected(&keys, &range), "{range:?}");
        }
        Ok(())
    });
}

/// A range in which no key can be answers with nothing, and does not fail.
pub fn empty_and_inverted_ranges_hold_nothing(make: Make<'_>) {
    use Bound::{Excluded, Included};
    let subject = make();
    let store = subject.store();
    put(&*store, &[("a", "1"), ("b", "2")]);
    let ranges = [
        KeyRange::new(Included(key("b")), Included(key("a"))),
        KeyRange::new(Excluded(key("a")), Excluded(key("a"))),
        KeyRange::new(Included(key("a")), Excluded(key("a"))),
        KeyRange::new(Excluded(key("a")), Included(key("a"))),
        KeyRange::new(Excluded(key("a")), Excluded(key("b"))),
        KeyRange::prefix(&key("c")),
        KeyRange::prefix(&key("a")).limit(0),
    ];
    for range in ranges.iter().cloned().chain(ranges.clone().map(KeyRange::descending)) {
        assert_eq!(texts_in(&*now(&*store), &range), [""; 0], "{range:?}");
        commit(&*store, move |tx| {
            tx.put(RECORDS, &key("a"), b"1")?;
            assert_eq!(texts_in(&*tx, &range), [""; 0], "{range:?}");
            assert_eq!(tx.delete_range(RECORDS, &range)?, 0, "{range:?}");
            Ok(())
        });
    }
}

/// A prefix holds itself and what begins with it, also when it ends in the highest bytes.
pub fn prefixes_end_where_they_should(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let keys: [&[u8]; 7] = [b"a", b"a\xfe\xff", b"a\xff", b"a\xff\x00", b"a\xff\xff", b"a\xff\xff\xff", b"b"];
    commit(&*store, move |tx| keys.iter().try_for_each(|rest| tx.put(RECORDS, &key(rest), b"")));
    for prefix in [&b""[..], b"a", b"a\xff", b"a\xff\xff", b"a\xff\xff\xff\xff", b"b"] {
        let expected: Vec<_> = keys.iter().filter(|rest| rest.starts_with(prefix)).map(key).collect();
        let range = KeyRange::prefix(&key(prefix));
        let found: Vec<_> = scan(&*now(&*store), RECORDS, &range).into_iter().map(|(key, _)| key).collect();
        assert_eq!(found, expected, "{prefix:?}");
    }
}

/// A range longer than any page a store may read inside.
pub fn long_ranges_are_walked_to_their_end(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let keys: Vec<_> = (0..3000_u16).map(|n| key(n.to_be_bytes())).collect();
    for part in keys.chunks(1000) {
        let part = part.to_vec();
        commit(&*store, move |tx| part.iter().try_for_each(|key| tx.put(RECORDS, key, b"v")));
    }
    // Many neighbours that are gone, so that whole pages hold nothing.
    let gone = KeyRange::new(Bound::Included(keys[500].clone()), Bound::Excluded(keys[1700].clone()));
    let view = now(&*store);
    commit(&*store, move |tx| tx.delete_range(RECORDS, &gone));
    let left: Vec<_> = keys[..500].iter().chain(&keys[1700..]).cloned().collect();
    for (view, expected) in [(view, keys), (now(&*store), left)] {
        for limit in [255, 256, 257, 1023, 1024, 1025, usize::MAX] {
            let range = KeyRange::prefix(&key("")).limit(limit);
            let found: Vec<_> = scan(&*view, RECORDS, &range).into_iter().map(|(key, _)| key).collect();
            assert!(found.iter().eq(expected.iter().take(limit)), "ascending, limit {limit}");
            let found: Vec<_> =
                scan(&*view, RECORDS, &range.descending()).into_iter().map(|(key, _)| key).collect();
            assert!(found.iter().eq(expected.iter().rev().take(limit)), "descending, limit {limit}");
        }
    }
}
