//! Named consumers of the change feed.

use std::time::Duration;

use cairn_base::{ErrorCode, Position};
use cairn_engine::EngineError;
use cairn_engine::limits;
use cairn_seam::{StoreCode, StoreError};

use crate::support::{NOW_MS, World, name, start, stranger};

#[test]
fn a_consumer_reads_every_change_once_in_order() {
    let world = World::new();
    let search = name("search");
    world.engine.consumer_register(&world.owner, &search, world.engine.position()).unwrap();
    for _ in 0..5 {
        world.emit(&[100]);
        world.emit(&[]);
        world.emit(&[101, 102]);
    }
    let mut kinds = Vec::new();
    loop {
        let page = world.engine.feed_page(&world.owner, &search, 3).unwrap();
        assert!(page.changes.len() <= 3);
        let events = page.changes.iter().flat_map(|change| &change.events);
        kinds.extend(events.map(|event| event.kind.0));
        // Reading again before advancing gives the same page.
        assert_eq!(world.engine.feed_page(&world.owner, &search, 3).unwrap().changes, page.changes);
        world.engine.feed_advance(&world.owner, &search, page.next).unwrap();
        if page.at_end {
            break;
        }
    }
    assert_eq!(kinds, [100, 101, 102].repeat(5));
    assert!(world.engine.feed_page(&world.owner, &search, 3).unwrap().changes.is_empty());
}

#[test]
fn a_position_moves_only_forward_and_not_ahead_of_the_store() {
    let world = World::new();
    let peer = name("peer");
    world.engine.consumer_register(&world.owner, &peer, start()).unwrap();
    let first = world.emit(&[100]).position;
    let second = world.emit(&[100]).position;
    let advance = |position| world.engine.feed_advance(&world.owner, &peer, position).map(drop);
    advance(second).unwrap();
    advance(second).unwrap();
    let error = advance(first).unwrap_err();
    assert_eq!(error.code(), ErrorCode::PreconditionFailed);
    assert!(
        matches!(error, EngineError::ConsumerBackwards { at, asked, .. } if (at, asked) == (second, first))
    );
    let ahead = Position::from_stored(world.engine.position().to_stored() + 1);
    let error = advance(ahead).unwrap_err();
    assert!(matches!(error, EngineError::Store(StoreError::PositionAhead { asked, .. }) if asked == ahead));
    let error = world.engine.consumer_register(&world.owner, &name("late"), ahead).unwrap_err();
    assert_eq!(error.code(), StoreCode::PositionAhead);
    let error = world.engine.feed_advance(&stranger(), &peer, ahead).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Forbidden, "who may not act learns nothing");
    assert_eq!(world.engine.consumers(&world.owner).unwrap()[0].position, second);
}

#[test]
fn registering_again_changes_nothing_and_unknown_names_are_told() {
    let world = World::new();
    let at = world.emit(&[100]).position;
    let [b, a] = [name("b"), name("a")];
    world.engine.consumer_register(&world.owner, &b, at).unwrap();
    world.clock.advance(Duration::from_secs(1));
    let again = world.engine.consumer_register(&world.owner, &b, start()).unwrap().value;
    assert_eq!((again.position, again.advanced_at_ms), (at, NOW_MS));
    world.engine.consumer_register(&world.owner, &a, start()).unwrap();
    let consumers = world.engine.consumers(&world.owner).unwrap();
    let names: Vec<_> = consumers.iter().map(|consumer| consumer.name.as_str()).collect();
    assert_eq!(names, ["a", "b"]);

    world.engine.consumer_remove(&world.owner, &a).unwrap();
    let errors = [
        world.engine.consumer_remove(&world.owner, &a).map(drop),
        world.engine.feed_page(&world.owner, &a, 1).map(drop),
        world.engine.feed_advance(&world.owner, &a, start()).map(drop),
    ];
    for error in errors {
        assert_eq!(error.unwrap_err().to_string(), "no consumer is called a; register it first");
    }
}

#[test]
fn there_are_so_many_consumers_and_no_more() {
    let world = World::new();
    let register =
        |index: usize| world.engine.consumer_register(&world.owner, &name(&format!("c{index}")), start());
    for index in 0..limits::CONSUMERS_MAX {
        register(index).unwrap();
    }
    let error = register(limits::CONSUMERS_MAX).unwrap_err();
    assert!(matches!(error, EngineError::ConsumersFull), "{error}");
    register(0).expect("one that exists needs no room");
    world.engine.consumer_remove(&world.owner, &name("c7")).unwrap();
    register(limits::CONSUMERS_MAX).unwrap();
}

#[test]
fn a_consumer_whose_changes_are_gone_is_told_where_to_go_on() {
    let world = World::new();
    let slow = name("slow");
    world.engine.consumer_register(&world.owner, &slow, start()).unwrap();
    world.emit(&[100]);
    let horizon = world.store.drop_history();
    let error = world.engine.feed_page(&world.owner, &slow, 10).unwrap_err();
    assert_eq!(error.code(), StoreCode::PositionTooOld);
    let EngineError::ConsumerTooOld { at, horizon: told, .. } = error else { panic!("{error}") };
    assert_eq!((at, told), (start(), horizon));
    world.engine.feed_advance(&world.owner, &slow, horizon).unwrap();
    world.emit(&[101]);
    assert_eq!(world.engine.feed_page(&world.owner, &slow, 10).unwrap().changes.len(), 1);
}
