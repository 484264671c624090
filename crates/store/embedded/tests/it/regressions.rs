//! Named after what went wrong.

use std::path::{Path, PathBuf};
use std::sync::{Arc, mpsc};
use std::thread;

use cairn_base::fs::{Fault, FileSystem, SimulatedFs};
use cairn_base::{ContentHash, Entropy, ManualClock, Position, SeededEntropy, TenantId};
use cairn_embedded::{Background, EmbeddedOptions, EmbeddedStore};
use cairn_seam::{
    Aborted, Blob, Event, EventKind, HashedKeyspace, Keyspace, LocalStore, Maintenance, References, Store,
    StoreError, get, limits,
};
use parking_lot::Mutex;

use crate::kit::{self, DIR, open_sealed, open_simulated, small_options};

const RECORDS: Keyspace = Keyspace::new(10, "records");
const SEEN: HashedKeyspace = HashedKeyspace::new(3, "seen");
const TENANT: TenantId = TenantId(1);

fn key(n: u64) -> Vec<u8> {
    [&TENANT.0.to_be_bytes()[..], &n.to_be_bytes()].concat()
}

fn put(store: &EmbeddedStore, n: u64, bytes: usize) -> Result<Position, StoreError> {
    store.write(TENANT, Box::new(move |tx| tx.put(RECORDS, &key(n), &vec![7; bytes]).map_err(|_| Aborted)))
}

fn put_all(store: &EmbeddedStore, keys: std::ops::Range<u64>, bytes: usize) {
    for n in keys {
        put(store, n, bytes).unwrap();
    }
}

fn put_seen(store: &EmbeddedStore, n: u64) {
    let body = move |tx: &mut dyn cairn_seam::WriteTx| {
        tx.hashed_put(SEEN, &n.to_be_bytes(), &[1; 500], None).map_err(|_| Aborted)
    };
    store.write(TENANT, Box::new(body)).unwrap();
}

fn there(store: &EmbeddedStore, keys: std::ops::Range<u64>) -> usize {
    let snapshot = store.snapshot(Position::START).unwrap();
    keys.filter(|n| get(&*snapshot, RECORDS, &key(*n)).unwrap().is_some()).count()
}

fn failing_reads(store: &EmbeddedStore, count: u64) -> usize {
    let snapshot = store.snapshot(Position::START).unwrap();
    let fails = |n: &u64| snapshot.hashed_get(SEEN, TENANT, &[&n.to_be_bytes()], &mut |_, _| {}).is_err();
    (1..=count).filter(fails).count()
}

fn files(fs: &SimulatedFs, start: &str) -> Vec<PathBuf> {
    let names = fs.list(Path::new(DIR)).unwrap();
    names.iter().filter(|name| name.starts_with(start)).map(|name| Path::new(DIR).join(name)).collect()
}

#[test]
fn a_group_that_failed_while_the_applier_waited_got_into_the_index() {
    let fs = SimulatedFs::new(1);
    let store = Arc::new(open_simulated(&fs, 1).unwrap());
    put(&store, 1, 10).unwrap();
    let applier = Arc::new(Mutex::new(None));
    let (own, disk, started) = (Arc::clone(&store), fs.clone(), Arc::clone(&applier));
    let outcome = store.write(
        TENANT,
        Box::new(move |tx| {
            let own = Arc::clone(&own);
            *started.lock() = Some(thread::spawn(move || own.apply_now()));
            // Time for it to reach the committer's lock, which this transaction's group holds.
            (0..2000).for_each(|_| thread::yield_now());
            tx.put(RECORDS, &key(2), b"never acknowledged").map_err(|_| Aborted)?;
            disk.inject(disk.operations(), Fault::Error);
            Ok(())
        }),
    );
    assert!(matches!(outcome, Err(StoreError::OutcomeUnknown { .. })), "{outcome:?}");
    let _ = applier.lock().take().unwrap().join().unwrap();
    assert_eq!(there(&store, 2..3), 0, "readers see what is not in the log");
    drop(store);
    fs.process_kill();
    assert_eq!(there(&open_simulated(&fs, 2).unwrap(), 1..3), 1);
}

