//! Compaction: what goes, what stays, and what a kill in the middle leaves.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use cairn_base::fs::{Fault, FileSystem, SimulatedFs};
use cairn_base::{ContentHash, Entropy, ManualClock, Position, SeededEntropy, TenantId};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore};
use cairn_seam::{
    Aborted, Blob, Compaction, Event, EventKind, Keyspace, LocalStore, References, Store, StoreError, limits,
};

use crate::kit::{DIR, small_options};

const TENANT: TenantId = TenantId(6);
const RECORDS: Keyspace = Keyspace::new(61, "records");
const HAPPENED: EventKind = EventKind(9);
const DAY: Duration = Duration::from_secs(25 * 60 * 60);
const LARGE: usize = limits::BLOB_IN_COMMIT_BYTES_MAX + 1000;

/// References to blobs by their number.
struct Live(Vec<u64>);

impl References for Live {
    fn visit(&self, visit: &mut dyn FnMut(TenantId, &ContentHash)) -> Result<(), StoreError> {
        self.0.iter().for_each(|number| visit(TENANT, &ContentHash::of(&content(*number))));
        Ok(())
    }
}

/// Noise; every tenth blob is large.
fn content(number: u64) -> Vec<u8> {
    let mut bytes = vec![0; if number % 10 == 9 { LARGE } else { 900 }];
    SeededEntropy::new(number).fill(&mut bytes);
    bytes
}

pub(crate) fn open(fs: &SimulatedFs, clock: &ManualClock) -> EmbeddedStore {
    let options =
        EmbeddedOptions { clock: Arc::new(clock.clone()), ..small_options(Arc::new(fs.clone()), 1) };
    EmbeddedStore::open(Path::new(DIR), options).unwrap()
}

fn put(store: &dyn Store, number: u64) -> Result<(), StoreError> {
    let mut upload = store.upload(TENANT)?;
    upload.write(&content(number))?;
    let blob: Blob = upload.finish()?;
    let key = [&TENANT.0.to_be_bytes()[..], &number.to_be_bytes()].concat();
    let body = move |tx: &mut dyn cairn_seam::WriteTx| {
        tx.put_blob(&blob).map_err(|_| Aborted)?;
        tx.put(RECORDS, &key, &number.to_le_bytes()).map_err(|_| Aborted)?;
        tx.emit(Event { kind: HAPPENED, body: number.to_le_bytes().to_vec() }).map_err(|_| Aborted)
    };
    store.write(TENANT, Box::new(body)).map(drop)
}

/// What a blob reads as.
#[derive(Debug, PartialEq, Eq, Clone, Copy, PartialOrd, Ord)]
enum State {
    There,
    Gone,
    Absent,
}

fn state(store: &dyn Store, number: u64) -> State {
    let bytes = content(number);
    match store.open_blob(TENANT, &ContentHash::of(&bytes)) {
        Ok(Some(reader)) => {
            let mut found = vec![0; bytes.len()];
            assert_eq!(reader.read_at(0, &mut found).unwrap(), bytes.len());
            assert!(found == bytes, "blob {number} is another one");
            State::There
        }
        Ok(None) => State::Absent,
        Err(StoreError::BlobGone { .. }) => State::Gone,
        Err(error) => panic!("blob {number}: {error}"),
    }
}

fn events(store: &dyn Store) -> Vec<u64> {
    let mut events = Vec::new();
    let mut after = Position::START;
    loop {
        let page = store.changes(after, None, 7).unwrap();
        for change in &page.changes {
            events.extend(
                change.events.iter().map(|event| u64::from_le_bytes((&*event.body).try_into().unwrap())),
            );
        }
        if page.at_end {
            return events;
        }
        after = page.next;
    }
}

pub(crate) fn compact(
    store: &EmbeddedStore,
    live: &[u64],
) -> Result<BTreeMap<&'static str, u64>, StoreError> {
    let report = store.compact(&Compaction::default(), &Live(live.to_vec()), &mut |_| true)?;
    Ok(report.figures.into_iter().collect())
}

