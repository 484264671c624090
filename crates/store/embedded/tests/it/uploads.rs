//! Blobs with files of their own: power cuts, damage, crowds.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use cairn_base::fs::{Fault, FileSystem, SimulatedFs};
use cairn_base::{ContentHash, Entropy, ManualClock, SeededEntropy, TenantId};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore};
use cairn_seam::{Aborted, Blob, LocalStore, Maintenance, Store, StoreError, limits};

use crate::kit::{DIR, open_simulated, small_options};

const TENANT: TenantId = TenantId(5);
const LARGE: usize = limits::BLOB_IN_COMMIT_BYTES_MAX + 70_000;

/// Noise, so that chunks are stored as they are.
fn noise(seed: u64, bytes: usize) -> Vec<u8> {
    let mut noise = vec![0; bytes];
    SeededEntropy::new(seed).fill(&mut noise);
    noise
}

fn upload(store: &dyn Store, bytes: &[u8]) -> Result<Blob, StoreError> {
    let mut upload = store.upload(TENANT)?;
    bytes.chunks(300_000).try_for_each(|piece| upload.write(piece))?;
    upload.finish()
}

fn put(store: &dyn Store, blob: Blob) -> Result<(), StoreError> {
    store.write(TENANT, Box::new(move |tx| tx.put_blob(&blob).map_err(|_| Aborted))).map(drop)
}

fn read(store: &dyn Store, hash: &ContentHash) -> Result<Option<Vec<u8>>, StoreError> {
    let Some(reader) = store.open_blob(TENANT, hash)? else { return Ok(None) };
    let mut bytes = vec![0; usize::try_from(reader.len()).unwrap()];
    assert_eq!(reader.read_at(0, &mut bytes)?, bytes.len());
    Ok(Some(bytes))
}

fn blob_files(fs: &dyn FileSystem, dir: &Path) -> Vec<PathBuf> {
    let dir = dir.join("blobs");
    fs.list(&dir).map_or(Vec::new(), |names| names.iter().map(|name| dir.join(name)).collect())
}

/// Puts two large blobs, gives one up, and says which were acknowledged.
fn history(store: &dyn Store) -> Vec<u64> {
    let mut acknowledged = Vec::new();
    let steps: [(u64, bool); 4] = [(1, true), (2, false), (1, true), (3, true)];
    for (seed, is_put) in steps {
        let Ok(blob) = upload(store, &noise(seed, LARGE)) else { break };
        if is_put {
            let Ok(()) = put(store, blob) else { break };
            acknowledged.push(seed);
        }
    }
    acknowledged
}

fn check(fs: &SimulatedFs, acknowledged: &[u64], what: &str) {
    let store = open_simulated(fs, 9).unwrap_or_else(|error| panic!("{what}: {error}"));
    let mut there = 0;
    for seed in 1..=3 {
        let bytes = noise(seed, LARGE);
        let found = read(&store, &ContentHash::of(&bytes)).unwrap_or_else(|error| panic!("{what}: {error}"));
        assert!(found.is_none() || found.as_ref() == Some(&bytes), "{what}: blob {seed} is another one");
        assert!(found.is_some() || !acknowledged.contains(&seed), "{what}: blob {seed} is lost");
        there += usize::from(found.is_some());
    }
    let files = blob_files(fs, Path::new(DIR));
    assert_eq!(files.len(), there, "{what}: files that nothing owns: {files:?}");
}

#[test]
fn power_cuts_at_every_operation_lose_nothing_and_leave_nothing() {
    let fs = SimulatedFs::new(1);
    let store = open_simulated(&fs, 1).unwrap();
    let start = fs.operations();
    assert_eq!(history(&store), [1, 1, 3]);
    let end = fs.operations();
    drop(store);
    for cut in start..end {
        let fs = SimulatedFs::new(cut);
        let store = open_simulated(&fs, 1).unwrap();
        fs.cut_power_at(cut);
        let acknowledged = history(&store);
        drop(store);
        fs.power_cycle();
        check(&fs, &acknowledged, &format!("cut at {cut}"));
    }
}