#[test]
fn an_image_that_could_not_be_loaded_whole_was_taken_for_the_index() {
    let fs = SimulatedFs::new(1);
    let store = open_simulated(&fs, 1).unwrap();
    put_all(&store, 0..60, 10_000);
    store.write_image().unwrap();
    store.close().unwrap();
    drop(store);
    assert!(fs.remove_raw(Path::new(DIR).join("index.redb")));
    let image = &files(&fs, "image-")[0];
    fs.flip(image, fs.read_all(image).unwrap().len() as u64 - 100);
    // The log has everything; the image only makes it quicker.
    let store = open_simulated(&fs, 2).unwrap();
    assert!(store.open_report().rebuilt.as_ref().is_some_and(|why| why.contains("image")));
    assert_eq!(there(&store, 0..60), 60);
}

#[test]
fn a_flipped_byte_in_the_header_of_the_open_segment_lost_it_silently() {
    for at in [0, 13, 20, 30, 50] {
        let fs = SimulatedFs::new(1);
        let store = open_simulated(&fs, 1).unwrap();
        put_all(&store, 0..10, 100);
        drop(store);
        fs.process_kill();
        let segment = &files(&fs, "segment-")[0];
        fs.flip(segment, at);
        let store = open_simulated(&fs, 2).unwrap();
        let damage = &store.open_report().damage;
        assert_eq!(damage[0].file, *segment, "{damage:?}");
        assert_eq!(there(&store, 0..10), 10, "the frames are whole, and the manifest knows their salt");
    }
}

#[test]
fn a_damaged_page_of_a_side_file_stayed_and_failed_merges_filled_the_disk() {
    let fs = SimulatedFs::new(1);
    let store = open_simulated(&fs, 1).unwrap();
    let mut count = 0;
    while store.stats().files.unwrap_or_default().side_files < 3 {
        count += 1;
        put_seen(&store, count);
        store.upkeep().unwrap();
    }
    store.close().unwrap();
    drop(store);
    fs.flip(&files(&fs, "side-")[0], 500);
    let store = open_simulated(&fs, 2).unwrap();
    assert_eq!(failing_reads(&store, count), 0, "the read that meets the damage has the file rebuilt");
    let report = store.upkeep().unwrap();
    assert!(report.done.iter().any(|line| line.contains("rebuilt side file")), "{report:?}");
    drop(store);
    // The same when a merge may be the first to notice.
    fs.flip(&files(&fs, "side-")[0], 500);
    let store = open_simulated(&fs, 3).unwrap();
    for n in 1..200 {
        put_seen(&store, 1_000_000 + n);
        store.upkeep().unwrap();
    }
    assert_eq!(
        files(&fs, "side-").len() as u64,
        store.stats().files.unwrap_or_default().side_files,
        "no file is left behind"
    );
    let _ = failing_reads(&store, count);
    store.upkeep().unwrap();
    assert_eq!(failing_reads(&store, count), 0);
}

#[test]
fn images_that_failed_left_their_files() {
    let fs = SimulatedFs::new(1);
    let store = open_simulated(&fs, 1).unwrap();
    put_all(&store, 0..30, 1000);
    store.apply_now().unwrap();
    for _ in 0..5 {
        fs.inject(fs.operations() + 3, Fault::Full);
        assert!(store.write_image().is_err());
    }
    assert_eq!(files(&fs, "image-").len(), 0);
    store.write_image().unwrap();
    assert_eq!(files(&fs, "image-").len(), 1);
}

#[test]
fn a_roll_that_failed_once_made_every_later_write_fail() {
    for offset in 0..8 {
        let fs = SimulatedFs::new(1);
        let store = open_simulated(&fs, 1).unwrap();
        let mut failed = 0;
        let mut injected = false;
        for n in 0..60 {
            if !injected && store.stats().files.unwrap_or_default().log_bytes > (12 << 10) - 1200 {
                fs.inject(fs.operations() + offset, Fault::Error);
                injected = true;
            }
            match put(&store, n, 1000) {
                Ok(_) => {}
                // The fault hit a group itself: then the store is right to stop.
                Err(StoreError::OutcomeUnknown { .. } | StoreError::Poisoned { .. }) => break,
                Err(_) => failed += 1,
            }
        }
        assert!(failed <= 1, "{failed} writes failed after one fault at {offset}");
    }
}