fn bytes_on_disk(fs: &SimulatedFs) -> usize {
    let of = |dir: &Path| -> usize {
        let names = fs.list(dir).unwrap_or_default();
        names.iter().map(|name| fs.read_all(dir.join(name)).unwrap().len()).sum()
    };
    of(Path::new(DIR)) + of(&Path::new(DIR).join("blobs"))
}

/// A store with blobs 0 to 59 in several segments, all old.
pub(crate) fn old_store(seed: u64) -> (SimulatedFs, ManualClock, EmbeddedStore) {
    let fs = SimulatedFs::new(seed);
    let clock = ManualClock::new(1_700_000_000_000);
    let store = open(&fs, &clock);
    for number in 0..60 {
        put(&store, number).unwrap();
        store.upkeep().unwrap();
    }
    clock.advance(DAY);
    (fs, clock, store)
}

fn expect(store: &dyn Store, live: &[u64], what: &str) {
    for number in 0..60 {
        let expected = if live.contains(&number) { State::There } else { State::Gone };
        assert_eq!(state(store, number), expected, "{what}: blob {number}");
    }
    assert_eq!(events(store), (0..60).collect::<Vec<_>>(), "{what}: history");
}

#[test]
fn dead_blobs_go_and_everything_else_stays() {
    let (fs, clock, store) = old_store(1);
    let live: Vec<u64> = (0..60).filter(|number| number % 7 == 2).collect();
    let before = bytes_on_disk(&fs);
    let done = compact(&store, &live).unwrap();
    assert!(done["segments_rewritten"] >= 2 && done["blob_files_removed"] >= 4, "{done:?}");
    assert!(before - bytes_on_disk(&fs) >= usize::try_from(done["bytes_freed"]).unwrap() / 2);
    // Those in the segment being written are removed once it is complete.
    let unsealed: Vec<u64> =
        (0..60).filter(|n| state(&store, *n) == State::There && !live.contains(n)).collect();
    assert!(unsealed.len() < 20, "{unsealed:?}");
    store.close().unwrap();
    drop(store);
    let store = open(&fs, &clock);
    compact(&store, &live).unwrap();
    expect(&store, &live, "after the second time");
    let fewer: Vec<u64> = live.iter().copied().filter(|number| *number > 20).collect();
    compact(&store, &fewer).unwrap();
    expect(&store, &fewer, "packed twice");
    store.close().unwrap();
    drop(store);
    // Everything derived is made again from what was packed.
    for name in fs.list(Path::new(DIR)).unwrap() {
        if name.starts_with("side-") || name.starts_with("index") {
            fs.remove_raw(Path::new(DIR).join(name));
        }
    }
    let store = open(&fs, &clock);
    expect(&store, &fewer, "rebuilt");
    put(&store, 0).unwrap();
    assert_eq!(state(&store, 0), State::There, "put again");
}

#[test]
fn a_backup_of_a_compacted_store_holds_everything() {
    let (fs, clock, store) = old_store(1);
    let live: Vec<u64> = (0..60).filter(|number| number % 7 == 2).collect();
    // The last ones are in a segment that is complete now.
    store.close().unwrap();
    drop(store);
    let store = open(&fs, &clock);
    assert!(compact(&store, &live).unwrap()["segments_rewritten"] >= 2);
    let backup = Path::new("data/backup.cairn");
    // What goes while a backup is read stays for the backup.
    let mut removed = false;
    let fewer = &live[..1];
    let job = cairn_seam::Maintenance::Backup { to: backup.to_owned(), skip_damaged: false };
    let mut on_stage = |_: cairn_seam::Stage<'_>| {
        if !std::mem::replace(&mut removed, true) {
            compact(&store, fewer).unwrap();
        }
        true
    };
    store.maintain(&job, &mut on_stage).unwrap();
    let dir = Path::new("data/restored");
    let options =
        || EmbeddedOptions { clock: Arc::new(clock.clone()), ..small_options(Arc::new(fs.clone()), 2) };
    cairn_embedded::restore(backup, dir, &options(), cairn_embedded::RestoreHow::default(), &mut |_| true)
        .unwrap();
    let restored = EmbeddedStore::open(dir, options()).unwrap();
    expect(&restored, &live, "restored");
    expect(&store, fewer, "the original");
}

