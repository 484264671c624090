//! Verifying a store in use, and making derived data again.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cairn_base::fs::{FileSystem, SimulatedFs};
use cairn_base::{ManualClock, Position, SystemClock, TenantId};
use cairn_embedded::{Background, EmbeddedOptions, EmbeddedStore};
use cairn_seam::{
    Blob, Event, EventKind, Finding, HashedKeyspace, Keyspace, LocalStore, Maintenance, MaintenanceReport,
    Store, StoreError,
};

use crate::kit::{DIR, open_simulated, small_options};
use crate::workload::{Workload, try_read_cells};

const TENANT: TenantId = TenantId(1);

pub(crate) fn file(name: &str) -> PathBuf {
    Path::new(DIR).join(name)
}

pub(crate) fn names(fs: &SimulatedFs, start: &str) -> Vec<String> {
    fs.list(Path::new(DIR)).unwrap().into_iter().filter(|name| name.starts_with(start)).collect()
}

pub(crate) fn verify(store: &EmbeddedStore, repair: bool) -> MaintenanceReport {
    store.maintain(&Maintenance::Verify { repair }, &mut |_| true).unwrap()
}

pub(crate) fn findings(store: &EmbeddedStore) -> Vec<Finding> {
    verify(store, false).findings
}

pub(crate) fn figure(report: &MaintenanceReport, name: &str) -> u64 {
    report.figures.iter().find(|(figure, _)| *figure == name).unwrap().1
}

/// A store with a few segments and side files, an image if asked for, and its workload.
fn worked(seed: u64, segments: u64, image: bool) -> (SimulatedFs, Arc<EmbeddedStore>, Workload) {
    let fs = SimulatedFs::new(seed);
    let store = Arc::new(open_simulated(&fs, seed).unwrap());
    let mut workload = Workload::new(seed);
    while store.stats().files.unwrap_or_default().segments < segments {
        workload.commit_some(&store).unwrap();
        store.upkeep().unwrap();
    }
    if image {
        store.write_image().unwrap();
        workload.commit_some(&store).unwrap();
    }
    (fs, store, workload)
}

#[test]
fn a_clean_store_has_no_findings_applied_half_applied_or_reopened() {
    for seed in 0..12 {
        let fs = SimulatedFs::new(seed);
        let mut workload = Workload::new(seed);
        let mut store = Arc::new(open_simulated(&fs, seed).unwrap());
        assert_eq!(findings(&store), [], "empty");
        for round in 0..60 {
            workload.commit_some(&store).unwrap();
            match round % 20 {
                3 => store.apply_now().unwrap(),
                7 => drop(store.upkeep().unwrap()),
                11 if seed % 2 == 0 => drop(store.write_image().unwrap()),
                15 => {
                    drop(store);
                    fs.process_kill();
                    store = Arc::new(open_simulated(&fs, seed + 1).unwrap());
                }
                _ => {}
            }
            if round % 5 == 2 {
                assert_eq!(findings(&store), [], "seed {seed}, round {round}");
            }
        }
        store.upkeep().unwrap();
        let report = verify(&store, true);
        assert_eq!(report.findings, [], "seed {seed}");
        assert_eq!(figure(&report, "transactions"), workload.acknowledged() as u64);
        assert_eq!(figure(&report, "hashed_entries"), workload.acknowledged() as u64);
        assert_eq!(figure(&report, "log_bytes"), store.stats().files.unwrap_or_default().log_bytes);
        assert_eq!(figure(&report, "segments"), store.stats().files.unwrap_or_default().segments);
        assert_eq!(figure(&report, "side_files"), store.stats().files.unwrap_or_default().side_files);
        let names: Vec<&str> = report.figures.iter().map(|(name, _)| *name).collect();
        let order = "segments frames transactions records hashed_entries blobs blob_bytes blob_files blob_file_bytes side_files \
                     index_pages log_bytes set_aside_files";
        assert_eq!(names, order.split_whitespace().collect::<Vec<_>>());
        store.close().unwrap();
        drop(store);
        let store = open_simulated(&fs, seed + 2).unwrap();
        assert_eq!(findings(&store), [], "seed {seed}, closed and opened");
        workload.check(&store);
    }
}

