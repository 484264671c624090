//! The change feed.

use cairn_base::{Position, TenantId};

use super::kit::{THEM, US, commit, commit_for, event, feed, key_of, put, said};
use super::{Make, RECORDS};
use crate::{Event, EventKind, Store, StoreError};

/// Emits one event, with a record so that positions move either way.
fn emit(store: &dyn Store, tenant: TenantId, text: &'static str) -> Position {
    let body = move |tx: &mut dyn crate::WriteTx| {
        tx.put(RECORDS, &key_of(tenant, "k"), text.as_bytes())?;
        tx.emit(event(text))
    };
    commit_for(store, tenant, body).1
}

/// Events come by transaction in commit order, inside one in the order emitted, with kind, tenant
/// and position.
pub fn events_come_in_commit_order(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    assert_eq!(feed(&*store, Position::START, None, 10), []);
    let first = emit(&*store, US, "one");
    let both =
        [Event { kind: EventKind(9), body: b"two".to_vec() }, Event { kind: EventKind(0), body: Vec::new() }];
    let emitted = both.clone();
    let ((), second) =
        commit_for(&*store, THEM, move |tx| emitted.iter().try_for_each(|event| tx.emit(event.clone())));
    let third = emit(&*store, US, "three");
    let all = feed(&*store, Position::START, None, 10);
    let places: Vec<_> = all.iter().map(|change| (change.position, change.tenant)).collect();
    assert_eq!(places, [(first, US), (second, THEM), (third, US)]);
    assert_eq!(all[1].events, both);
    assert_eq!(said(&feed(&*store, Position::START, Some(US), 10)), ["one", "three"]);
    assert_eq!(said(&feed(&*store, Position::START, Some(THEM), 10)), ["two", ""]);
    assert_eq!(feed(&*store, Position::START, Some(TenantId(99)), 10), []);
}

/// Whatever the page size and wherever one begins, the rest comes once and completely.
pub fn pages_neither_repeat_nor_skip(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    for round in 0..10_u32 {
        for tenant in [US, THEM].into_iter().take(1 + round as usize % 2) {
            commit_for(&*store, tenant, move |tx| tx.emit(event(&round.to_string())));
        }
        put(&*store, &[("silent", &round.to_string())]);
    }
    for tenant in [None, Some(US), Some(THEM)] {
        let all = feed(&*store, Position::START, tenant, 1000);
        assert_eq!(
            all.len(),
            match tenant {
                None => 15,
                Some(US) => 10,
                Some(_) => 5,
            }
        );
        for limit in [1, 2, 3, 14, 15, 16] {
            assert_eq!(feed(&*store, Position::START, tenant, limit), all, "pages of {limit}");
        }
        for (place, change) in all.iter().enumerate() {
            assert_eq!(feed(&*store, change.position, tenant, 2), all[place + 1..]);
        }
    }
}

/// A consumer that was told there is nothing more does not look at silent transactions again.
pub fn next_moves_past_what_emitted_nothing(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    emit(&*store, US, "one");
    emit(&*store, THEM, "theirs");
    let last = put(&*store, &[("silent", "1")]);
    for tenant in [None, Some(US), Some(TenantId(99))] {
        let page = store.changes(Position::START, tenant, 10).expect("the feed can be read");
        assert!(page.at_end);
        assert_eq!(page.next, last);
        let page = store.changes(page.next, tenant, 10).expect("the feed can be read");
        assert_eq!((page.changes, page.next, page.at_end), (Vec::new(), last, true));
    }
    emit(&*store, US, "two");
    assert_eq!(said(&feed(&*store, last, None, 10)), ["two"]);
}

/// A position the store never handed out is an error, not an empty feed: the consumer belongs to
/// another history.
pub fn a_position_ahead_is_refused(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    let at = emit(&*store, US, "one");
    for ahead in [at.to_stored() + 1, u64::MAX].map(Position::from_stored) {
        let answer = store.changes(ahead, None, 10);
        let is_refused = matches!(answer, Err(StoreError::PositionAhead { asked, .. }) if asked == ahead);
        assert!(is_refused, "{answer:?}");
    }
}

/// A consumer that stopped inside a transaction reads it again, and nothing that came before.
pub fn a_change_is_read_again_from_just_before_it(make: Make<'_>) {
    let subject = make();
    let store = subject.store();
    for text in ["one", "two", "three"] {
        emit(&*store, US, text);
        put(&*store, &[("silent", text)]);
    }
    let all = feed(&*store, Position::START, None, 10);
    for (place, change) in all.iter().enumerate() {
        assert_eq!(feed(&*store, change.position.just_before(), None, 1), all[place..]);
    }
}

/// Changes that are gone are said to be, with the horizon from which reading goes on.
pub fn before_the_horizon_is_too_old(make: Make<'_>) {
    let mut subject = make();
    {
        let store = subject.store();
        for _ in 0..5 {
            emit(&*store, US, "old");
        }
    }
    let Some(horizon) = subject.drop_history() else { return };
    let store = subject.store();
    let after = emit(&*store, US, "new");
    match store.changes(Position::START, None, 10) {
        Err(StoreError::TooOld { horizon: told }) => assert_eq!(told, horizon),
        Ok(page) => panic!("the feed still begins with {:?}", said(&page.changes)),
        Err(error) => panic!("the feed fails: {error}"),
    }
    assert!(horizon < after);
    assert_eq!(said(&feed(&*store, horizon, None, 1)), ["new"]);
    commit(&*store, |tx| tx.emit(event("newer")));
    assert_eq!(said(&feed(&*store, horizon, Some(US), 1)), ["new", "newer"]);
}
