//! An index that cannot be used is made again, and everything else goes on meanwhile.

use std::fs;
use std::num::NonZeroU64;
use std::os::unix::fs::FileExt as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use cairn_base::{ContentHash, ContextId, SystemEntropy};
use cairn_engine::EngineError;
use cairn_seam::{
    BlockPlace, DERIVED_TAG_BYTES, DerivedSeal, FileSeal, NotAsSealed, ScrubKind, ScrubPolicy, ScrubStatus,
    SealStamp, StoreError,
};
use cairn_search::directory::{Protection, open_directory};

use super::kit::{Kit, TENANT, is_search_thread, question, sorted, text, until, word};

/// A closed node with an index of three turns on disk, in two segments.
fn written() -> (Kit, ContextId) {
    let mut kit = Kit::new();
    let context = kit.context();
    kit.say(context, "a skua over the cliff");
    kit.say(context, "a skua over the sea");
    kit.found("skua");
    kit.restart();
    kit.say(context, "a skua at rest");
    kit.found("skua");
    kit.leave(true);
    (kit, context)
}

/// Starts it, and everything is found in the end.
fn comes_back(kit: &Kit, what: &str) {
    kit.start();
    until(what, || {
        let page = kit.engine.search(&kit.owner, &question("skua"));
        matches!(page, Ok(page) if !page.behind && !page.rebuilding && page.total == 3 && kit.status().detail.is_none())
    });
    kit.ready();
}

#[test]
fn every_damaged_file_is_noticed_and_the_index_is_made_again() {
    let (mut kit, context) = written();
    let names: Vec<_> = kit.index_files().iter().map(|file| file.file_name().unwrap().to_owned()).collect();
    assert!(names.len() > 8, "{names:?}");
    for at in 0..names.len() {
        for how in 0..4 {
            let files = kit.index_files();
            let Some(file) = files.get(at) else { continue };
            let mut bytes = fs::read(file).unwrap();
            let middle = bytes.len() / 2;
            match how {
                0 if !bytes.is_empty() => bytes[middle] ^= 0x55,
                1 if !bytes.is_empty() => bytes[0] ^= 0xff,
                2 => bytes.truncate(middle),
                3 => bytes.clear(),
                _ => continue,
            }
            fs::write(file, bytes).unwrap();
            let what = format!("{} damaged in way {how}", file.display());
            comes_back(&kit, &what);
            assert_eq!(kit.found("skua").len(), 3, "{what}");
            kit.leave(true);
        }
    }
    kit.start();
    kit.say(context, "a skua that came later");
    assert_eq!(kit.found("skua").len(), 4);
}

#[test]
fn a_file_that_rots_while_the_index_serves_is_found_in_the_background_and_rebuilt() {
    let (kit, context) = written();
    comes_back(&kit, "it is opened");
    assert_eq!(kit.engine.upkeep_once().unwrap().findings, [], "it is off");
    let policy = ScrubPolicy { rate: NonZeroU64::MAX, every: Duration::ZERO };
    let mut passes = 0;
    let mut pass = || {
        passes += 1;
        *kit.store.scrub.lock() = ScrubStatus { policy: Some(policy), passes, ..ScrubStatus::default() };
        kit.engine.upkeep_once().unwrap().findings
    };
    assert_eq!(pass(), []);
    let verified = kit.engine.scrub_status().bytes;
    assert!(verified > 0);
    assert_eq!(kit.engine.upkeep_once().unwrap().findings, [], "once per pass of the store");
    assert_eq!(kit.engine.scrub_status().bytes, verified);

    let file = kit.index_files().into_iter().find(|file| file.extension().is_some_and(|end| end == "store"));
    let file = file.unwrap();
    let bytes = fs::read(&file).unwrap();
    // In place: the index has the file mapped.
    let opened = fs::OpenOptions::new().write(true).open(&file).unwrap();
    opened.write_all_at(&[bytes[bytes.len() / 2] ^ 1], bytes.len() as u64 / 2).unwrap();
    let found = pass();
    assert_eq!(found.len(), 1, "{found:?}");
    let name = file.file_name().unwrap().to_string_lossy().into_owned();
    assert!(found[0].file.starts_with("search/") && found[0].file.ends_with(&name), "{found:?}");
    let status = kit.engine.scrub_status();
    assert_eq!((status.found.get(ScrubKind::Search), status.damaged.get(ScrubKind::Search)), (1, 1));

    until("it was rebuilt", || {
        kit.engine.upkeep_once().unwrap();
        kit.engine.scrub_status().repaired.get(ScrubKind::Search) == 1
    });
    assert_eq!(kit.engine.scrub_status().damaged.total(), 0);
    assert_eq!(kit.found("skua").len(), 3);
    kit.say(context, "a skua that came later");
    assert_eq!(kit.found("skua").len(), 4);
    assert_eq!(pass(), []);
}

