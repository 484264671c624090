//! Live listeners.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cairn_access::Principal;
use cairn_base::{ErrorCode, TenantId};
use cairn_engine::{Notification, Received, SessionNews, limits};
use cairn_seam::EventKind;

use crate::support::{World, every_role};

const LONG: Duration = Duration::from_secs(300);

#[test]
fn a_listener_hears_of_commits_with_events() {
    let world = World::new();
    let listener = world.engine.subscribe(&world.owner, TenantId::NODE).unwrap();
    let deaf = world.engine.subscribe(&world.owner, TenantId::LOCAL).unwrap();
    world.emit(&[]);
    assert_eq!(listener.try_recv(), None);
    let position = world.emit(&[100, 101, 100]).position;
    let kinds = Arc::from([EventKind(100), EventKind(101)]);
    let expected = Notification { position, tenant: TenantId::NODE, kinds };
    assert_eq!(listener.recv_timeout(LONG), Some(Received::Notification(expected)));
    assert_eq!(listener.recv_timeout(Duration::ZERO), None);
    assert_eq!(deaf.try_recv(), None, "another tenant's commit");
}

#[test]
fn a_failed_transaction_is_not_announced() {
    let world = World::new();
    let listener = world.engine.subscribe(&world.owner, TenantId::NODE).unwrap();
    let _ = world.engine.transact(&world.owner, crate::support::advance(), |tx, _| {
        tx.emit(cairn_seam::Event { kind: EventKind(100), body: Vec::new() })?;
        Err::<(), _>(cairn_engine::EngineError::ConsumersFull)
    });
    assert_eq!(listener.try_recv(), None);
}

#[test]
fn a_slow_listener_is_told_that_it_lagged_and_then_hears_again() {
    let world = World::new();
    let [full, slow] = [(); 2].map(|()| world.engine.subscribe(&world.owner, TenantId::NODE).unwrap());
    for _ in 0..limits::EVENT_BUS_QUEUE_MAX {
        world.emit(&[100]);
    }
    for _ in 0..limits::EVENT_BUS_QUEUE_MAX {
        assert!(matches!(full.try_recv(), Some(Received::Notification(_))), "a full queue is not too full");
    }
    world.emit(&[100]);
    let missed = limits::EVENT_BUS_QUEUE_MAX as u64 + 1;
    assert_eq!(slow.try_recv(), Some(Received::Lagged { missed, missed_sessions: 0 }));
    assert_eq!(slow.try_recv(), None);
    world.emit(&[100]);
    assert!(matches!(slow.try_recv(), Some(Received::Notification(_))));
    assert_eq!(world.engine.stats(&world.owner).unwrap().bus.lagged, 1);
}

#[test]
fn nothing_follows_a_gap_until_the_listener_has_heard_of_it() {
    let world = World::new();
    let slow = world.engine.subscribe(&world.owner, TenantId::NODE).unwrap();
    for _ in 0..limits::EVENT_BUS_QUEUE_MAX + 11 {
        world.emit(&[100]);
    }
    let missed = limits::EVENT_BUS_QUEUE_MAX as u64 + 11;
    assert_eq!(
        (slow.try_recv(), slow.try_recv()),
        (Some(Received::Lagged { missed, missed_sessions: 0 }), None)
    );
}

#[test]
fn who_comes_and_goes_is_heard_also_after_a_flood_of_commits() {
    let world = World::new();
    let slow = world.engine.subscribe(&world.owner, TenantId::NODE).unwrap();
    let other = Principal::new("other", TenantId(7), every_role());
    let deaf = world.engine.subscribe(&other, TenantId(7)).unwrap();
    let session = world.engine.open_session(TenantId::LOCAL, None);
    session.hello("agent").unwrap();
    for _ in 0..limits::EVENT_BUS_QUEUE_MAX + 5 {
        world.emit(&[100]);
    }
    drop(session);
    let missed = limits::EVENT_BUS_QUEUE_MAX as u64 + 5;
    assert_eq!(slow.try_recv(), Some(Received::Lagged { missed, missed_sessions: 0 }));
    for expected in [SessionNews::Connected, SessionNews::Disconnected] {
        let Some(Received::Session(event)) = slow.try_recv() else { panic!("{expected:?} is missing") };
        assert_eq!((event.news, &*event.tag, event.tenant), (expected, "agent", TenantId::LOCAL));
    }
    assert_eq!((slow.try_recv(), deaf.try_recv()), (None, None));
}

