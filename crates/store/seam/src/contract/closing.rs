//! Closing.

use std::sync::mpsc;

use super::kit::{US, answers, key, now, put, refused, texts};
use super::{Make, RECORDS};
use crate::{Aborted, Health, StoreError};

/// After closing, transactions are refused and not run; closing again does no harm.
pub fn a_closed_store_takes_no_writes(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    assert_eq!(store.health(), Health::Serving);
    put(&*store, &[("k", "1")]);
    assert_eq!(texts(&*now(&*store)), ["k=1"]);
    store.close().expect("the store closes");
    assert_eq!(store.health(), Health::Closed);
    let error = refused(&*store, |tx| tx.put(RECORDS, &key("k"), b"2"));
    assert!(matches!(error, StoreError::Closed), "{error}");
    let (sender, receiver) = mpsc::channel();
    let body = Box::new(|_: &mut dyn crate::WriteTx| -> Result<(), Aborted> {
        panic!("a closed store ran a closure")
    });
    store.submit(US, body, Box::new(move |outcome| drop(sender.send(outcome))));
    let outcome = answers(&receiver, 1).remove(0);
    assert!(matches!(outcome, Err(StoreError::Closed)), "{outcome:?}");
    store.close().expect("a closed store closes");
}