#[test]
fn a_damaged_payload_costs_only_its_own_words() {
    let kit = Kit::new();
    let context = kit.context();
    let whole = kit.say(context, "a skua over the cliff");
    let damaged = kit.say(context, "a skua over the sea");
    assert_eq!(kit.found("skua"), [whole.0, damaged.0]);
    kit.store.inner.damage_blob(TENANT, &ContentHash::of(&text("a skua over the sea")));
    // Found by what the index knows, and shown without its text.
    let page = kit.ask(&question("skua"));
    assert_eq!(sorted(&page), [whole.0, damaged.0]);
    let shown = |turn| page.hits.iter().find(|hit| hit.turn == Some(turn)).unwrap().snippet.is_some();
    assert_eq!((shown(whole), shown(damaged)), (true, false));
    kit.engine.search_rebuild(&kit.owner, &mut |_| true).unwrap();
    assert_eq!(kit.found("skua"), [whole.0]);
}

#[test]
fn files_that_are_gone_are_no_harm() {
    let (mut kit, _) = written();
    for at in 0..kit.index_files().len() {
        if let Some(file) = kit.index_files().get(at) {
            fs::remove_file(file).unwrap();
            comes_back(&kit, &format!("{} is gone", file.display()));
            kit.leave(true);
        }
    }
    fs::remove_dir_all(kit.folder.path().join("a")).unwrap_or(());
    fs::remove_dir_all(kit.folder.path().join("b")).unwrap_or(());
    comes_back(&kit, "the whole index is gone");
}

