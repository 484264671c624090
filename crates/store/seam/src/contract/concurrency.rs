//! Readers and writers at the same time.

use std::sync::atomic::{AtomicBool, Ordering};

use cairn_base::Position;

use super::kit::{commit, get, key, now, put, scan};
use super::{Make, OTHERS, RECORDS};
use crate::{KeyRange, Store, WriteTx};

const ROUNDS: u32 = 200;

/// Runs a writer of its own beside two readers until it is through.
fn beside(store: &dyn Store, write: impl Fn(u32) + Sync, read: impl Fn(&dyn Store) + Sync) {
    let through = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            // Readers stop also when the writer fails.
            let _end = OnDrop(|| through.store(true, Ordering::Release));
            (0..ROUNDS).for_each(&write);
        });
        for _ in 0..2 {
            scope.spawn(|| {
                while !through.load(Ordering::Acquire) {
                    read(store);
                }
            });
        }
        writer.join().expect("the writer ends");
    });
    read(store);
}

struct OnDrop<F: Fn()>(F);

impl<F: Fn()> Drop for OnDrop<F> {
    fn drop(&mut self) {
        (self.0)();
    }
}

/// Two keys always written together, in different keyspaces, are always equal to a reader; and
/// records that move in one transaction are never seen twice or not at all.
pub fn no_reader_sees_half_a_transaction(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let write = |round: u32| {
        commit(&*store, move |tx| {
            tx.put(RECORDS, &key("first"), &round.to_be_bytes())?;
            tx.delete_range(RECORDS, &KeyRange::prefix(&key("moving/")))?;
            for n in 0..10 {
                tx.put(RECORDS, &key(format!("moving/{}", (round + n) % 50)), b"")?;
            }
            tx.put(OTHERS, &key("second"), &round.to_be_bytes())
        });
    };
    write(0);
    beside(&*store, write, |store| {
        let view = now(store);
        let second = crate::get(&*view, OTHERS, &key("second")).expect("it can be read");
        assert_eq!(get(&*view, "first"), second, "at {}", view.position());
        let moving = scan(&*view, RECORDS, &KeyRange::prefix(&key("moving/")));
        assert_eq!(moving.len(), 10, "at {}", view.position());
        assert_eq!(get(&*view, "first"), second, "the snapshot moved");
    });
}

/// A later snapshot never shows an earlier state, and an acknowledged write shows at once.
pub fn snapshots_never_go_back(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    put(&*store, &[("counter", "0")]);
    let counter = |store: &dyn Store, at_least: Position| -> (Position, u32) {
        let view = store.snapshot(at_least).expect("the position was handed out");
        let text = get(&*view, "counter").expect("the counter is there");
        (view.position(), String::from_utf8_lossy(&text).parse().expect("a number"))
    };
    let write = |round: u32| {
        let body = move |tx: &mut dyn WriteTx| tx.put(RECORDS, &key("counter"), round.to_string().as_bytes());
        let ((), at) = super::kit::commit_for(&*store, super::kit::US, body);
        assert_eq!(counter(&*store, at).1, round);
    };
    beside(&*store, write, |store| {
        let (position, first) = counter(store, Position::START);
        let (later, second) = counter(store, position);
        assert!(second >= first && later >= position, "{first} at {position}, then {second} at {later}");
    });
}