#[test]
fn every_operation_failed_once_loses_nothing_and_leaves_nothing() {
    let fs = SimulatedFs::new(1);
    let store = open_simulated(&fs, 1).unwrap();
    let start = fs.operations();
    history(&store);
    let end = fs.operations();
    drop(store);
    for at in start..end {
        for fault in [Fault::Error, Fault::Full] {
            let what = format!("{fault:?} at {at}");
            let fs = SimulatedFs::new(at);
            let store = open_simulated(&fs, 1).unwrap();
            fs.inject(at, fault);
            let acknowledged = history(&store);
            drop(store);
            fs.process_kill();
            check(&fs, &acknowledged, &what);
        }
    }
}

#[test]
fn a_flipped_byte_is_refused_and_the_rest_is_served() {
    let fs = SimulatedFs::new(1);
    let bytes = noise(1, LARGE);
    let hash = ContentHash::of(&bytes);
    let store = open_simulated(&fs, 1).unwrap();
    put(&store, upload(&store, &bytes).unwrap()).unwrap();
    let file = blob_files(&fs, Path::new(DIR)).pop().unwrap();
    let len = fs.read_all(&file).unwrap().len() as u64;
    for at in (0..len).step_by(30_011).chain(len - 700..len) {
        fs.flip(&file, at);
        let is_reserved = |at: u64| (12..60).contains(&at);
        let Err(StoreError::Damaged(place)) = read(&store, &hash) else { panic!("byte {at} was served") };
        assert!(place.file.ends_with(file.file_name().unwrap()), "{place:?}");
        if at > 64 && !is_reserved(at) && at < LARGE as u64 {
            let chunk = (at - 64) / limits::BLOB_CHUNK_BYTES as u64;
            let reader = store.open_blob(TENANT, &hash).unwrap().unwrap();
            let mut part = vec![0; 100];
            let elsewhere = if chunk == 0 { LARGE as u64 - 100 } else { 0 };
            assert_eq!(reader.read_at(elsewhere, &mut part).unwrap(), 100);
            let start = usize::try_from(elsewhere).unwrap();
            assert_eq!(part, bytes[start..start + 100]);
        }
        fs.flip(&file, at);
    }
    assert_eq!(read(&store, &hash).unwrap(), Some(bytes));
    fs.remove_raw(&file);
    assert!(matches!(read(&store, &hash), Err(StoreError::Damaged(_))), "a missing file is no missing blob");
}

#[test]
fn a_crowd_with_the_same_content_stores_it_once() {
    let dir = tempfile::tempdir().unwrap();
    let options = EmbeddedOptions { reserve_bytes: 0, ..EmbeddedOptions::default() };
    let fs = Arc::clone(&options.fs);
    let store = Arc::new(EmbeddedStore::open(dir.path(), options).unwrap());
    let bytes = noise(1, LARGE);
    thread::scope(|scope| {
        for _ in 0..16 {
            scope.spawn(|| put(&*store, upload(&*store, &bytes).unwrap()).unwrap());
        }
    });
    assert_eq!(blob_files(&*fs, dir.path()).len(), 1);
    assert_eq!(read(&*store, &ContentHash::of(&bytes)).unwrap(), Some(bytes));
}

#[test]
fn a_crowd_with_the_same_small_content_stores_it_once() {
    let dir = tempfile::tempdir().unwrap();
    let options = EmbeddedOptions { reserve_bytes: 0, ..EmbeddedOptions::default() };
    let store = EmbeddedStore::open(dir.path(), options).unwrap();
    for (round, size) in (1..).zip([0, 5000, limits::BLOB_IN_COMMIT_BYTES_MAX]) {
        let bytes = noise(round, size);
        let together = std::sync::Barrier::new(16);
        thread::scope(|scope| {
            for client in 0..16 {
                let (store, bytes, together) = (&store, &bytes, &together);
                scope.spawn(move || {
                    let blob = if client % 2 == 0 { Blob::new(bytes.clone()) } else { upload(store, bytes) };
                    together.wait();
                    put(store, blob.unwrap()).unwrap();
                });
            }
        });
        let report = store.maintain(&Maintenance::Verify { repair: false }, &mut |_| true).unwrap();
        let blobs = report.figures.iter().find(|(name, _)| *name == "blobs").unwrap().1;
        assert_eq!(blobs, round, "{size} bytes");
        assert_eq!(read(&store, &ContentHash::of(&bytes)).unwrap(), Some(bytes));
    }
}

