//! Several ranges in one call.

use super::kit::{commit, key, now, put};
use super::{Make, RECORDS};
use crate::{KeyRange, Reader, Visit};

fn visited<R: Reader + ?Sized>(
    reader: &R,
    ranges: &[KeyRange],
    verdict: &dyn Fn(usize, &str) -> Visit,
) -> Vec<String> {
    let mut found = Vec::new();
    let read = reader.multi_scan(RECORDS, ranges, &mut |index, key, _| {
        let name = String::from_utf8_lossy(&key[4..]).into_owned();
        found.push(format!("{index}{name}"));
        verdict(index, &name)
    });
    read.expect("the ranges can be read");
    found
}

/// Five ranges: an ordinary one, a backward one with a limit, an empty one, one that repeats, one that fails.
fn ranges() -> Vec<KeyRange> {
    let all = KeyRange::prefix(&key(""));
    vec![
        KeyRange::prefix(&key("b")),
        all.clone().descending().limit(2),
        KeyRange::prefix(&key("nothing")),
        KeyRange::prefix(&key("b")),
        all,
    ]
}

/// Ranges are walked one after the other, each in its own order, with its place in the call.
pub fn several_ranges_keep_their_indexes(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    put(&*store, &[("a", ""), ("b", ""), ("ba", ""), ("c", "")]);
    let expected = ["0b", "0ba", "1c", "1ba", "3b", "3ba", "4a", "4b", "4ba", "4c"];
    let go_on = |_: usize, _: &str| Visit::Continue;
    assert_eq!(visited(&*now(&*store), &ranges(), &go_on), expected);
    assert_eq!(visited(&*now(&*store), &[], &go_on), [""; 0]);
    commit(&*store, move |tx| {
        tx.put(RECORDS, &key("ba"), b"own")?;
        assert_eq!(visited(&*tx, &ranges(), &go_on), expected);
        Ok(())
    });
}

/// A visitor may leave a range, or all of them, after any key.
pub fn next_range_and_stop_are_obeyed(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    put(&*store, &[("a", ""), ("b", ""), ("ba", ""), ("c", "")]);
    let leave = |index: usize, name: &str| match (index, name) {
        (0 | 1, _) => Visit::NextRange,
        (4, "b") => Visit::Stop,
        _ => Visit::Continue,
    };
    let expected = ["0b", "1c", "3b", "3ba", "4a", "4b"];
    assert_eq!(visited(&*now(&*store), &ranges(), &leave), expected);
    assert_eq!(visited(&*now(&*store), &ranges(), &|_, _| Visit::Stop), ["0b"]);
    commit(&*store, move |tx| {
        tx.put(RECORDS, &key("ba"), b"own")?;
        assert_eq!(visited(&*tx, &ranges(), &leave), expected);
        assert_eq!(visited(&*tx, &ranges(), &|_, _| Visit::Stop), ["0b"]);
        Ok(())
    });
}
