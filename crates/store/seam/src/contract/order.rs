//! Keys are ordered by their bytes, each keyspace by itself.

use super::kit::{Dice, THEM, US, commit, commit_for, key, key_of, now, put, scan, texts};
use super::{Make, OTHERS, RECORDS};
use crate::KeyRange;

/// However keys were put, they are walked in byte order, and backwards in the opposite one.
pub fn keys_come_back_in_byte_order(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let mut dice = Dice::new(1);
    let mut expected = std::collections::BTreeMap::new();
    for round in 0..40_u8 {
        let mut batch = Vec::new();
        for _ in 0..8 {
            let length = dice.roll(6);
            let rest: Vec<u8> =
                (0..length).map(|_| [0, 1, b'a', 0x7f, 0x80, 0xff][dice.roll(6) as usize]).collect();
            batch.push((key(rest), vec![round]));
        }
        expected.extend(batch.iter().cloned());
        commit(&*store, move |tx| batch.iter().try_for_each(|(key, value)| tx.put(RECORDS, key, value)));
    }
    let range = KeyRange::prefix(&key(""));
    let ascending: Vec<_> = expected.into_iter().collect();
    assert_eq!(scan(&*now(&*store), RECORDS, &range), ascending);
    let mut descending = scan(&*now(&*store), RECORDS, &range.descending());
    descending.reverse();
    assert_eq!(descending, ascending);
}

/// A key in one keyspace is none in another; nor does one tenant's key show among another's.
pub fn keyspaces_are_apart(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    put(&*store, &[("a", "records")]);
    commit(&*store, |tx| tx.put(OTHERS, &key("b"), b"others"));
    commit_for(&*store, THEM, |tx| tx.put(RECORDS, &key_of(THEM, "c"), b"theirs"));
    let view = now(&*store);
    assert_eq!(texts(&*view), ["a=records"]);
    assert_eq!(scan(&*view, OTHERS, &KeyRange::prefix(&key_of(US, ""))), [(key("b"), b"others".to_vec())]);
    commit(&*store, |tx| tx.delete(OTHERS, &key("a")));
    assert_eq!(texts(&*now(&*store)), ["a=records"]);
}
