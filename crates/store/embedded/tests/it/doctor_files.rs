//! Verifying stores that are sealed or compacted, and blobs with files of their own.

use std::path::Path;
use std::sync::Arc;

use cairn_base::fs::{FileSystem, SimulatedFs};
use cairn_base::{Entropy, SeededEntropy, TenantId};
use cairn_embedded::EmbeddedStore;
use cairn_seam::{Aborted, Blob, LocalStore, Store, limits};

use crate::compact::{compact, old_store, open};
use crate::doctor::{figure, file, findings, names, verify};
use crate::kit::{DIR, open_sealed};
use crate::workload::Workload;

const TENANT: TenantId = TenantId(8);

fn upload(store: &EmbeddedStore, seed: u64) -> Blob {
    let mut bytes = vec![0; limits::BLOB_IN_COMMIT_BYTES_MAX + 100_000];
    SeededEntropy::new(seed).fill(&mut bytes);
    let mut upload = store.upload(TENANT).unwrap();
    upload.write(&bytes).unwrap();
    upload.finish().unwrap()
}

fn put_large(store: &EmbeddedStore, seed: u64) {
    let blob = upload(store, seed);
    let body = move |tx: &mut dyn cairn_seam::WriteTx| tx.put_blob(&blob).map(drop).map_err(|_| Aborted);
    store.write(TENANT, Box::new(body)).unwrap();
}

fn blob_files(fs: &SimulatedFs) -> Vec<String> {
    let names = fs.list(&file("blobs")).unwrap_or_default();
    names.into_iter().map(|name| format!("blobs/{name}")).collect()
}

/// Flips bytes of a file, one at a time, and expects each to be found, and in this file alone.
fn every_flip_is_found(store: &EmbeddedStore, fs: &SimulatedFs, name: &str, offsets: &[u64]) {
    for at in offsets {
        fs.flip(file(name), *at);
        let found = findings(store);
        assert!(!found.is_empty(), "{name} {at}");
        assert!(found.iter().all(|found| found.file == name && !found.repaired), "{name} {at}: {found:?}");
        fs.flip(file(name), *at);
    }
}

/// About so many offsets all over the first bytes of a file.
fn spread(bytes: u64, count: usize) -> Vec<u64> {
    (0..bytes).step_by(usize::try_from(bytes).unwrap() / count + 1).collect()
}

fn len_of(fs: &SimulatedFs, name: &str) -> u64 {
    fs.read_all(file(name)).unwrap().len() as u64
}

#[test]
fn a_sealed_store_is_clean_and_a_flipped_byte_in_any_kind_of_file_is_found() {
    let fs = SimulatedFs::new(1);
    let mut store = Arc::new(open_sealed(&fs, 1).unwrap());
    let mut workload = Workload::new(1);
    assert_eq!(findings(&store), [], "empty");
    while store.stats().files.unwrap_or_default().segments < 4 {
        workload.commit_some(&store).unwrap();
        store.upkeep().unwrap();
        assert_eq!(findings(&store), []);
    }
    store.write_image().unwrap();
    workload.commit_some(&store).unwrap();
    assert_eq!(findings(&store), [], "with an image");
    drop(store);
    fs.process_kill();
    store = Arc::new(open_sealed(&fs, 2).unwrap());
    store.apply_now().unwrap();
    let report = verify(&store, true);
    assert_eq!(report.findings, [], "opened again");
    assert!(figure(&report, "index_pages") > 3);
    assert_eq!(figure(&report, "transactions"), workload.acknowledged() as u64);

    for start in ["segment-", "side-", "image-"] {
        let name = names(&fs, start).remove(0);
        every_flip_is_found(&store, &fs, &name, &spread(len_of(&fs, &name), 40));
    }
    every_flip_is_found(&store, &fs, "MANIFEST", &spread(len_of(&fs, "MANIFEST"), 20));
    // Marks of the first pages: two homes of the header come before them.
    every_flip_is_found(&store, &fs, "index.redb", &[16_384 + 33, 16_384 + 40, 16_384 + 70]);
    let newest_home = [0, 8192].into_iter().filter(|home| {
        fs.flip(file("index.redb"), home + 1000);
        let found = findings(&store);
        fs.flip(file("index.redb"), home + 1000);
        found.first().is_some_and(|found| found.offset == *home && found.file == "index.redb")
    });
    assert_eq!(newest_home.count(), 1, "the other home is not needed");
    let bytes = fs.read_all(file("index.redb")).unwrap();
    let first_page = 16_384 + 8 * 4096;
    let used = (first_page..bytes.len()).step_by(4096).filter(|at| bytes[*at..at + 4096] != [0; 4096]);
    let named = used.filter(|at| {
        fs.flip(file("index.redb"), *at as u64 + 77);
        let found = findings(&store);
        fs.flip(file("index.redb"), *at as u64 + 77);
        assert!(found.iter().all(|found| found.offset == *at as u64), "{at}: {found:?}");
        !found.is_empty()
    });
    assert!(named.count() > 3, "pages that redb needs");
    assert_eq!(findings(&store), []);
    workload.check(&store);
    put_large(&store, 1);
    assert_eq!(figure(&verify(&store, false), "blob_files"), 1);
    let blob = blob_files(&fs).remove(0);
    every_flip_is_found(&store, &fs, &blob, &spread(len_of(&fs, &blob), 8));
    assert!(fs.remove_raw(file(&blob)));
    let found = findings(&store);
    assert_eq!((found.len(), &found[0].file), (1, &blob), "{found:?}");
}