#[test]
fn what_a_power_cut_leaves_behind_is_no_finding() {
    let mut set_aside = 0;
    for seed in 0..150 {
        let fs = SimulatedFs::new(seed);
        let mut workload = Workload::new(seed);
        for cut in 0..3 {
            let store = Arc::new(open_simulated(&fs, seed).unwrap());
            workload.check(&store);
            let report = verify(&store, false);
            assert_eq!(report.findings, [], "seed {seed}, cut {cut}");
            set_aside += figure(&report, "set_aside_files");
            fs.cut_power_at(fs.operations() + 20 + (seed * 7 + cut * 13) % 90);
            let work = |workload: &mut Workload| -> Result<(), StoreError> {
                loop {
                    workload.commit_some(&store)?;
                    store.upkeep()?;
                }
            };
            work(&mut workload).unwrap_err();
            drop(store);
            fs.power_cycle();
        }
    }
    assert!(set_aside > 0, "some tail was torn");
}

#[test]
fn verifying_goes_on_beside_writers_and_housekeeping() {
    let fs = SimulatedFs::new(1);
    let options = EmbeddedOptions {
        background: Background::Threads,
        clock: Arc::new(SystemClock),
        ..small_options(Arc::new(fs), 1)
    };
    let store = Arc::new(EmbeddedStore::open(Path::new(DIR), options).unwrap());
    let writer = {
        let store = Arc::clone(&store);
        std::thread::spawn(move || {
            let mut workload = Workload::new(1);
            (0..400).for_each(|_| workload.commit_some(&store).unwrap());
            workload
        })
    };
    let mut rounds = 0;
    while !writer.is_finished() || rounds < 3 {
        assert_eq!(findings(&store), [], "round {rounds}");
        rounds += 1;
    }
    let mut workload = writer.join().unwrap();
    assert_eq!(findings(&store), []);
    workload.check(&store);
}

#[test]
fn a_flipped_byte_anywhere_in_a_segment_is_found_and_never_served() {
    const CELLS: Keyspace = Keyspace::new(10, "cells");
    const SEEN: HashedKeyspace = HashedKeyspace::new(3, "seen");
    let fs = SimulatedFs::new(1);
    let store = open_simulated(&fs, 1).unwrap();
    let blob = Blob::new(b"what a blob holds".to_vec()).unwrap();
    for round in 0..4u8 {
        let blob = blob.clone();
        let body = move |tx: &mut dyn cairn_seam::WriteTx| {
            let key = [0, 0, 0, 1, round];
            tx.put(CELLS, &key, b"value").map_err(|_| cairn_seam::Aborted)?;
            tx.hashed_put(SEEN, &key, b"seen", None).map_err(|_| cairn_seam::Aborted)?;
            tx.put_blob(&blob).map(drop).map_err(|_| cairn_seam::Aborted)
        };
        store.write(TENANT, Box::new(body)).unwrap();
    }
    store.upkeep().unwrap();
    assert_eq!(findings(&store), []);
    let name = "segment-0000000001.log";
    let used = store.stats().files.unwrap_or_default().log_bytes;
    for at in 0..used {
        fs.flip(file(name), at);
        let found = findings(&store);
        assert_eq!(found.len(), 1, "byte {at}: {found:?}");
        assert_eq!(found[0].file, name);
        assert!(found[0].offset <= at && at < found[0].offset + 400, "byte {at}: {found:?}");
        let snapshot = store.snapshot(Position::START).unwrap();
        let read = snapshot.blobs(TENANT, &[blob.hash()], &mut |_, bytes| {
            assert_eq!(bytes, blob.bytes(), "byte {at}");
        });
        assert!(read.is_ok() || matches!(read, Err(StoreError::Damaged(_))));
        fs.flip(file(name), at);
    }
    assert_eq!(findings(&store), []);
}