#[test]
fn clients_that_go_away_in_the_middle_leave_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let options = EmbeddedOptions { reserve_bytes: 0, ..EmbeddedOptions::default() };
    let fs = Arc::clone(&options.fs);
    let store = EmbeddedStore::open(dir.path(), options).unwrap();
    let bytes = noise(1, 3 * LARGE);
    thread::scope(|scope| {
        for client in 1..=16 {
            let (store, bytes) = (&store, &bytes);
            scope.spawn(move || {
                let mut upload = store.upload(TENANT).unwrap();
                upload.write(&bytes[..bytes.len() / client]).unwrap();
                // Every fourth one sends everything, and goes before anything refers to it.
                if client % 4 == 1 {
                    drop(upload.finish().unwrap());
                }
            });
        }
    });
    assert!(blob_files(&*fs, dir.path()).is_empty());
    assert_eq!(store.position(), cairn_base::Position::START);
    let report = store.maintain(&Maintenance::Verify { repair: false }, &mut |_| true).unwrap();
    assert_eq!(report.findings, []);
}

#[test]
fn an_upload_that_could_not_be_removed_is_found() {
    let fs = SimulatedFs::new(1);
    let store = open_simulated(&fs, 1).unwrap();
    let findings = || store.maintain(&Maintenance::Verify { repair: false }, &mut |_| true).unwrap().findings;
    let mut given_up = store.upload(TENANT).unwrap();
    given_up.write(&noise(1, LARGE)).unwrap();
    assert_eq!(findings(), [], "an upload under way");
    fs.inject(fs.operations(), Fault::Error);
    drop(given_up);
    let left = blob_files(&fs, Path::new(DIR));
    assert_eq!(left.len(), 1);
    let found = findings();
    assert!(found.len() == 1 && found[0].file.ends_with(".new"), "{found:?}");
    drop(store);
    fs.process_kill();
    open_simulated(&fs, 2).unwrap();
    assert!(blob_files(&fs, Path::new(DIR)).is_empty(), "the next opening removes it");
}

#[test]
fn a_disk_that_is_nearly_full_takes_no_upload() {
    let fs = SimulatedFs::new(1);
    let options = EmbeddedOptions { reserve_bytes: 10 << 20, ..small_options(Arc::new(fs.clone()), 1) };
    let store = EmbeddedStore::open(Path::new(DIR), options).unwrap();
    fs.set_free_bytes((11 << 20) - 1);
    let mut upload = store.upload(TENANT).unwrap();
    let error = upload.write(&vec![1; LARGE]).unwrap_err();
    assert!(matches!(error, StoreError::StorageFull { .. }), "{error}");
    drop(upload);
    assert!(blob_files(&fs, Path::new(DIR)).is_empty());
}

#[test]
fn an_upload_of_what_is_there_renews_it_once_an_hour() {
    let fs = SimulatedFs::new(1);
    let clock = ManualClock::new(1_700_000_000_000);
    let options = EmbeddedOptions { clock: Arc::new(clock.clone()), ..small_options(Arc::new(fs), 1) };
    let store = EmbeddedStore::open(Path::new(DIR), options).unwrap();
    for bytes in [noise(1, 500), noise(2, LARGE)] {
        put(&store, upload(&store, &bytes).unwrap()).unwrap();
        let mut position = store.position();
        for (passed, renews) in [(10, false), (3700, true), (10, false), (3700, true)] {
            clock.advance(Duration::from_secs(passed));
            put(&store, upload(&store, &bytes).unwrap()).unwrap();
            assert_eq!(store.position() > position, renews, "after {passed} s");
            position = store.position();
            assert_eq!(read(&store, &ContentHash::of(&bytes)).unwrap().as_ref(), Some(&bytes));
        }
    }
}
