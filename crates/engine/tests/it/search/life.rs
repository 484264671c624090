//! What is committed is found at once, and nothing else is.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use cairn_base::ContextId;
use cairn_engine::EngineError;
use cairn_seam::Store;

use super::kit::{Kit, TENANT, is_search_thread, question, request, sorted, text, until, word, writing};

#[test]
fn what_is_committed_is_found_at_once_also_when_the_thread_never_comes_to_it() {
    let kit = Kit::new();
    kit.ready();
    let held = Arc::new(AtomicBool::new(true));
    let hold = Arc::clone(&held);
    kit.store.before_snapshot(move || {
        while is_search_thread() && hold.load(Ordering::SeqCst) {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(())
    });
    let context = kit.context();
    // The thread holds the feed while it is held up in the middle of it; others must not wait for ever.
    let turn = kit.say(context, "the heron at the weir");
    let page = kit.ask(&question("heron"));
    assert!(page.behind || sorted(&page) == [turn.0], "{page:?}");
    held.store(false, Ordering::SeqCst);
    for number in 0..50 {
        let turn = kit.say(context, &format!("grebe {}", word(number)));
        assert_eq!(kit.found(&word(number)), [turn.0]);
    }
    kit.engine.close().unwrap();
}

#[test]
fn what_was_given_up_is_not_found() {
    let kit = Kit::new();
    let context = kit.context();
    let request = request(context, text("a kingfisher"));
    let given_up = kit.engine.transact(&kit.owner, writing(TENANT), move |tx, scope| -> Result<(), _> {
        cairn_turns::append(tx, scope, &request)?;
        Err(EngineError::ConsumerName)
    });
    assert!(given_up.is_err());
    assert_eq!(kit.found("kingfisher"), [0_u64; 0]);
    let turn = kit.say(context, "a kingfisher");
    assert_eq!(kit.found("kingfisher"), [turn.0]);
}

#[test]
fn what_was_pruned_is_not_found_also_after_a_restart() {
    let mut kit = Kit::new();
    let (first, second) = (kit.context(), kit.context());
    kit.say(first, "a wren in the hedge");
    let kept = kit.say(second, "a wren in the wall");
    assert_eq!(kit.found("wren").len(), 2);
    kit.restart();
    kit.prune(&[first]);
    assert_eq!(kit.found("wren"), [kept.0]);
    kit.restart();
    assert_eq!(kit.found("wren"), [kept.0]);
    assert_eq!(kit.status().documents, 1);
}

#[test]
fn after_a_restart_and_after_a_crash_everything_is_found_once() {
    let mut kit = Kit::new();
    let context = kit.context();
    let mut said = Vec::new();
    for (round, closing) in [true, false, false, true, false].into_iter().enumerate() {
        for _ in 0..3 {
            said.push(kit.say(context, &format!("a plover round{round}")).0);
        }
        if round % 2 == 0 {
            assert_eq!(kit.found("plover"), said);
        }
        kit.leave(closing);
        said.push(kit.say(context, "a plover that nobody indexed").0);
        kit.start();
        assert_eq!(kit.found("plover"), said, "round {round}");
        assert_eq!(kit.status().documents, said.len() as u64);
    }
}

#[test]
fn an_index_on_disk_that_is_older_than_the_store_catches_up() {
    let mut kit = Kit::new();
    let context = kit.context();
    kit.say(context, "a dunlin on the mud");
    kit.restart();
    let before = kit.folder.path().join("a");
    let copy = tempfile::tempdir().unwrap();
    kit.found("dunlin");
    kit.leave(true);
    for entry in std::fs::read_dir(&before).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), copy.path().join(entry.file_name())).unwrap();
    }
    kit.start();
    let gone = kit.context();
    kit.say(gone, "a dunlin that goes");
    let last = kit.say(context, "a dunlin on the sand");
    kit.prune(&[gone]);
    kit.found("dunlin");
    kit.leave(true);
    for entry in std::fs::read_dir(&before).unwrap() {
        std::fs::remove_file(entry.unwrap().path()).unwrap();
    }
    for entry in std::fs::read_dir(copy.path()).unwrap() {
        let entry = entry.unwrap();
        std::fs::copy(entry.path(), before.join(entry.file_name())).unwrap();
    }
    kit.start();
    assert_eq!(kit.found("dunlin"), [1, last.0]);
}

#[test]
fn everybody_finds_what_was_acknowledged_to_them() {
    let kit = Kit { tail_bytes: 64 << 10, ..Kit::still() };
    kit.start();
    let contexts: Vec<ContextId> = (0..4).map(|_| kit.context()).collect();
    std::thread::scope(|scope| {
        for (writer, context) in contexts.iter().enumerate() {
            let kit = &kit;
            scope.spawn(move || {
                for round in 0..60 {
                    let own = word(writer * 1000 + round);
                    let turn = kit.say(*context, &format!("swift {own} {}", "flight ".repeat(50)));
                    assert_eq!(kit.found(&own), [turn.0]);
                }
            });
        }
    });
    let page = kit.ask(&question("swift"));
    assert_eq!((page.total, kit.status().documents), (240, 240));
    assert!(kit.status().segments > 0, "it was written meanwhile");
}

#[test]
fn an_engine_that_is_dropped_leaves_no_thread_and_closing_writes_the_index() {
    let mut kit = Kit::new();
    let context = kit.context();
    kit.say(context, "a siskin");
    kit.found("siskin");
    let engine = Arc::downgrade(&kit.engine);
    kit.leave(false);
    until("the thread lets it go", || engine.strong_count() == 0);
    kit.start();
    kit.ready();
    kit.say(context, "a siskin once more");
    kit.found("siskin");
    kit.engine.close().unwrap();
    kit.engine.close().unwrap();
    assert_eq!(kit.status().state, "off");
    assert!(matches!(kit.engine.search(&kit.owner, &question("siskin")), Err(EngineError::SearchOff)));
    kit.leave(false);
    // Nothing is left to be taken from the feed.
    kit.store.before_changes(|| {
        Err(cairn_seam::StoreError::TooOld { horizon: cairn_base::Position::from_stored(0) })
    });
    let at = kit.store.position();
    kit.start();
    until("it is open", || kit.status().documents == 2);
    assert!(kit.status().tail_documents == 0 && at > cairn_base::Position::START);
}