#[test]
fn accepting_loss_did_not_say_that_a_segment_is_missing() {
    for way in ["missing", "header"] {
        let fs = SimulatedFs::new(1);
        let store = open_simulated(&fs, 1).unwrap();
        let mut count = 0;
        while store.stats().files.unwrap_or_default().segments < 4 {
            count += 1;
            put(&store, count, 500).unwrap();
        }
        drop(store);
        fs.process_kill();
        let victim = &files(&fs, "segment-")[1];
        match way {
            "missing" => assert!(fs.remove_raw(victim)),
            _ => fs.flip(victim, 20),
        }
        let kept = |store: &EmbeddedStore| there(store, 1..count + 1);
        let store = open_simulated(&fs, 2).unwrap();
        let is_named = store.open_report().damage.iter().any(|damage| damage.file == *victim);
        assert!(is_named, "{:?}", store.open_report());
        let before = kept(&store);
        assert_eq!(store.open_report().read_only.is_some(), way == "missing");
        drop(store);
        let options = EmbeddedOptions { accept_loss: true, ..small_options(Arc::new(fs.clone()), 9) };
        let store = EmbeddedStore::open(Path::new(DIR), options).unwrap();
        assert_eq!(kept(&store), before, "{way}: what can be read is kept");
        assert!(before > usize::try_from(count).unwrap() / 2, "{way}: later segments too: {before}");
    }
}

#[test]
fn the_last_handle_dropped_by_a_callback_joined_itself() {
    let fs = SimulatedFs::new(1);
    let options = EmbeddedOptions { background: Background::Threads, ..small_options(Arc::new(fs), 1) };
    let store = Arc::new(EmbeddedStore::open(DIR.as_ref(), options).unwrap());
    let (go, wait) = mpsc::channel::<()>();
    let (tell, told) = mpsc::channel();
    let own = Arc::clone(&store);
    let done = move |_| {
        wait.recv().unwrap();
        drop(own);
        tell.send(()).unwrap();
    };
    store.submit(TENANT, Box::new(|_| Ok(())), Box::new(done));
    drop(store);
    go.send(()).unwrap();
    told.recv().expect("the callback ends");
}

#[test]
fn transactions_without_keys_were_replayed_at_every_opening() {
    let fs = SimulatedFs::new(1);
    let store = open_simulated(&fs, 1).unwrap();
    (0..50).for_each(|n| put_seen(&store, n));
    store.close().unwrap();
    drop(store);
    assert_eq!(open_simulated(&fs, 2).unwrap().open_report().replayed, 0);
}

#[test]
fn a_page_of_changes_had_no_bound_in_bytes() {
    let fs = SimulatedFs::new(1);
    let store = open_simulated(&fs, 1).unwrap();
    for _ in 0..20 {
        let body = |tx: &mut dyn cairn_seam::WriteTx| {
            let event = || Event { kind: EventKind(1), body: vec![0; 60 << 10] };
            (0..20).try_for_each(|_| tx.emit(event())).map_err(|_| Aborted)
        };
        store.write(TENANT, Box::new(body)).unwrap();
    }
    let mut after = Position::START;
    let mut seen = 0;
    loop {
        let page = store.changes(after, None, 1000).unwrap();
        let bytes: usize = page.changes.iter().flat_map(|change| &change.events).map(|e| e.body.len()).sum();
        assert!(bytes <= 4 << 20, "{bytes} bytes in one page");
        seen += page.changes.len();
        after = page.next;
        if page.at_end {
            break;
        }
    }
    assert_eq!(seen, 20);
}

/// The bytes of a blob that has a file of its own.
fn large(seed: u64) -> Vec<u8> {
    let mut bytes = vec![0; limits::BLOB_IN_COMMIT_BYTES_MAX + 10];
    SeededEntropy::new(seed).fill(&mut bytes);
    bytes
}

fn upload(store: &EmbeddedStore, bytes: &[u8]) -> Blob {
    let mut upload = store.upload(TENANT).unwrap();
    upload.write(bytes).unwrap();
    upload.finish().unwrap()
}