#[test]
fn damage_in_two_segments_gives_two_findings_and_stays() {
    let (fs, store, workload) = worked(3, 5, false);
    let segments = names(&fs, "segment-");
    let [early, late] = [&segments[0], &segments[3]];
    let before: Vec<_> = [early, late].map(|name| fs.read_all(file(name)).unwrap()).into();
    fs.flip(file(early), 100);
    fs.flip(file(late), 2000);
    let damaged: Vec<_> = [early, late].map(|name| fs.read_all(file(name)).unwrap()).into();
    let report = verify(&store, true);
    let places: Vec<_> = report.findings.iter().map(|found| (&found.file, found.repaired)).collect();
    assert_eq!(places, [(early, false), (late, false)], "{:?}", report.findings);
    assert!(figure(&report, "transactions") + 20 > workload.acknowledged() as u64, "the rest was read");
    let after: Vec<_> = [early, late].map(|name| fs.read_all(file(name)).unwrap()).into();
    assert!(after == damaged && after != before, "primary data stays as it is");
}

#[test]
fn missing_and_short_segments_are_named() {
    let (fs, store, _) = worked(4, 5, false);
    let segments = names(&fs, "segment-");
    assert!(fs.remove_raw(file(&segments[1])));
    fs.corrupt(file(&segments[2]), |bytes| bytes.truncate(bytes.len() - 8));
    let found = verify(&store, true).findings;
    assert_eq!(found.len(), 2, "{found:?}");
    assert_eq!((&found[0].file, found[0].offset, found[0].repaired), (&segments[1], 0, false));
    assert_eq!(found[0].detail, "the file is missing");
    assert_eq!((&found[1].file, found[1].repaired), (&segments[2], false));
    assert!(found[1].detail.starts_with("the file ends at"), "{found:?}");
}

#[test]
fn every_page_of_a_side_file_is_looked_at_and_the_file_made_again() {
    let (fs, store, mut workload) = worked(5, 6, false);
    store.upkeep().unwrap();
    let sides = names(&fs, "side-");
    for side in &sides {
        let len = fs.read_all(file(side)).unwrap().len() as u64;
        for at in (0..len).step_by(509).chain(len.saturating_sub(90)..len) {
            fs.flip(file(side), at);
            let found = findings(&store);
            assert!(
                !found.is_empty() && found.iter().all(|found| found.file == *side),
                "{side} {at}: {found:?}"
            );
            if at < 4096 {
                assert_eq!((found[0].offset, &*found[0].detail), (0, "the page's checksum is wrong"), "{at}");
            }
            fs.flip(file(side), at);
        }
    }
    fs.flip(file(&sides[0]), 30);
    assert!(fs.remove_raw(file(&sides[1])));
    let found = verify(&store, true).findings;
    assert_eq!(
        found.iter().map(|found| &found.file).collect::<Vec<_>>(),
        [&sides[0], &sides[1]],
        "{found:?}"
    );
    assert!(found.iter().all(|found| found.repaired), "{found:?}");
    assert_eq!(found[1].detail, "the file is missing; made again from its segments");
    assert_eq!(findings(&store), []);
    workload.check(&store);
    drop(store);
    fs.process_kill();
    let store = open_simulated(&fs, 5).unwrap();
    assert_eq!(findings(&store), []);
    workload.check(&store);
}

#[test]
fn a_side_file_of_a_damaged_segment_is_not_made_again() {
    let (fs, store, _) = worked(5, 4, false);
    store.upkeep().unwrap();
    let (segment, side) = (&names(&fs, "segment-")[0], &names(&fs, "side-")[0]);
    fs.flip(file(segment), 200);
    fs.flip(file(side), 30);
    let found = verify(&store, true).findings;
    assert_eq!(found.iter().map(|found| &found.file).collect::<Vec<_>>(), [segment, side], "{found:?}");
    assert!(found.iter().all(|found| !found.repaired), "{found:?}");
    assert!(fs.exists(file(side)));
}

