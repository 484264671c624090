//! Transactions that want the same keys.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::kit::{Dice, US, get, key, now, put};
use super::{Make, RECORDS};
use crate::{Reader, Store, StoreError};

const THREADS: u64 = 4;
const ROUNDS: u64 = 50;

fn amount<R: Reader + ?Sized>(reader: &R, name: &str) -> u64 {
    let text = get(reader, name).expect("the account is there");
    String::from_utf8_lossy(&text).parse().expect("a number")
}

/// Runs a transaction until it does not conflict, which a store may answer after many tries.
fn insist(
    store: &dyn Store,
    body: impl Fn(&mut dyn crate::WriteTx) -> Result<(), StoreError> + Clone + Send + 'static,
) {
    loop {
        match crate::write(store, US, body.clone()) {
            Ok(_) => return,
            Err(StoreError::Conflict) => {}
            Err(error) => panic!("the transaction fails: {error}"),
        }
    }
}

/// Between reading and writing, where another transaction would do harm.
fn let_others_in() {
    (0..10).for_each(|_| std::thread::yield_now());
}

/// Threads that read and increment one counter lose no increment, and a closure that had to run
/// several times counts once.
pub fn concurrent_increments_lose_nothing(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    put(&*store, &[("counter", "0")]);
    let runs = Arc::new(AtomicU64::new(0));
    std::thread::scope(|scope| {
        for _ in 0..THREADS {
            scope.spawn(|| {
                for _ in 0..ROUNDS {
                    let runs = Arc::clone(&runs);
                    insist(&*store, move |tx| {
                        runs.fetch_add(1, Ordering::Relaxed);
                        let next = amount(&*tx, "counter") + 1;
                        let_others_in();
                        tx.put(RECORDS, &key("counter"), next.to_string().as_bytes())
                    });
                }
            });
        }
    });
    let (counted, ran) = (amount(&*now(&*store), "counter"), runs.load(Ordering::Relaxed));
    assert_eq!(counted, THREADS * ROUNDS, "the closures ran {ran} times");
    assert!(ran >= counted);
}

/// Threads that move amounts between accounts keep the sum, seen from inside and from outside.
pub fn concurrent_transfers_keep_the_sum(make: Make<'_>) {
    const ACCOUNTS: [&str; 3] = ["a", "b", "c"];
    let subject = make();
    let store = subject.store();
    put(&*store, &ACCOUNTS.map(|name| (name, "100")));
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let store = &store;
            scope.spawn(move || {
                let mut dice = Dice::new(thread);
                for _ in 0..ROUNDS {
                    let from = dice.roll(3) as usize;
                    let to = (from + 1 + dice.roll(2) as usize) % 3;
                    insist(&**store, move |tx| {
                        let amounts = ACCOUNTS.map(|name| amount(&*tx, name));
                        assert_eq!(amounts.iter().sum::<u64>(), 300);
                        let_others_in();
                        let moved = amounts[from].min(7);
                        for (account, amount) in [(from, amounts[from] - moved), (to, amounts[to] + moved)] {
                            tx.put(RECORDS, &key(ACCOUNTS[account]), amount.to_string().as_bytes())?;
                        }
                        Ok(())
                    });
                    let view = now(&**store);
                    assert_eq!(ACCOUNTS.iter().map(|name| amount(&*view, name)).sum::<u64>(), 300);
                }
            });
        }
    });
}
