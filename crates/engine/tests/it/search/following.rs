//! The index as a consumer of the change feed, and the thread that keeps it.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cairn_base::Position;
use cairn_engine::EngineError;
use cairn_engine::limits;
use cairn_seam::{DamagedAt, KeepChanges, Maintenance, StoreError};
use cairn_search::SearchCode;

use super::kit::{Kit, is_search_thread, question, until};
use crate::support::{name, start};

fn place(kit: &Kit) -> Option<Position> {
    let consumers = kit.engine.consumers(&kit.owner).unwrap();
    consumers
        .into_iter()
        .find(|consumer| consumer.name.as_str() == "search")
        .map(|consumer| consumer.position)
}

#[test]
fn the_index_is_a_consumer_that_is_as_far_as_it_is_on_disk() {
    let mut kit = Kit::still();
    assert_eq!(place(&kit), None, "only when it is started");
    kit.start();
    until("it is registered", || place(&kit).is_some());
    let context = kit.context();
    let before = place(&kit).unwrap();
    kit.say(context, "a dotterel");
    kit.found("dotterel");
    assert_eq!(place(&kit), Some(before), "it is not on disk yet");
    let said = kit.engine.position();
    kit.clock.advance(Duration::from_secs(31));
    kit.say(context, "a dotterel");
    kit.clock.advance(Duration::from_secs(31));
    until("it is written", || {
        kit.clock.advance(Duration::from_secs(31));
        place(&kit).unwrap() >= said
    });
    // Noting that is a commit; noting each note would never end.
    kit.ready();
    let (noted, at) = (place(&kit), kit.engine.position());
    for _ in 0..3 {
        kit.clock.advance(Duration::from_secs(100));
        std::thread::sleep(Duration::from_millis(400));
    }
    assert_eq!((place(&kit), kit.engine.position()), (noted, at));
    kit.say(context, "the last dotterel");
    let last = kit.engine.position();
    kit.found("dotterel");
    kit.leave(true);
    assert!(place(&kit).unwrap() >= last);
}

#[test]
fn a_store_that_takes_no_writes_and_a_full_table_of_consumers_can_be_searched() {
    let kit = Kit::still();
    let context = kit.context();
    let turn = kit.say(context, "a whimbrel");
    kit.store.fill_the_disk(true);
    kit.start();
    assert_eq!(kit.found("whimbrel"), [turn.0]);
    assert_eq!(place(&kit), None);
    kit.store.fill_the_disk(false);
    for number in 0..limits::CONSUMERS_MAX {
        kit.engine.consumer_register(&kit.owner, &name(&format!("c{number}")), start()).unwrap();
    }
    let other = kit.say(context, "a whimbrel again");
    kit.clock.advance(Duration::from_secs(31));
    assert_eq!(kit.found("whimbrel"), [turn.0, other.0]);
    kit.engine.search_rebuild(&kit.owner, &mut |_| true).unwrap();
    assert_eq!((kit.found("whimbrel"), kit.status().state), (vec![turn.0, other.0], "ready"));
    assert_eq!(kit.engine.consumers(&kit.owner).unwrap().len(), limits::CONSUMERS_MAX);
}

#[test]
fn what_is_forgotten_waits_for_the_index_and_not_for_one_that_nobody_keeps() {
    let mut kit = Kit::new();
    kit.ready();
    let context = kit.context();
    kit.say(context, "a redshank");
    let forget = |kit: &Kit| {
        let forget = vec!["tenant:1".to_owned()];
        let job = Maintenance::Compact { keep_changes: KeepChanges::All, forget };
        kit.engine.maintain(&kit.owner, &job, &mut |_| true).unwrap_err()
    };
    // The store in memory cannot forget; it is asked to, because everybody has read everything.
    let is_asked = |error: EngineError| matches!(error, EngineError::Store(StoreError::Unsupported { .. }));
    assert!(is_asked(forget(&kit)));
    assert!(place(&kit).unwrap() > Position::START);
    kit.leave(true);
    kit.say(context, "a redshank that the index does not know");
    let behind = forget(&kit);
    assert!(matches!(&behind, EngineError::ConsumerBehind { name, .. } if name == "search"), "{behind}");
    kit.engine.set_search_home(kit.home());
    assert!(is_asked(forget(&kit)), "its files go with it");
}

#[test]
fn a_panic_of_the_thread_is_a_failure_that_is_tried_again() {
    let kit = Kit::new();
    kit.ready();
    let context = kit.context();
    kit.store.before_changes(|| {
        assert!(!is_search_thread(), "a panic in the middle of the feed");
        Ok(())
    });
    kit.say(context, "a linnet");
    until("it failed", || kit.status().state == "failed");
    assert!(kit.status().detail.is_some());
    let refused = kit.engine.search(&kit.owner, &question("linnet")).unwrap_err();
    assert_eq!(refused.code(), SearchCode::SearchNotReady);
    let turn = kit.say(context, "a linnet in the gorse");
    kit.store.behave();
    kit.ready();
    assert_eq!(kit.found("gorse"), [turn.0]);
}

#[test]
fn a_failure_that_stays_is_not_tried_again_with_every_commit() {
    let kit = Kit::new();
    kit.ready();
    let context = kit.context();
    let tries = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&tries);
    kit.store.before_changes(move || {
        if is_search_thread() {
            count.fetch_add(1, Ordering::SeqCst);
        }
        Err(StoreError::Damaged(DamagedAt { file: "feed".into(), offset: 0, detail: "for ever".into() }))
    });
    for _ in 0..20 {
        kit.say(context, "a stonechat");
        std::thread::sleep(Duration::from_millis(30));
    }
    let tries = tries.load(Ordering::SeqCst);
    assert!((1..=2).contains(&tries), "{tries} tries");
    kit.engine.close().unwrap();
}

#[test]
fn a_search_that_cannot_read_the_feed_answers_with_what_there_is() {
    let kit = Kit::new();
    let context = kit.context();
    let turn = kit.say(context, "a wheatear");
    assert_eq!(kit.found("wheatear"), [turn.0]);
    kit.store.before_changes(|| {
        if is_search_thread() {
            std::thread::sleep(Duration::from_millis(20));
            return Ok(());
        }
        Err(StoreError::TooOld { horizon: Position::from_stored(1) })
    });
    kit.say(context, "a wheatear more");
    let page = kit.ask(&question("wheatear"));
    let turns: BTreeSet<_> = page.hits.iter().filter_map(|hit| hit.turn).collect();
    assert!(turns.contains(&turn) && (page.behind || page.total == 2), "{page:?}");
}