#[test]
fn a_side_file_that_tells_another_story_is_found_although_its_checksums_are_right() {
    let (fs, store, mut workload) = worked(6, 5, false);
    let sides = names(&fs, "side-");
    forge_side(&fs, &sides[0], |bytes, _| {
        // The last byte of the first entry's value.
        let value = usize::from(u16::from_le_bytes([bytes[8 + 24], bytes[8 + 25]]));
        assert!(value > 0);
        bytes[8 + 26 + value - 1] ^= 1;
    });
    let found = verify(&store, true).findings;
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!((&found[0].file, found[0].offset, found[0].repaired), (&sides[0], 0, true));
    assert!(found[0].detail.contains("differs from what the segments have"), "{found:?}");
    assert_eq!(findings(&store), []);
    workload.check(&store);
}

/// Changes a side file and puts its checksums right again, as those of format 1 are: of bytes alone.
fn forge_side(fs: &SimulatedFs, name: &str, change: impl FnOnce(&mut [u8], std::ops::Range<usize>)) {
    fs.corrupt(file(name), |bytes| {
        let footer = bytes.len() - 80;
        let number = |bytes: &[u8], at: usize| {
            usize::try_from(u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap())).unwrap()
        };
        let filter = footer - number(bytes, footer + 56)..footer;
        let tables = filter.start - number(bytes, footer + 48);
        change(bytes, filter);
        for page in bytes[..tables].chunks_exact_mut(4096) {
            let crc = crc32c::crc32c(&page[4..]);
            page[..4].copy_from_slice(&crc.to_le_bytes());
        }
        bytes[footer + 8..footer + 12].copy_from_slice(&1u32.to_le_bytes());
        let crc = u64::from(crc32c::crc32c(&bytes[tables..footer]));
        bytes[footer + 64..footer + 72].copy_from_slice(&crc.to_le_bytes());
        let crc = crc32c::crc32c_append(crc32c::crc32c(&bytes[footer..footer + 12]), &bytes[footer + 16..]);
        bytes[footer + 12..footer + 16].copy_from_slice(&crc.to_le_bytes());
    });
}

#[test]
fn a_filter_that_denies_an_entry_is_found() {
    let (fs, store, mut workload) = worked(6, 5, false);
    let side = names(&fs, "side-").remove(0);
    forge_side(&fs, &side, |_, _| ());
    assert_eq!(findings(&store), [], "the checksums are right");
    forge_side(&fs, &side, |bytes, filter| bytes[filter].fill(0));
    let found = verify(&store, true).findings;
    assert!(found.iter().all(|found| found.file == side && found.repaired), "{found:?}");
    assert!(found[0].detail.starts_with("the filter denies an entry that is there"), "{found:?}");
    assert_eq!(findings(&store), []);
    workload.check(&store);
}

#[test]
fn entries_that_expired_may_be_gone_from_merged_side_files() {
    const SEEN: HashedKeyspace = HashedKeyspace::new(3, "seen");
    let fs = SimulatedFs::new(1);
    let clock = Arc::new(ManualClock::new(1_700_000_000_000));
    let options =
        EmbeddedOptions { clock: Arc::clone(&clock) as _, ..small_options(Arc::new(fs.clone()), 1) };
    let store = EmbeddedStore::open(Path::new(DIR), options).unwrap();
    let mut written = 0u32;
    while store.stats().files.unwrap_or_default().segments < 3 {
        let number = written;
        let body = move |tx: &mut dyn cairn_seam::WriteTx| {
            let expires = number.is_multiple_of(2).then_some(1_700_000_000_500);
            tx.hashed_put(SEEN, &number.to_be_bytes(), &[7; 200], expires).map_err(|_| cairn_seam::Aborted)
        };
        store.write(TENANT, Box::new(body)).unwrap();
        written += 1;
    }
    clock.advance(Duration::from_secs(1));
    while store.stats().files.unwrap_or_default().segments < 5 {
        store
            .write(
                TENANT,
                Box::new(|tx| {
                    tx.emit(Event { kind: EventKind(1), body: vec![0; 900] }).map_err(|_| cairn_seam::Aborted)
                }),
            )
            .unwrap();
    }
    store.upkeep().unwrap();
    assert_eq!(store.stats().files.unwrap_or_default().side_files, 1, "they were merged");
    let side = names(&fs, "side-").remove(0);
    let bytes = fs.read_all(file(&side)).unwrap();
    let entries = u64::from_le_bytes(bytes[bytes.len() - 48..][..8].try_into().unwrap());
    assert!(entries < u64::from(written) && entries > 0, "{entries} of {written} are left");
    assert_eq!(findings(&store), []);
}