fn put_large(store: &EmbeddedStore, seed: u64) {
    let blob = upload(store, &large(seed));
    store.write(TENANT, Box::new(move |tx| tx.put_blob(&blob).map_err(|_| Aborted))).unwrap();
}

fn blob_files(fs: &SimulatedFs) -> usize {
    fs.list(&Path::new(DIR).join("blobs")).unwrap().len()
}

fn findings(store: &EmbeddedStore) -> Vec<cairn_seam::Finding> {
    store.maintain(&Maintenance::Verify { repair: false }, &mut |_| true).unwrap().findings
}

#[test]
fn a_key_that_changed_after_a_crash_made_large_blobs_unreadable() {
    let fs = SimulatedFs::new(1);
    let store = open_sealed(&fs, 1).unwrap();
    (1..=3).for_each(|seed| put_large(&store, seed));
    drop(store);
    fs.process_kill();
    // No manifest was written since, so it knows none of the numbers that the files have.
    let options = |key| EmbeddedOptions { key: Some(key), ..small_options(Arc::new(fs.clone()), 2) };
    EmbeddedStore::rotate_key(Path::new(DIR), options(kit::key(1)), &kit::key(2)).unwrap();
    let store = EmbeddedStore::open(Path::new(DIR), options(kit::key(2))).unwrap();
    for seed in 1..=3 {
        let hash = ContentHash::of(&large(seed));
        let reader = store.open_blob(TENANT, &hash).unwrap().unwrap();
        let mut found = vec![0; large(seed).len()];
        reader.read_at(0, &mut found).unwrap();
        assert!(found == large(seed), "blob {seed}");
    }
    assert_eq!(findings(&store), []);
}

#[test]
fn a_backup_failed_when_an_upload_was_given_up_meanwhile() {
    let fs = SimulatedFs::new(1);
    let store = open_simulated(&fs, 1).unwrap();
    put_large(&store, 1);
    let mut given_up = Some(upload(&store, &large(2)));
    let job = Maintenance::Backup { to: "data/backup.cairn".into(), skip_damaged: false };
    let mut on_stage = |_: cairn_seam::Stage<'_>| {
        drop(given_up.take());
        true
    };
    store.maintain(&job, &mut on_stage).unwrap();
    assert_eq!(blob_files(&fs), 1, "its file goes with the backup");
    assert_eq!(findings(&store), []);
}

struct Nothing;

impl References for Nothing {
    fn visit(&self, _: &mut dyn FnMut(TenantId, &ContentHash)) -> Result<(), StoreError> {
        Ok(())
    }
}

#[test]
fn a_large_blob_that_was_swept_during_a_backup_left_its_file_behind() {
    let fs = SimulatedFs::new(1);
    let clock = ManualClock::new(1_700_000_000_000);
    let options =
        EmbeddedOptions { clock: Arc::new(clock.clone()), ..small_options(Arc::new(fs.clone()), 1) };
    let store = EmbeddedStore::open(Path::new(DIR), options).unwrap();
    (1..=2).for_each(|seed| put_large(&store, seed));
    clock.advance(limits::BLOB_GRACE + limits::BLOB_RENEW_AFTER);
    let mut figures = Vec::new();
    let job = Maintenance::Backup { to: "data/backup.cairn".into(), skip_damaged: false };
    let mut on_stage = |_: cairn_seam::Stage<'_>| {
        if figures.is_empty() {
            figures =
                store.compact(&cairn_seam::Compaction::default(), &Nothing, &mut |_| true).unwrap().figures;
            // Put again: this file is needed.
            put_large(&store, 2);
        }
        true
    };
    store.maintain(&job, &mut on_stage).unwrap();
    let of = |wanted: &str| figures.iter().find(|(name, _)| *name == wanted).unwrap().1;
    assert_eq!((of("blobs_removed"), of("blob_files_removed"), of("bytes_freed")), (2, 0, 0));
    assert_eq!(blob_files(&fs), 1, "the other one goes with the backup");
    assert!(store.open_blob(TENANT, &ContentHash::of(&large(2))).unwrap().is_some());
    assert_eq!(findings(&store), []);
}