/// A compacted store with packed segments, and what is alive in it.
fn compacted() -> (SimulatedFs, EmbeddedStore) {
    let (fs, clock, store) = old_store(1);
    assert_eq!(findings(&store), [], "before");
    let live: Vec<u64> = (0..60).filter(|number| number % 7 == 2 || *number == 29 || *number == 49).collect();
    assert!(compact(&store, &live).unwrap()["segments_rewritten"] >= 2);
    assert_eq!(findings(&store), [], "compacted");
    store.upkeep().unwrap();
    store.close().unwrap();
    drop(store);
    let store = open(&fs, &clock);
    compact(&store, &live).unwrap();
    let fewer: Vec<u64> = live.into_iter().filter(|number| *number > 20).collect();
    compact(&store, &fewer).unwrap();
    (fs, store)
}

/// Segments that frames were taken out of, with the offsets behind their last frames.
fn packed_segments(fs: &SimulatedFs) -> Vec<(String, u64)> {
    let packed = |name: String| {
        let bytes = fs.read_all(file(&name)).unwrap();
        let packed = u64::from_le_bytes(bytes[56..64].try_into().unwrap());
        (packed > 0).then_some((name, packed))
    };
    names(fs, "segment-").into_iter().filter_map(packed).collect()
}

#[test]
fn a_compacted_store_is_clean_and_damage_in_packed_segments_is_named() {
    let (fs, store) = compacted();
    let report = verify(&store, true);
    assert_eq!(report.findings, []);
    assert!(figure(&report, "blob_files") > 0);
    store.upkeep().unwrap();
    assert_eq!(findings(&store), [], "side files merged");
    let packed = packed_segments(&fs);
    assert!(packed.len() >= 2);
    for (name, frames_end) in &packed {
        every_flip_is_found(&store, &fs, name, &spread(*frames_end, 12));
        for at in (*frames_end..len_of(&fs, name)).step_by(7) {
            fs.flip(file(name), at);
            let found = findings(&store);
            assert_eq!(found.len(), 1, "{found:?}");
            assert_eq!((&found[0].file, found[0].offset), (name, *frames_end));
            assert!(found[0].detail.starts_with("the table behind the frames"), "{found:?}");
            fs.flip(file(name), at);
        }
    }
    // Behind a bad place the walk finds its way, whatever was taken out before.
    let (name, _) = &packed[0];
    let before = figure(&verify(&store, false), "transactions");
    fs.flip(file(name), 70);
    let report = verify(&store, true);
    assert_eq!((report.findings.len(), report.findings[0].offset), (1, 64), "{:?}", report.findings);
    assert!(figure(&report, "transactions") + 1 >= before);
    fs.flip(file(name), 70);
    assert_eq!(findings(&store), []);
}