#[test]
fn every_byte_of_an_image_counts_and_a_bad_one_is_written_again() {
    let (fs, store, mut workload) = worked(7, 3, true);
    let image = names(&fs, "image-").remove(0);
    let len = fs.read_all(file(&image)).unwrap().len() as u64;
    for at in (0..len).step_by(97).chain(0..40).chain(len - 16..len) {
        fs.flip(file(&image), at);
        let found = findings(&store);
        assert_eq!(found.len(), 1, "byte {at}: {found:?}");
        assert!(found[0].file == image && found[0].offset <= at, "byte {at}: {found:?}");
        fs.flip(file(&image), at);
    }
    fs.corrupt(file(&image), |bytes| bytes.push(0));
    assert_eq!(findings(&store)[0].detail, "bytes follow the end of the image");
    for way in ["longer", "missing"] {
        let image = names(&fs, "image-").remove(0);
        if way == "missing" {
            assert!(fs.remove_raw(file(&image)));
        }
        let found = verify(&store, true).findings;
        assert_eq!(found.len(), 1, "{way}: {found:?}");
        assert!(found[0].file == image && found[0].repaired, "{way}: {found:?}");
        assert_eq!(findings(&store), [], "{way}");
        assert_ne!(names(&fs, "image-"), [image], "{way}");
    }
    workload.check(&store);
    drop(store);
    assert!(fs.remove_raw(file("index.redb")));
    fs.process_kill();
    let store = open_simulated(&fs, 7).unwrap();
    workload.check(&store);
}

/// Pages of the index file that are not zero, as offsets; checksum pages are left out.
fn index_pages(fs: &SimulatedFs) -> Vec<u64> {
    let bytes = fs.read_all(file("index.redb")).unwrap();
    let is_used = |page: &usize| bytes[page * 4096..][..4096].iter().any(|byte| *byte != 0);
    (1..bytes.len() / 4096)
        .filter(|page| page % 1025 != 0)
        .filter(is_used)
        .map(|page| page as u64 * 4096)
        .collect()
}

#[test]
fn a_flipped_byte_of_the_index_is_named_or_nobody_needs_it() {
    let (fs, store, mut workload) = worked(8, 4, false);
    store.apply_now().unwrap();
    let cells = try_read_cells(&store).unwrap();
    assert_eq!(findings(&store), []);
    let mut named = 0;
    let pages = index_pages(&fs);
    for page in &pages {
        for at in [7, 1000, 4090].map(|at| page + at) {
            fs.flip(file("index.redb"), at);
            let found = findings(&store);
            if let Some(found) = found.first() {
                assert_eq!((found.file.as_str(), found.offset), ("index.redb", *page), "byte {at}");
                named += 1;
            }
            assert!(try_read_cells(&store).map_or(true, |read| read == cells), "byte {at}");
            if found.is_empty() && at == page + 7 {
                let copy = SimulatedFs::new(1);
                let files = fs.list(Path::new(DIR)).unwrap();
                files.iter().for_each(|name| copy.write_raw(file(name), &fs.read_all(file(name)).unwrap()));
                let opened = open_simulated(&copy, 8).unwrap();
                assert_eq!(opened.open_report().rebuilt, None, "byte {at}");
                assert!(try_read_cells(&opened).unwrap() == cells, "byte {at}");
            }
            fs.flip(file("index.redb"), at);
        }
    }
    assert!(named >= 9, "{named} of {} pages", pages.len());
    // A checksum counts as much as a page.
    for word in [1, 2, 3] {
        fs.flip(file("index.redb"), word * 4 + 1);
        let found = findings(&store);
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!((found[0].file.as_str(), found[0].offset), ("index.redb", word * 4));
        fs.flip(file("index.redb"), word * 4 + 1);
    }
    assert!(!fs.exists(file("index.damaged")), "looking changes nothing");
    // Whole pages gone: a new index is made at once.
    fs.corrupt(file("index.redb"), |bytes| bytes[8192..40960].fill(0xaa));
    let found = verify(&store, true).findings;
    assert!(!found.is_empty() && found.iter().all(|found| found.file == "index.redb" && found.repaired));
    assert!(found[0].detail.ends_with("rebuilt from image and log"), "{found:?}");
    assert_eq!(findings(&store), []);
    drop(store);
    fs.process_kill();
    let store = open_simulated(&fs, 8).unwrap();
    assert_eq!(store.open_report().rebuilt, None);
    assert_eq!(findings(&store), []);
    workload.check(&store);
}