#[test]
fn sessions_too_are_dropped_when_there_are_too_many_and_that_is_told() {
    let world = World::new();
    let slow = world.engine.subscribe(&world.owner, TenantId::NODE).unwrap();
    for _ in 0..limits::EVENT_BUS_QUEUE_MAX / 2 {
        world.engine.open_session(TenantId::LOCAL, None).hello("").unwrap();
    }
    assert!(matches!(slow.try_recv(), Some(Received::Session(_))), "a full queue is not too full");
    let full = world.engine.open_session(TenantId::LOCAL, None);
    full.hello("").unwrap();
    let one_more = world.engine.open_session(TenantId::LOCAL, None);
    one_more.hello("last").unwrap();
    let missed_sessions = limits::EVENT_BUS_QUEUE_MAX as u64;
    assert_eq!(slow.try_recv(), Some(Received::Lagged { missed: 0, missed_sessions }));
    let Some(Received::Session(last)) = slow.try_recv() else { panic!("the newest is kept") };
    assert_eq!(&*last.tag, "last");
}

#[test]
fn a_waiting_listener_is_woken_each_time() {
    let world = World::new();
    let listener = world.engine.subscribe(&world.owner, TenantId::NODE).unwrap();
    let (heard, hears) = std::sync::mpsc::channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            // Says what it got and waits again, so that most commits find it waiting.
            while let Some(Received::Notification(notification)) = listener.recv_timeout(LONG) {
                heard.send(notification.position).unwrap();
            }
        });
        for _ in 0..200 {
            let position = world.emit(&[100]).position;
            assert_eq!(hears.recv(), Ok(position));
        }
        world.engine.close().unwrap();
    });
}

#[test]
fn a_waker_is_called_for_what_is_there_and_for_what_comes() {
    let world = World::new();
    let listener = world.engine.subscribe(&world.owner, TenantId::NODE).unwrap();
    let woken = Arc::new(AtomicUsize::new(0));
    let wake = || {
        let woken = Arc::clone(&woken);
        Box::new(move || _ = woken.fetch_add(1, Ordering::Relaxed))
    };
    listener.set_waker(wake());
    assert_eq!(woken.load(Ordering::Relaxed), 0);
    world.emit(&[100]);
    assert_eq!(woken.load(Ordering::Relaxed), 1);
    listener.set_waker(wake());
    assert_eq!(woken.load(Ordering::Relaxed), 2, "it may have come before the waker");
}

#[test]
fn waiting_listeners_are_woken_and_dismissed_when_the_engine_closes() {
    let world = World::new();
    let listener = world.engine.subscribe(&world.owner, TenantId::NODE).unwrap();
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| [listener.recv_timeout(LONG), listener.recv_timeout(LONG)]);
        world.emit(&[100]);
        world.engine.close().unwrap();
        let [first, second] = waiting.join().unwrap();
        assert!(matches!(first, Some(Received::Notification(_))), "{first:?}");
        assert_eq!(second, Some(Received::Closed));
    });
    let late = world.engine.subscribe(&world.owner, TenantId::NODE).unwrap();
    assert_eq!(late.recv_timeout(LONG), Some(Received::Closed));
}

#[test]
fn there_are_so_many_listeners_and_no_more() {
    let world = World::new();
    let subscribe = || world.engine.subscribe(&world.owner, TenantId::NODE);
    let mut listeners: Vec<_> =
        (0..limits::EVENT_BUS_SUBSCRIBERS_MAX).map(|_| subscribe().unwrap()).collect();
    assert_eq!(subscribe().unwrap_err().code(), ErrorCode::Overloaded);
    listeners.pop();
    listeners.push(subscribe().unwrap());
    drop(listeners);
    assert_eq!(world.engine.stats(&world.owner).unwrap().bus.listeners, 0);
}