#[test]
fn young_and_renewed_blobs_stay() {
    let (_fs, clock, store) = old_store(1);
    for number in [3, 9, 20] {
        put(&store, number).unwrap();
    }
    let kept = ContentHash::of(&content(30));
    let body = move |tx: &mut dyn cairn_seam::WriteTx| {
        assert!(tx.keep_blob(&kept).map_err(|_| Aborted)?);
        Ok(())
    };
    store.write(TENANT, Box::new(body)).unwrap();
    clock.advance(DAY - Duration::from_secs(2 * 60 * 60));
    compact(&store, &[]).unwrap();
    for number in [3, 9, 20, 30] {
        assert_eq!(state(&store, number), State::There, "{number}");
    }
    assert_eq!(state(&store, 4), State::Gone);
    clock.advance(DAY);
    compact(&store, &[]).unwrap();
    assert_eq!((state(&store, 3), state(&store, 9)), (State::Gone, State::Gone));
}

#[test]
fn trouble_at_every_operation_loses_nothing_and_leaves_nothing() {
    let live: Vec<u64> = (0..60).filter(|number| number % 9 == 0).collect();
    let (fs, _, store) = old_store(1);
    let start = fs.operations();
    compact(&store, &live).unwrap();
    let end = fs.operations();
    drop(store);
    for at in start..end {
        for trouble in ["power cut", "error", "full disk"] {
            let what = format!("{trouble} at {at}");
            let (fs, clock, store) = old_store(1);
            match trouble {
                "power cut" => fs.cut_power_at(at),
                "error" => fs.inject(at, Fault::Error),
                _ => fs.inject(at, Fault::Full),
            }
            let _ = compact(&store, &live);
            drop(store);
            if trouble == "power cut" {
                fs.power_cycle()
            } else {
                fs.process_kill()
            }
            let store = open(&fs, &clock);
            for number in 0..60 {
                let found = state(&store, number);
                assert!(
                    found != State::Absent && (found == State::There || !live.contains(&number)),
                    "{what}: {number}"
                );
            }
            assert_eq!(events(&store), (0..60).collect::<Vec<_>>(), "{what}");
            let large = (0..60).filter(|n| n % 10 == 9 && state(&store, *n) == State::There).count();
            let files = fs.list(&Path::new(DIR).join("blobs")).unwrap();
            assert_eq!(files.len(), large, "{what}: files that nothing owns: {files:?}");
            assert!(!fs.list(Path::new(DIR)).unwrap().iter().any(|name| name.contains("pack")), "{what}");
            compact(&store, &live).unwrap_or_else(|error| panic!("{what}: {error}"));
        }
    }
}

#[test]
fn readers_and_writers_go_on_meanwhile() {
    let dir = tempfile::tempdir().unwrap();
    let clock = ManualClock::new(1_700_000_000_000);
    let options = EmbeddedOptions {
        clock: Arc::new(clock.clone()),
        reserve_bytes: 0,
        segment_bytes: 256 << 10,
        ..EmbeddedOptions::default()
    };
    let store = EmbeddedStore::open(dir.path(), options).unwrap();
    let small = |number: u64| number % 10 != 9;
    for number in (0..2000).filter(|number| small(*number)) {
        put(&store, number).unwrap();
    }
    clock.advance(DAY);
    let stop = AtomicBool::new(false);
    thread::scope(|scope| {
        scope.spawn(|| {
            for number in
                (5000..).filter(|number| small(*number)).take_while(|_| !stop.load(Ordering::Relaxed))
            {
                put(&store, number).unwrap();
            }
        });
        scope.spawn(|| {
            for number in
                (0..2000).cycle().filter(|n| small(*n)).take_while(|_| !stop.load(Ordering::Relaxed))
            {
                // Also panics when a blob that is going reads as damaged.
                assert!(state(&store, number) == State::There || number % 3 != 0);
            }
        });
        let live: Vec<u64> = (0..2000).filter(|number| number % 3 == 0).collect();
        for _ in 0..3 {
            compact(&store, &live).unwrap();
            thread::sleep(Duration::from_millis(50));
        }
        stop.store(true, Ordering::Relaxed);
    });
    assert!((0..2000).filter(|n| small(*n) && n % 3 != 0 && state(&store, *n) == State::Gone).count() > 500);
    store.close().unwrap();
}
