//! Many transactions at once.

use std::sync::mpsc;

use cairn_base::Position;

use super::kit::{US, answers, event, feed, get, key, now, said, texts};
use super::{Make, RECORDS};
use crate::{Aborted, StoreError, TxBody};

const COUNT: usize = 60;
const GIVES_UP: usize = 7;
const PANICS: usize = 13;
const IS_REFUSED: usize = 29;

/// Of many submitted at once one gives up, one panics and one is refused: the others land, and of
/// the failing ones nothing does.
pub fn one_failing_closure_spares_the_others(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let (sender, receiver) = mpsc::channel();
    for n in 0..COUNT {
        let body: TxBody = Box::new(move |tx| {
            let name = format!("{n:02}");
            tx.put(RECORDS, &key(&name), b"").map_err(|_| Aborted)?;
            tx.emit(event(&name)).map_err(|_| Aborted)?;
            match n {
                GIVES_UP => Err(Aborted),
                PANICS => panic!("contract panic"),
                IS_REFUSED => {
                    let _overlooked = tx.put(RECORDS, b"", b"");
                    Ok(())
                }
                _ => Ok(()),
            }
        });
        let sender = sender.clone();
        store.submit(
            US,
            body,
            Box::new(move |outcome| {
                // The contract has already failed if nobody listens.
                let _ = sender.send((n, outcome));
            }),
        );
    }
    drop(sender);
    let mut positions = Vec::new();
    for (n, outcome) in answers(&receiver, COUNT) {
        match (n, outcome) {
            (GIVES_UP, Err(StoreError::Aborted))
            | (PANICS, Err(StoreError::Panicked { .. }))
            | (IS_REFUSED, Err(StoreError::KeyLength { bytes: 0 })) => {}
            (GIVES_UP | PANICS | IS_REFUSED, outcome) => panic!("transaction {n} was answered {outcome:?}"),
            (_, Ok(position)) => positions.push((n, position)),
            (_, Err(error)) => panic!("transaction {n} failed: {error}"),
        }
    }
    assert!(receiver.recv().is_err(), "every transaction is answered once");
    let landed: Vec<_> = (0..COUNT).filter(|n| ![GIVES_UP, PANICS, IS_REFUSED].contains(n)).collect();
    let expected: Vec<_> = landed.iter().map(|n| format!("{n:02}=")).collect();
    assert_eq!(texts(&*now(&*store)), expected);
    let changes = feed(&*store, Position::START, None, 100);
    let names: Vec<_> = landed.iter().map(|n| format!("{n:02}")).collect();
    assert_eq!(said(&changes), names, "transactions of one caller land in the order submitted");
    positions.sort_unstable();
    assert!(positions.iter().map(|(_, position)| *position).eq(changes.iter().map(|change| change.position)));
    assert!(changes.windows(2).all(|pair| pair[0].position < pair[1].position), "each has its own position");
}

/// A submitted transaction reads what those submitted before it wrote, durable or not yet.
pub fn submitted_transactions_see_the_ones_before(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let (sender, receiver) = mpsc::channel();
    for n in 0..COUNT as u32 {
        let sender = sender.clone();
        let count = move |tx: &mut dyn crate::WriteTx| {
            let before = get(&*tx, "counter").map_or(0, |bytes| number(&bytes));
            tx.put(RECORDS, &key("counter"), &(before + 1).to_be_bytes())?;
            Ok::<_, StoreError>(before)
        };
        crate::submit(&*store, US, count, move |outcome| {
            // The contract has already failed if nobody listens.
            let _ = sender.send((n, outcome));
        });
    }
    for (n, outcome) in answers(&receiver, COUNT) {
        let (before, _) = outcome.expect("the transaction commits");
        assert_eq!(before, n);
    }
    assert_eq!(get(&*now(&*store), "counter").map(|bytes| number(&bytes)), Some(COUNT as u32));
}

fn number(bytes: &[u8]) -> u32 {
    u32::from_be_bytes(bytes.try_into().expect("four bytes"))
}