#[test]
fn an_index_of_another_store_or_version_is_not_used() {
    let (kit, _) = written();
    let mut other = Kit::new();
    let context = other.context();
    for _ in 0..3 {
        other.say(context, "a skua of another store");
    }
    // Its thread is gone then, and writes nothing over what is put there.
    other.leave(true);
    for place in ["a", "b"] {
        let (from, to) = (kit.folder.path().join(place), other.folder.path().join(place));
        fs::remove_dir_all(&to).unwrap_or(());
        let Ok(entries) = fs::read_dir(from) else { continue };
        fs::create_dir_all(&to).unwrap();
        for entry in entries.map(Result::unwrap) {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
    // Ids of nodes come from one seed in tests: only the name of the store makes it another one.
    let id = kit.engine.node().id.to_string();
    edit_meta(&other, &id, &"0".repeat(id.len()));
    comes_back(&other, "it belongs to another store");
    assert_eq!(other.found("another").len(), 3);
    other.leave(true);
    edit_meta(&other, r#"{\"version\":1"#, r#"{\"version\":0"#);
    comes_back(&other, "it is of another version");
}

/// Changes what the index says about itself, as its writer would.
fn edit_meta(kit: &Kit, from: &str, to: &str) {
    let meta = kit.index_files().into_iter().find(|file| file.ends_with("meta.json")).unwrap();
    let protection = Protection::Checked(Arc::new(SystemEntropy));
    let folder = open_directory(meta.parent().unwrap(), protection).unwrap().directory();
    let said = String::from_utf8(folder.atomic_read("meta.json".as_ref()).unwrap()).unwrap();
    let edited = said.replace(from, to);
    assert_ne!(said, edited);
    folder.atomic_write("meta.json".as_ref(), edited.as_bytes()).unwrap();
}

/// A seal that only turns bits over; its key is a number. 9 does not even bear other keys.
#[derive(Debug, Clone, Copy)]
struct Toy(u8);

/// No two files have the same one.
static SALT: AtomicUsize = AtomicUsize::new(0);

impl DerivedSeal for Toy {
    fn new_file(&self, _name: &[u8]) -> (SealStamp, Box<dyn FileSeal>) {
        let mut salt = [0; 16];
        salt[..8].copy_from_slice(&SALT.fetch_add(1, Ordering::SeqCst).to_be_bytes());
        (SealStamp { key: [self.0; 16], salt }, Box::new(*self))
    }

    fn of_file(&self, _name: &[u8], stamp: &SealStamp) -> Option<Box<dyn FileSeal>> {
        assert!(self.0 != 9 || stamp.key == [9; 16], "another key");
        (stamp.key == [self.0; 16]).then(|| Box::new(*self) as Box<dyn FileSeal>)
    }
}

impl FileSeal for Toy {
    fn seal(&self, _place: BlockPlace, block: &mut Vec<u8>) {
        block.iter_mut().for_each(|byte| *byte ^= self.0);
        block.extend([self.0; DERIVED_TAG_BYTES]);
    }

    fn open(&self, _place: BlockPlace, sealed: &mut [u8]) -> Result<usize, NotAsSealed> {
        let bytes = sealed.len().checked_sub(DERIVED_TAG_BYTES).ok_or(NotAsSealed)?;
        let (block, tag) = sealed.split_at_mut(bytes);
        block.iter_mut().for_each(|byte| *byte ^= self.0);
        if tag == [self.0; DERIVED_TAG_BYTES] { Ok(bytes) } else { Err(NotAsSealed) }
    }
}

#[test]
fn an_index_that_is_sealed_otherwise_is_made_again() {
    let (mut kit, _) = written();
    for key in [Some(3), Some(5), None, Some(7), Some(9)] {
        *kit.store.seal.lock() = key.map(|key| Arc::new(Toy(key)) as Arc<dyn DerivedSeal>);
        comes_back(&kit, &format!("the key is {key:?}"));
        kit.restart();
        assert_eq!(kit.found("skua").len(), 3);
        kit.leave(true);
    }
}

#[test]
fn a_rebuild_that_was_cut_short_begins_again() {
    let (mut kit, context) = written();
    fs::remove_dir_all(kit.folder.path()).unwrap();
    let left = Arc::new(AtomicUsize::new(0));
    for snapshots in 0..8 {
        left.store(snapshots, Ordering::SeqCst);
        let left = Arc::clone(&left);
        kit.store.before_snapshot(move || {
            let spend = |left: usize| left.checked_sub(1);
            if is_search_thread() && left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, spend).is_err() {
                return Err(StoreError::Stopped);
            }
            Ok(())
        });
        kit.start();
        until("it is tried", || ["failed", "ready"].contains(&kit.status().state));
        // Whatever the index does, turns are written and read.
        assert!(kit.engine.turn_count_is_served(context));
        kit.leave(snapshots % 2 == 0);
        kit.store.behave();
    }
    comes_back(&kit, "it begins again");
}

trait Served {
    fn turn_count_is_served(&self, context: ContextId) -> bool;
}

impl Served for cairn_engine::Engine {
    fn turn_count_is_served(&self, context: ContextId) -> bool {
        use cairn_access::{Action, Principal, Resource};
        let act = cairn_engine::Act::new(Action::TurnsRead, Resource::tenant(super::kit::TENANT));
        let head =
            self.read(&Principal::local_owner(), act, cairn_base::Position::START, |snapshot, scope| {
                Ok(cairn_turns::head(snapshot, scope, context)?.head)
            });
        matches!(head, Ok(head) if head.0 == 3)
            || matches!(head, Err(EngineError::Store(StoreError::Stopped)))
    }
}

#[test]
fn a_rebuild_on_demand_loses_nothing_that_comes_meanwhile_and_adds_nothing_twice() {
    let kit = Kit::new();
    let contexts: Vec<_> = (0..3).map(|_| kit.context()).collect();
    kit.ready();
    std::thread::scope(|scope| {
        for context in &contexts {
            let kit = &kit;
            scope.spawn(move || {
                for round in 0..150 {
                    let own = word(usize::try_from(context.0).unwrap() * 1000 + round);
                    let turn = kit.say(*context, &format!("fulmar {own}"));
                    if round % 10 == 0 {
                        // It may be made anew just now, beside the one that answers.
                        let page = kit.engine.search(&kit.owner, &question(&own)).unwrap();
                        assert_eq!((sorted(&page), page.behind), (vec![turn.0], false));
                    }
                }
            });
        }
        for _ in 0..5 {
            let report = kit.engine.search_rebuild(&kit.owner, &mut |_| true).unwrap();
            assert_eq!(report.figures[0].0, "search_documents");
        }
    });
    assert_eq!((kit.ask(&question("fulmar")).total, kit.status().documents), (450, 450));
}

#[test]
fn history_that_is_gone_means_a_new_index() {
    let (mut kit, context) = written();
    kit.say(context, "a skua that the feed no longer tells of");
    kit.store.inner.drop_history();
    kit.start();
    until(
        "it is made anew",
        || matches!(kit.engine.search(&kit.owner, &question("skua")), Ok(page) if page.total == 4 && !page.behind),
    );
    // Also while it is open, and a search comes first.
    kit.store.before_changes(|| {
        if is_search_thread() {
            std::thread::sleep(Duration::from_millis(50));
        }
        Ok(())
    });
    kit.say(context, "a skua more");
    kit.store.inner.drop_history();
    let page = kit.ask(&question("skua"));
    assert!(page.total == 5 || page.behind);
    until(
        "it is made anew",
        || matches!(kit.engine.search(&kit.owner, &question("skua")), Ok(page) if page.total == 5 && !page.behind),
    );
    kit.leave(true);
}
