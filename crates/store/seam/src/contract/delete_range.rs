//! Ranges removed at once.

use std::ops::Bound;

use super::kit::{THEM, commit, commit_for, key, key_of, now, put, scan, texts};
use super::{Make, OTHERS, RECORDS};
use crate::KeyRange;

/// What is inside goes, its number comes back; what is outside, in another keyspace or of another
/// tenant stays.
pub fn a_range_goes_and_nothing_else(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    put(&*store, &[("a", "1"), ("b", "1"), ("c", "1"), ("d", "1"), ("e", "1")]);
    commit(&*store, |tx| tx.put(OTHERS, &key("c"), b"1"));
    commit_for(&*store, THEM, |tx| tx.put(RECORDS, &key_of(THEM, "c"), b"1"));
    let middle = KeyRange::new(Bound::Excluded(key("a")), Bound::Included(key("d")));
    assert_eq!(commit(&*store, move |tx| tx.delete_range(RECORDS, &middle)), 3);
    assert_eq!(texts(&*now(&*store)), ["a=1", "e=1"]);
    let rest = KeyRange::new(Bound::Unbounded, Bound::Unbounded);
    assert_eq!(
        commit(&*store, move |tx| tx.delete_range(RECORDS, &rest)),
        2,
        "an open range ends with the tenant"
    );
    let view = now(&*store);
    assert_eq!(texts(&*view), [""; 0]);
    assert_eq!(scan(&*view, OTHERS, &KeyRange::prefix(&key(""))).len(), 1);
    assert_eq!(scan(&*view, RECORDS, &KeyRange::prefix(&key_of(THEM, ""))).len(), 1);
}

/// With a limit, the first keys in the range's own order go.
pub fn order_and_limit_choose_what_goes(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    put(&*store, &[("a", ""), ("b", ""), ("c", ""), ("d", ""), ("e", "")]);
    commit(&*store, |tx| {
        let whole = KeyRange::prefix(&key(""));
        assert_eq!(tx.delete_range(RECORDS, &whole.clone().limit(1))?, 1);
        assert_eq!(tx.delete_range(RECORDS, &whole.descending().limit(2))?, 2);
        Ok(())
    });
    assert_eq!(texts(&*now(&*store)), ["b=", "c="]);
}

/// Thousands of keys go in one transaction, stored and own ones alike.
pub fn a_long_range_goes_in_one_transaction(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    commit(&*store, |tx| {
        (0..4000_u32).step_by(2).try_for_each(|n| tx.put(RECORDS, &key(n.to_be_bytes()), b""))
    });
    put(&*store, &[("z", "stays")]);
    commit(&*store, |tx| {
        (1..4000_u32).step_by(2).try_for_each(|n| tx.put(RECORDS, &key(n.to_be_bytes()), b""))?;
        let range = KeyRange::new(Bound::Included(key(10_u32.to_be_bytes())), Bound::Excluded(key("z")));
        assert_eq!(tx.delete_range(RECORDS, &range)?, 3990);
        Ok(())
    });
    assert_eq!(scan(&*now(&*store), RECORDS, &KeyRange::prefix(&key(""))).len(), 11);
}