#[test]
fn damaged_and_missing_blob_files_are_named_and_stay() {
    let (fs, store) = compacted();
    put_large(&store, 7);
    let files = blob_files(&fs);
    assert!(files.len() >= 2, "{files:?}");
    for name in &files {
        every_flip_is_found(&store, &fs, name, &spread(len_of(&fs, name), 8));
    }
    let second_chunk = 64 + limits::BLOB_CHUNK_BYTES as u64;
    fs.flip(file(&files[0]), second_chunk + 5);
    let bytes = fs.read_all(file(&files[1])).unwrap();
    assert!(fs.remove_raw(file(&files[1])));
    let found = verify(&store, true).findings;
    let places: Vec<_> = found.iter().map(|found| (&found.file, found.offset, found.repaired)).collect();
    assert_eq!(places, [(&files[0], second_chunk, false), (&files[1], 0, false)], "{found:?}");
    assert_eq!(found[1].detail, "the file of the blob is missing");
    fs.flip(file(&files[0]), second_chunk + 5);
    // Another blob under its name.
    fs.write_raw(file(&files[1]), &fs.read_all(file(&files[0])).unwrap());
    let found = findings(&store);
    assert!(found.iter().all(|found| found.file == files[1]), "{found:?}");
    assert_eq!(found[0].detail, "the file holds another blob");
    fs.write_raw(file(&files[1]), &bytes);
    assert_eq!(findings(&store), []);
}

#[test]
fn blob_files_that_no_commit_names_are_strays_unless_an_upload_holds_them() {
    let (fs, store) = compacted();
    let before = blob_files(&fs);
    let held = upload(&store, 3);
    let mut under_way = store.upload(TENANT).unwrap();
    under_way.write(&vec![1; 2 * limits::BLOB_IN_COMMIT_BYTES_MAX]).unwrap();
    assert_eq!(blob_files(&fs).len(), before.len() + 2);
    assert_eq!(verify(&store, true).findings, []);
    let stray = format!("blobs/{}.blob", "5".repeat(32));
    fs.write_raw(file(&stray), b"left over");
    fs.write_raw(file("blobs/notes.txt"), b"somebody's");
    fs.write_raw(file("cairn.sock"), b"");
    fs.write_raw(file("cairn.sock.path"), b"");
    let found = verify(&store, true).findings;
    let places: Vec<_> = found.iter().map(|found| (found.file.as_str(), found.repaired)).collect();
    assert_eq!(places, [(stray.as_str(), true), ("blobs/notes.txt", false)], "{found:?}");
    assert!(!fs.exists(file(&stray)) && fs.exists(Path::new(DIR).join("blobs/notes.txt")));
    assert_eq!(blob_files(&fs).len(), before.len() + 3, "uploads and notes stay");
    drop((held, under_way));
    assert_eq!(blob_files(&fs).len(), before.len() + 1);
    assert_eq!(findings(&store).len(), 1);
}

#[test]
fn uploads_that_are_given_up_while_large_blobs_are_read_are_no_findings() {
    let fs = SimulatedFs::new(1);
    let store = open_sealed(&fs, 1).unwrap();
    (1..=6).for_each(|seed| put_large(&store, seed));
    let mut held: Vec<Blob> = (7..=14).map(|seed| upload(&store, seed)).collect();
    let mut on_stage = |stage: cairn_seam::Stage<'_>| {
        // Some of the files are behind the one that is being read.
        if stage.name == "reading large blobs" && stage.done > 0 {
            held.clear();
        }
        true
    };
    let job = cairn_seam::Maintenance::Verify { repair: false };
    let report = store.maintain(&job, &mut on_stage).unwrap();
    assert_eq!(report.findings, []);
    assert!(figure(&report, "blob_files") < 14, "some went before they were read");
    assert_eq!(blob_files(&fs).len(), 6);
}