#[test]
fn a_damaged_index_is_not_given_up_while_the_log_is_damaged_too() {
    let (fs, store, _) = worked(9, 4, false);
    store.apply_now().unwrap();
    fs.corrupt(file("index.redb"), |bytes| bytes[8192..40960].fill(0xaa));
    fs.flip(file(&names(&fs, "segment-")[1]), 500);
    let found = verify(&store, true).findings;
    assert!(found.iter().any(|found| found.file == "index.redb"), "{found:?}");
    assert!(found.iter().all(|found| !found.repaired), "{found:?}");
    assert!(!fs.exists(file("index.damaged")), "the index could not be made again");
}

#[test]
fn strays_are_named_and_ours_removed() {
    let (fs, store, mut workload) = worked(10, 3, false);
    let ours = ["image-0000009999.img", "segment-0000009998.log", "side-0000009997.idx", "spare.new"];
    ours.iter().for_each(|name| fs.write_raw(file(name), b"left over"));
    fs.write_raw(file("notes.txt"), b"somebody's");
    fs.write_raw(file("torn-0000000001-64.bin"), b"set aside");
    fs.write_raw(file("lost-segment-0000000002.log"), b"set aside");
    ["cairn.toml", ".gitignore", "endpoints.json", "salvage-report.json"]
        .iter()
        .for_each(|name| fs.write_raw(file(name), b"the program's"));
    let report = verify(&store, true);
    assert_eq!(figure(&report, "set_aside_files"), 2);
    let found: Vec<_> = report.findings.iter().map(|found| (found.file.as_str(), found.repaired)).collect();
    assert_eq!(
        found,
        [(ours[0], true), ("notes.txt", false), (ours[1], true), (ours[2], true), (ours[3], true)]
    );
    assert!(ours.iter().all(|name| !fs.exists(file(name))));
    assert!(fs.exists(file("notes.txt")) && fs.exists(file("torn-0000000001-64.bin")));
    assert_eq!(findings(&store).len(), 1);
    workload.check(&store);
}

#[test]
fn a_changed_manifest_is_written_again() {
    let (fs, store, mut workload) = worked(11, 3, false);
    for at in (0..fs.read_all(file("MANIFEST")).unwrap().len() as u64).step_by(13) {
        fs.flip(file("MANIFEST"), at);
        let found = verify(&store, true).findings;
        assert_eq!(found.len(), 1, "byte {at}: {found:?}");
        assert!(found[0].file == "MANIFEST" && found[0].repaired, "byte {at}: {found:?}");
        assert_eq!(findings(&store), [], "byte {at}");
    }
    drop(store);
    fs.process_kill();
    workload.check(&open_simulated(&fs, 11).unwrap());
}

#[test]
fn findings_are_bounded() {
    let (fs, store, _) = worked(12, 2, false);
    (0..1500).for_each(|n| fs.write_raw(file(&format!("notes-{n:04}")), b""));
    let report = verify(&store, false);
    assert_eq!(report.findings.len(), 1000);
    assert_eq!(figure(&report, "findings_left_out"), 500);
    assert!(report.findings.is_sorted_by_key(|found| (&found.file, found.offset)));
}
