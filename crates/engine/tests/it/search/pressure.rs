//! An index that cannot keep up takes bounded memory, and slows down nobody but who writes turns.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cairn_access::{Action, Resource};
use cairn_engine::Act;

use super::kit::{Kit, TENANT, is_search_thread, question, until, writing};

/// Says what the turns that are said here consist of.
const DESCRIBES: &str = r#"{"registry_version":1,"bundle_id":"b","types":{"note":{"versions":{"1":{"fields":{
    "1":{"name":"text","type":"string"}}}}}}}"#;

/// Keeps the thread from taking a snapshot while the first of these is set; the second says that it waits.
fn hold(kit: &Kit) -> (Arc<AtomicBool>, Arc<AtomicBool>) {
    let (held, waiting) = (Arc::new(AtomicBool::new(true)), Arc::new(AtomicBool::new(false)));
    let (hold, waits) = (Arc::clone(&held), Arc::clone(&waiting));
    kit.store.before_snapshot(move || {
        while is_search_thread() && hold.load(Ordering::SeqCst) {
            waits.store(true, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(1));
        }
        if is_search_thread() {
            waits.store(false, Ordering::SeqCst);
        }
        Ok(())
    });
    (held, waiting)
}

#[test]
fn writers_are_slowed_while_the_index_is_late_and_nobody_else() {
    let kit = Kit::new();
    kit.ready();
    let context = kit.context();
    kit.found("nothing");
    let pause = |act: &Act| kit.engine.search_pause(act);
    let (held, waiting) = hold(&kit);
    for _ in 0..1000 {
        kit.say(context, "a swallow");
    }
    kit.clock.advance(Duration::from_secs(33));
    assert_eq!(pause(&writing(TENANT)), Duration::ZERO, "1,000 wait, however far apart their positions are");
    held.store(false, Ordering::SeqCst);
    until("it keeps up", || !kit.ask(&question("swallow")).behind);
    held.store(true, Ordering::SeqCst);
    for _ in 0..1100 {
        kit.say(context, "a swallow");
    }
    kit.clock.advance(Duration::from_secs(3));
    assert_eq!(pause(&writing(TENANT)), Duration::ZERO, "many wait, and not for long");
    kit.clock.advance(Duration::from_secs(30));
    let slowed = pause(&writing(TENANT));
    assert!(slowed > Duration::ZERO && slowed <= Duration::from_millis(50), "{slowed:?}");
    // An UPSERT as an append.
    assert_eq!(pause(&Act::new(Action::GraphWrite, Resource::tenant(TENANT))), slowed);
    let node = Resource::NODE;
    for act in [Action::StatsRead, Action::Maintain, Action::ConsumerAdvance, Action::AccessChange] {
        assert_eq!(pause(&Act::new(act, node)), Duration::ZERO, "{act:?}");
    }
    for act in [Action::TurnsRead, Action::TurnsPrune] {
        assert_eq!(pause(&Act::new(act, Resource::tenant(TENANT))), Duration::ZERO, "{act:?}");
    }
    assert!(kit.status().behind_ms >= 3000);
    assert!(kit.engine.render_prometheus().contains("\ncairn_search_paced_total 2\n"));
    // It does not wait for an index that is held: it would wait for ever.
    until("the thread is held", || waiting.load(Ordering::SeqCst));
    assert!(kit.ask(&question("swallow")).behind);
    held.store(false, Ordering::SeqCst);
    until("it keeps up", || !kit.ask(&question("swallow")).behind);
    assert_eq!(pause(&writing(TENANT)), Duration::ZERO);
    assert_eq!(kit.ask(&question("swallow")).total, 2100);
}

#[test]
fn nobody_is_slowed_while_there_is_no_index_that_could_keep_up() {
    let kit = Kit::still();
    let context = kit.context();
    for _ in 0..1100 {
        kit.say(context, "a martin");
    }
    kit.clock.advance(Duration::from_secs(33));
    assert_eq!(kit.engine.search_pause(&writing(TENANT)), Duration::ZERO, "it is off");
    let (held, _) = hold(&kit);
    kit.start();
    until("it is made", || kit.status().detail.is_some());
    assert_eq!(kit.engine.search_pause(&writing(TENANT)), Duration::ZERO, "it is being made");
    held.store(false, Ordering::SeqCst);
    kit.ready();
    assert_eq!(kit.engine.search_pause(&writing(TENANT)), Duration::ZERO, "it keeps up");
}

#[test]
fn what_there_is_no_memory_for_waits_in_the_feed() {
    let kit = Kit { tail_bytes: 100_000, ..Kit::still() };
    // Held up where it notes its place, and does not write to disk: others take in what they want to find.
    let held = Arc::new(AtomicBool::new(true));
    let hold = Arc::clone(&held);
    kit.store.before_write(move || {
        while is_search_thread() && hold.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    });
    kit.start();
    until("it serves", || kit.status().state == "ready");
    let context = kit.context();
    let mut was_behind = false;
    for round in 0..40 {
        for number in 0..20 {
            kit.say(context, &format!("petrel r{round}n{number} {}", "spray ".repeat(20)));
        }
        if !was_behind {
            was_behind = kit.engine.search(&kit.owner, &question("petrel")).unwrap().behind;
        }
    }
    let most = kit.status().tail_bytes;
    assert!(was_behind && (100_000..250_000).contains(&most), "{most} bytes");
    held.store(false, Ordering::SeqCst);
    until("everything is found", || {
        let page = kit.ask(&question("petrel"));
        !page.behind && page.total == 800
    });
    until("it is written", || kit.status().segments > 0);
}

#[test]
fn turns_that_are_looked_at_again_take_no_more_memory() {
    let kit = Kit { tail_bytes: 100_000, ..Kit::still() };
    kit.start();
    kit.ready();
    let context = kit.context();
    for number in 0..1500 {
        kit.say(context, &format!("gannet n{number} {}", "spray ".repeat(20)));
    }
    until("all are found", || kit.ask(&question("gannet")).total == 1500);
    until("all are written", || kit.status().tail_bytes < 50_000);
    let is_over = AtomicBool::new(false);
    let most = std::thread::scope(|scope| {
        let most = scope.spawn(|| {
            let mut most = 0;
            while !is_over.load(Ordering::SeqCst) {
                most = most.max(kit.status().tail_bytes);
                std::thread::sleep(Duration::from_millis(1));
            }
            most
        });
        kit.publish(DESCRIBES);
        until("all were looked at again", || {
            let page = kit.ask(&question("gannet"));
            !page.behind && page.total == 1500
        });
        is_over.store(true, Ordering::SeqCst);
        most.join().unwrap()
    });
    assert!(most < 250_000, "{most} bytes");
}
