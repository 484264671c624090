//! Backups and what comes of them: the same store, or a refusal that names the place.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cairn_base::fs::{Fault, FileSystem, SimulatedFs, SystemFs};
use cairn_base::{Entropy, Position, SeededEntropy, TenantId};
use cairn_embedded::{
    Background, EmbeddedOptions, EmbeddedStore, RESTORE_MARK, RestoreHow, Restored, restore,
};
use cairn_seam::{Blob, Change, Keyspace, LocalStore, Maintenance, Stage, Store, StoreError, get, write};

use crate::kit::{DIR, key, open_sealed, open_simulated, small_options};
use crate::workload::Workload;

const BACKUP: &str = "backups/one";
const UNFINISHED: &str = "backups/one.unfinished";
const RESTORED: &str = "restored/store";

/// Makes a backup; yields the position that it reports.
fn back_up(
    store: &EmbeddedStore,
    on_stage: &mut dyn FnMut(Stage<'_>) -> bool,
) -> Result<Position, StoreError> {
    let report = store.maintain(&Maintenance::Backup { to: BACKUP.into(), skip_damaged: false }, on_stage)?;
    assert!(report.findings.is_empty());
    let (name, position) = report.figures[0];
    assert_eq!(name, "position");
    Ok(Position::from_stored(position))
}

fn try_restore(fs: &SimulatedFs) -> Result<Restored, StoreError> {
    let options = small_options(Arc::new(fs.clone()), 7);
    restore(Path::new(BACKUP), Path::new(RESTORED), &options, RestoreHow::default(), &mut |_| true)
}

fn open_restored(fs: &SimulatedFs) -> Result<EmbeddedStore, StoreError> {
    EmbeddedStore::open(Path::new(RESTORED), small_options(Arc::new(fs.clone()), 8))
}

/// A store with several segments and an image, and what it should hold.
fn lived(seed: u64, groups: usize) -> (SimulatedFs, Arc<EmbeddedStore>, Workload) {
    let fs = SimulatedFs::new(seed);
    fs.create_dir(Path::new("backups")).unwrap();
    let store = Arc::new(open_simulated(&fs, seed).unwrap());
    let mut workload = Workload::new(seed);
    for group in 0..groups {
        workload.commit_some(&store).unwrap();
        match group % 8 {
            3 => drop(store.upkeep().unwrap()),
            6 => drop(store.write_image().unwrap()),
            _ => {}
        }
    }
    (fs, store, workload)
}

/// A disk with a small backup on it and nothing else, and the backup's bytes.
fn small_backup() -> (SimulatedFs, Vec<u8>) {
    let (fs, store, _) = lived(5, 3);
    store.write_image().unwrap();
    back_up(&store, &mut |_| true).unwrap();
    let bytes = fs.read_all(BACKUP).unwrap();
    let fs = SimulatedFs::new(1);
    fs.write_raw(BACKUP, &bytes);
    (fs, bytes)
}

fn changes(store: &EmbeddedStore) -> Vec<Change> {
    let mut all = Vec::new();
    let mut after = Position::START;
    loop {
        let page = store.changes(after, None, 5).unwrap();
        all.extend(page.changes);
        after = page.next;
        if page.at_end {
            return all;
        }
    }
}

fn names(fs: &SimulatedFs, dir: &str) -> Vec<String> {
    fs.list(Path::new(dir)).unwrap_or_default()
}

/// The lines of a manifest that never change.
fn identity(fs: &SimulatedFs, dir: &str) -> Vec<String> {
    let text = String::from_utf8(fs.read_all(Path::new(dir).join("MANIFEST")).unwrap()).unwrap();
    text.lines().skip(1).take(2).map(str::to_owned).collect()
}

#[test]
fn a_backup_holds_the_state_of_its_position_while_writing_goes_on() {
    for seed in 1..=30 {
        let (fs, store, mut workload) = lived(seed, 3 + usize::try_from(seed).unwrap());
        let at = store.position();
        let mut expected = workload.copy();
        let mut stages = 0;
        let mut last = 0;
        let reported = back_up(&store, &mut |stage| {
            assert!(last <= stage.done && stage.done <= stage.total, "{stage:?} after {last}");
            last = stage.done;
            workload.commit_some(&store).unwrap();
            match stages % 3 {
                0 => drop(store.write_image().unwrap()),
                1 => drop(store.upkeep().unwrap()),
                _ => {}
            }
            stages += 1;
            true
        });
        assert_eq!(reported.unwrap(), at, "seed {seed}");
        assert_eq!(last, fs.read_all(BACKUP).unwrap().len() as u64, "the last stage is the end");
        assert!(stages > 2 && store.position() > at);
        let images = names(&fs, DIR).iter().filter(|name| name.starts_with("image-")).count();
        assert_eq!(images, 1, "those that were kept for the backup are gone");
        assert_eq!(names(&fs, "backups"), ["one"]);

        let restored = try_restore(&fs).unwrap();
        assert_eq!(restored.position, at);
        assert_eq!(identity(&fs, DIR), identity(&fs, RESTORED), "it is the same store");
        assert!(names(&fs, RESTORED).iter().all(|name| !name.starts_with("side-") && name != "index.redb"));
        let copy = Arc::new(open_restored(&fs).unwrap());
        assert_eq!(copy.position(), at);
        let before = |change: &Change| change.position <= at;
        let original: Vec<Change> = changes(&store).into_iter().filter(before).collect();
        assert_eq!(changes(&copy), original, "seed {seed}");
        expected.check(&copy);
        // It goes on by itself, and so does the first one.
        expected.commit_some(&copy).unwrap();
        copy.close().unwrap();
        drop(copy);
        expected.check(&open_restored(&fs).unwrap());
        workload.check(&store);
    }
}

#[test]
fn a_backup_of_a_store_that_holds_nothing() {
    let fs = SimulatedFs::new(1);
    fs.create_dir(Path::new("backups")).unwrap();
    let store = open_simulated(&fs, 1).unwrap();
    assert_eq!(back_up(&store, &mut |_| true).unwrap(), Position::START);
    try_restore(&fs).unwrap();
    let copy = open_restored(&fs).unwrap();
    assert_eq!((copy.position(), identity(&fs, RESTORED)), (Position::START, identity(&fs, DIR)));
}

#[test]
fn a_backup_of_a_restored_store_is_as_good() {
    let (fs, store, mut workload) = lived(3, 20);
    back_up(&store, &mut |_| true).unwrap();
    try_restore(&fs).unwrap();
    let copy = Arc::new(open_restored(&fs).unwrap());
    workload.check(&copy);
    workload.commit_some(&copy).unwrap();
    let second = Path::new("backups/two");
    copy.maintain(&Maintenance::Backup { to: second.into(), skip_damaged: false }, &mut |_| true).unwrap();
    let options = small_options(Arc::new(fs.clone()), 7);
    restore(second, Path::new("third"), &options, RestoreHow::default(), &mut |_| true).unwrap();
    workload.check(&EmbeddedStore::open(Path::new("third"), options).unwrap());
}

#[test]
fn on_a_real_disk_with_threads_a_backup_is_a_prefix() {
    const TENANT: TenantId = TenantId(1);
    const NUMBERS: Keyspace = Keyspace::new(10, "numbers");
    let key = |n: u32| [TENANT.0.to_be_bytes(), n.to_be_bytes()].concat();
    let folder = tempfile::tempdir().unwrap();
    let path = |name: &str| -> PathBuf { folder.path().join(name) };
    let options = EmbeddedOptions {
        background: Background::Threads,
        segment_bytes: 256 << 10,
        ..small_options(Arc::new(SystemFs), 1)
    };
    let store = EmbeddedStore::open(&path("store"), options.clone()).unwrap();
    let stop = AtomicBool::new(false);
    let mut positions = Vec::new();
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut written = Vec::new();
            while !stop.load(Ordering::Relaxed) || written.len() < 200 {
                let n = u32::try_from(written.len()).unwrap();
                let value = vec![7; 2000];
                written.push(write(&store, TENANT, move |tx| tx.put(NUMBERS, &key(n), &value)).unwrap().1);
            }
            written
        });
        for round in 0..4 {
            while store.position() < Position::from_stored(300_000 * round) {
                std::thread::yield_now();
            }
            if round == 2 {
                store.write_image().unwrap();
            }
            let to = path(&format!("backup-{round}"));
            let report =
                store.maintain(&Maintenance::Backup { to, skip_damaged: false }, &mut |_| true).unwrap();
            positions.push(Position::from_stored(report.figures[0].1));
        }
        stop.store(true, Ordering::Relaxed);
        let written = writer.join().unwrap();
        for (round, at) in positions.iter().enumerate() {
            let dir = path(&format!("restored-{round}"));
            let backup = path(&format!("backup-{round}"));
            assert_eq!(
                restore(&backup, &dir, &options, RestoreHow::default(), &mut |_| true).unwrap().position,
                *at
            );
            let copy = EmbeddedStore::open(&dir, options.clone()).unwrap();
            assert_eq!(copy.position(), *at, "round {round}");
            let snapshot = copy.snapshot(Position::START).unwrap();
            for (n, position) in written.iter().enumerate() {
                let found = get(&*snapshot, NUMBERS, &key(u32::try_from(n).unwrap())).unwrap();
                assert_eq!(found.is_some(), position <= at, "number {n} in round {round}");
            }
        }
    });
    store.close().unwrap();
}

/// What a refusal says about where.
fn refused(fs: &SimulatedFs, what: &str) -> u64 {
    let before = fs.operations();
    let error = try_restore(fs).expect_err(what);
    assert_eq!(fs.operations(), before, "{what}: nothing was written");
    assert!(!fs.is_dir(RESTORED), "{what}: {:?}", names(fs, RESTORED));
    let StoreError::Damaged(at) = error else { panic!("{what}: {error}") };
    assert_eq!(at.file, Path::new(BACKUP), "{what}");
    at.offset
}

#[test]
fn every_flipped_byte_is_refused_with_its_place() {
    let (fs, bytes) = small_backup();
    assert!(bytes.len() < 16 << 10, "{} bytes take long", bytes.len());
    for at in 0..bytes.len() as u64 {
        fs.flip(BACKUP, at);
        let named = refused(&fs, &format!("byte {at}"));
        assert!(named <= at, "flipped {at}, named {named}");
        fs.flip(BACKUP, at);
    }
    try_restore(&fs).unwrap();
}

#[test]
fn every_truncation_and_every_addition_is_refused_with_its_place() {
    let (fs, bytes) = small_backup();
    for len in 0..bytes.len() {
        fs.write_raw(BACKUP, &bytes[..len]);
        assert_eq!(refused(&fs, &format!("cut at {len}")), len as u64);
    }
    fs.write_raw(BACKUP, &[&bytes[..], &[0]].concat());
    assert_eq!(refused(&fs, "a byte more"), bytes.len() as u64);
}

#[test]
fn a_file_of_many_chunks_is_whole_and_the_damaged_chunk_is_named() {
    const TENANT: TenantId = TenantId(1);
    let fs = SimulatedFs::new(1);
    fs.create_dir(Path::new("backups")).unwrap();
    let options = EmbeddedOptions { segment_bytes: 8 << 20, ..small_options(Arc::new(fs.clone()), 1) };
    let store = EmbeddedStore::open(Path::new(DIR), options).unwrap();
    let noise = |seed| {
        let mut bytes = vec![0; 1_000_000];
        SeededEntropy::new(seed).fill(&mut bytes);
        Blob::new(bytes).unwrap()
    };
    let blobs: Vec<Blob> = (0..5).map(noise).collect();
    for blob in blobs.clone() {
        write(&store, TENANT, move |tx| tx.put_blob(&blob)).unwrap();
    }
    back_up(&store, &mut |_| true).unwrap();
    try_restore(&fs).unwrap();
    let copy = open_restored(&fs).unwrap();
    let hashes: Vec<_> = blobs.iter().map(Blob::hash).collect();
    let mut found = 0;
    let mut check = |index: usize, bytes: Option<&[u8]>| {
        assert!(bytes == blobs[index].bytes(), "blob {index}");
        found += 1;
    };
    copy.snapshot(Position::START).unwrap().blobs(TENANT, &hashes, &mut check).unwrap();
    assert_eq!(found, blobs.len());

    let manifest_bytes = u64::from_le_bytes(fs.read_all(BACKUP).unwrap()[32..40].try_into().unwrap());
    // Behind the head, the manifest with its header and checksum, and the segment's header.
    let first = 24 + (16 + 8) + (4 + manifest_bytes) + (16 + 22);
    let fs_with = |at: u64| {
        let damaged = SimulatedFs::new(1);
        damaged.write_raw(BACKUP, &fs.read_all(BACKUP).unwrap());
        damaged.flip(BACKUP, at);
        damaged
    };
    for chunk in 0..4 {
        let start = first + chunk * ((1 << 20) + 4);
        for at in [start, start + 4, start + (1 << 20) + 3] {
            assert_eq!(refused(&fs_with(at), &format!("byte {at}")), start);
        }
    }
}

/// A container by the drawing in `docs/format.md`, with every checksum right.
fn forge(format: u32, position: u64, files: &[(&[u8], &[u8])]) -> Vec<u8> {
    let mut out = b"CAIRNBAK".to_vec();
    out.extend(format.to_le_bytes());
    let crc = crc32c::crc32c(&[&out[..], &position.to_le_bytes()].concat());
    out.extend(crc.to_le_bytes());
    out.extend(position.to_le_bytes());
    let mut table = Vec::new();
    for (name, content) in files {
        let name_len = u16::try_from(name.len()).unwrap().to_le_bytes();
        let len = (content.len() as u64).to_le_bytes();
        table.extend([&(out.len() as u64).to_le_bytes(), &len, &name_len[..], name].concat());
        let head = [&name_len[..], &[0, 0], &len, name].concat();
        out.extend(crc32c::crc32c(&head).to_le_bytes());
        out.extend(head);
        for chunk in content.chunks(1 << 20) {
            out.extend(crc32c::crc32c(chunk).to_le_bytes());
            out.extend(chunk);
        }
    }
    out.extend(&table);
    out.extend(b"CAIRNEND");
    out.extend((table.len() as u64).to_le_bytes());
    let digest = blake3::hash(&out);
    out.extend(digest.as_bytes());
    out
}

/// The files that a restored store starts from, the manifest first.
fn files_in_backup(fs: &SimulatedFs) -> Vec<(Vec<u8>, Vec<u8>)> {
    try_restore(fs).unwrap();
    let mut names = names(fs, RESTORED);
    names.retain(|name| name.starts_with("segment-"));
    names.insert(0, "MANIFEST".into());
    names.extend(self::names(fs, RESTORED).into_iter().filter(|name| name.starts_with("image-")));
    let file = |name: &String| fs.read_all(Path::new(RESTORED).join(name)).unwrap();
    names.iter().map(|name| (name.clone().into_bytes(), file(name))).collect()
}

fn forge_again(format: u32, position: u64, files: &[(Vec<u8>, Vec<u8>)]) -> Vec<u8> {
    let files: Vec<(&[u8], &[u8])> = files.iter().map(|(name, bytes)| (&name[..], &bytes[..])).collect();
    forge(format, position, &files)
}

#[test]
fn hostile_names_with_right_checksums_are_refused() {
    let (fs, bytes) = small_backup();
    let files = files_in_backup(&fs);
    let position = u64::from_le_bytes(bytes[16..24].try_into().unwrap());
    assert!(forge_again(1, position, &files) == bytes, "the forger knows the format");
    let hostile: [&[u8]; 12] = [
        b"../evil",
        b"/evil",
        b"restored/evil",
        b"..",
        b"",
        b"LOCK",
        b"MANIFEST",
        b"index.redb",
        b"segment-1.log",
        b"segment-0000000001.log\0",
        b"segment-\xff\xfe.log",
        &[b'a'; 300],
    ];
    let tree = |fs: &SimulatedFs| {
        [".", "", "..", "restored", "backups", "/"].map(|dir| fs.list(Path::new(dir)).unwrap_or_default())
    };
    for name in hostile {
        for index in 0..files.len() {
            let fs = SimulatedFs::new(1);
            let mut files = files.clone();
            files[index].0 = name.to_vec();
            if index == 0 && name == b"MANIFEST" {
                continue;
            }
            fs.write_raw(BACKUP, &forge_again(1, position, &files));
            let before = tree(&fs);
            let named = refused(&fs, &format!("{:?} as name of file {index}", String::from_utf8_lossy(name)));
            let before_it = files[..index].iter().map(|(name, bytes)| 16 + name.len() + 4 + bytes.len());
            assert_eq!(named, 24 + before_it.sum::<usize>() as u64, "at its header, not later");
            assert_eq!(tree(&fs), before);
        }
    }
}

#[test]
fn files_that_are_missing_twice_there_or_of_another_length_are_refused() {
    let (fs, bytes) = small_backup();
    let files = files_in_backup(&fs);
    assert!(files.len() > 2, "a manifest, a segment, an image");
    let position = u64::from_le_bytes(bytes[16..24].try_into().unwrap());
    let mut odd = vec![files.clone(); 5];
    odd[0].pop();
    odd[1].push(files[1].clone());
    odd[2].swap(1, 2);
    odd[3][1].1.pop();
    odd[4].clear();
    for (row, files) in odd.iter().enumerate() {
        let fs = SimulatedFs::new(1);
        fs.write_raw(BACKUP, &forge_again(1, position, files));
        refused(&fs, &format!("row {row}"));
    }
}

#[test]
fn lengths_from_outside_are_bounded_by_the_file() {
    let (fs, bytes) = small_backup();
    // The manifest's header stands behind the head.
    for claimed in [u64::MAX, u64::MAX - 24, 1 << 50, 65 << 20] {
        let mut bytes = bytes.clone();
        bytes[32..40].copy_from_slice(&claimed.to_le_bytes());
        let crc = crc32c::crc32c(&bytes[28..48]);
        bytes[24..28].copy_from_slice(&crc.to_le_bytes());
        fs.write_raw(BACKUP, &bytes);
        assert_eq!(refused(&fs, &format!("{claimed} bytes")), bytes.len() as u64);
    }
}

#[test]
fn a_newer_format_and_a_file_that_is_no_backup_are_refused_in_words() {
    let (fs, bytes) = small_backup();
    let files = files_in_backup(&fs);
    let fs = SimulatedFs::new(1);
    fs.write_raw(BACKUP, &forge_again(3, 64, &files));
    let error = try_restore(&fs).unwrap_err();
    assert!(matches!(error, StoreError::NewerFormat { found: 3, known: 2, .. }), "{error}");
    fs.write_raw(BACKUP, &forge_again(2, 64, &files));
    refused(&fs, "format 2 without its list");
    fs.write_raw(BACKUP, &forge_again(0, 64, &files));
    assert_eq!(refused(&fs, "format 0"), 0);
    fs.write_raw(BACKUP, &[b"dear diary, this is no backup", &bytes[..]].concat());
    let error = try_restore(&fs).unwrap_err();
    assert!(error.to_string().contains("no backup of cairn"), "{error}");
    assert!(fs.remove_raw(BACKUP));
    assert!(matches!(try_restore(&fs), Err(StoreError::Io { .. })));
}

#[test]
fn a_directory_that_holds_anything_is_refused_and_untouched() {
    for file in ["letter.txt", "MANIFEST", "segment-0000000001.log", "sub/deep"] {
        let (fs, _) = small_backup();
        let path = Path::new(RESTORED).join(file);
        fs.write_raw(&path, b"dear");
        let before = (names(&fs, RESTORED), fs.operations());
        let error = try_restore(&fs).unwrap_err();
        assert!(
            matches!(&error, StoreError::Occupied { path, .. } if path == Path::new(RESTORED)),
            "{error}"
        );
        assert_eq!((names(&fs, RESTORED), fs.operations()), before);
        assert_eq!(fs.read_all(&path).unwrap(), b"dear");
    }
}

#[test]
fn a_lock_that_nobody_holds_is_no_obstacle_and_one_that_is_held_is() {
    let (fs, _) = small_backup();
    let lock = Path::new(RESTORED).join("LOCK");
    fs.write_raw(&lock, b"process 1");
    let guard = fs.lock(&lock, "process 2").unwrap();
    assert!(matches!(try_restore(&fs), Err(StoreError::Locked { .. })));
    assert_eq!(names(&fs, RESTORED), ["LOCK"]);
    drop(guard);
    try_restore(&fs).unwrap();
}

#[test]
fn a_name_that_is_taken_is_refused_and_a_leftover_is_removed() {
    let (fs, store, _) = lived(1, 3);
    fs.write_raw(BACKUP, b"precious");
    let error = back_up(&store, &mut |_| true).unwrap_err();
    assert!(matches!(&error, StoreError::Occupied { path, .. } if path == Path::new(BACKUP)), "{error}");
    assert_eq!(fs.read_all(BACKUP).unwrap(), b"precious");
    assert!(fs.remove_raw(BACKUP));
    fs.write_raw(UNFINISHED, b"left behind by a power cut");
    // Taken only while the backup is under way.
    let error = back_up(&store, &mut |_| {
        fs.write_raw(BACKUP, b"quicker");
        true
    });
    assert!(matches!(error, Err(StoreError::Occupied { .. })));
    assert_eq!(
        (fs.read_all(BACKUP).unwrap(), names(&fs, "backups")),
        (b"quicker".to_vec(), vec!["one".into()])
    );
}

#[test]
fn whoever_waits_can_stop_both_and_nothing_is_left() {
    let (fs, store, mut workload) = lived(1, 20);
    for after in 0..4 {
        let mut left = after;
        let mut stop = |_: Stage<'_>| {
            left -= 1;
            left >= 0
        };
        assert!(matches!(back_up(&store, &mut stop), Err(StoreError::Stopped)));
        assert!(names(&fs, "backups").is_empty());
    }
    workload.commit_some(&store).unwrap();
    back_up(&store, &mut |_| true).unwrap();
    let options = small_options(Arc::new(fs.clone()), 7);
    for after in 0..4 {
        let mut left = after;
        let mut stop = |_: Stage<'_>| {
            left -= 1;
            left >= 0
        };
        let stopped =
            restore(Path::new(BACKUP), Path::new(RESTORED), &options, RestoreHow::default(), &mut stop);
        assert!(matches!(stopped, Err(StoreError::Stopped)));
        assert!(!fs.is_dir(RESTORED));
    }
    store.close().unwrap();
    assert!(fs.remove_raw(BACKUP));
    assert!(matches!(back_up(&store, &mut |_| true), Err(StoreError::Closed)));
    assert!(names(&fs, "backups").is_empty());
}

#[test]
fn without_room_neither_starts() {
    let (fs, store, _) = lived(1, 5);
    fs.set_free_bytes(1000);
    assert!(matches!(back_up(&store, &mut |_| true), Err(StoreError::StorageFull { .. })));
    assert!(names(&fs, "backups").is_empty());
    fs.set_free_bytes(1 << 30);
    back_up(&store, &mut |_| true).unwrap();
    fs.set_free_bytes(1000);
    assert!(matches!(try_restore(&fs), Err(StoreError::StorageFull { .. })));
    assert!(!fs.is_dir(RESTORED) && !fs.is_dir("restored"), "not even its parent");
    fs.create_dir(Path::new(RESTORED)).unwrap();
    assert!(matches!(try_restore(&fs), Err(StoreError::StorageFull { .. })));
    assert!(fs.is_dir_empty(Path::new(RESTORED)).unwrap(), "as it was");
}

/// Backs up with a trouble after so many operations; `false` when it came too late to matter.
fn backup_in_trouble(seed: u64, after: u64, fault: Option<Fault>) -> bool {
    let (fs, store, mut workload) = lived(seed, 12);
    let expected = workload.copy();
    let at = fs.operations() + after;
    match fault {
        None => fs.cut_power_at(at),
        Some(fault) => fs.inject(at, fault),
    }
    let mut stages = 0;
    let backed_up = back_up(&store, &mut |_| {
        stages += 1;
        if stages == 2 {
            // Whether this was acknowledged is in the workload.
            let _ = workload.commit_some(&store);
        }
        true
    });
    let in_time = fs.operations() > at || !fs.is_powered();
    if backed_up.is_err() && fs.is_powered() {
        assert!(
            names(&fs, "backups").is_empty(),
            "a failed backup leaves nothing: {:?}",
            names(&fs, "backups")
        );
    }
    drop(store);
    match fault {
        None => fs.power_cycle(),
        Some(_) => fs.process_kill(),
    }
    let store = Arc::new(open_simulated(&fs, seed).unwrap());
    workload.check(&store);
    let strays = names(&fs, DIR).into_iter().filter(|name| name.starts_with("image-")).count();
    assert!(strays <= 1, "opening removes images that nothing lists");
    let found = names(&fs, "backups");
    assert!(found.iter().all(|name| [BACKUP, UNFINISHED].contains(&format!("backups/{name}").as_str())));
    if fs.exists(BACKUP) {
        // Its name is given last: then it is whole, whether somebody was told or not.
        let mut expected = expected.copy();
        try_restore(&fs).unwrap();
        expected.check(&open_restored(&fs).unwrap());
        assert!(fs.remove_raw(BACKUP));
    } else {
        assert!(backed_up.is_err(), "a backup that was reported is there");
    }
    back_up(&store, &mut |_| true).unwrap();
    assert_eq!(names(&fs, "backups"), ["one"]);
    in_time
}

#[test]
fn power_cuts_at_every_operation_of_a_backup() {
    for seed in 1..=6 {
        let mut after = 0;
        while backup_in_trouble(seed, after, None) {
            after += 1;
        }
        assert!(after > 10, "{after} operations");
    }
}

#[test]
fn every_operation_of_a_backup_failed_once() {
    for fault in [Fault::Error, Fault::Torn, Fault::Full] {
        let mut after = 0;
        while backup_in_trouble(4, after, Some(fault)) {
            after += 1;
        }
        assert!(after > 10, "{after} operations");
    }
}

/// Restores a store with a large blob while there is trouble after so many operations; `false` when it came
/// too late to matter.
fn restore_in_trouble(
    backup: &[u8],
    workload: &Workload,
    after: u64,
    fault: Option<Fault>,
    prove: bool,
) -> bool {
    let how = RestoreHow { prove, ..RestoreHow::default() };
    let fs = SimulatedFs::new(1 + after);
    let options = small_options(Arc::new(fs.clone()), 7);
    fs.write_raw(BACKUP, backup);
    match fault {
        None => fs.cut_power_at(after),
        Some(fault) => fs.inject(after, fault),
    }
    let restored = restore(Path::new(BACKUP), Path::new(RESTORED), &options, how, &mut |_| true);
    let in_time = fs.operations() > after || !fs.is_powered();
    if !in_time {
        assert!(restored.is_ok(), "{restored:?}");
        return false;
    }
    if restored.is_err() && fs.is_powered() {
        assert!(!fs.is_dir(RESTORED), "after {after} {fault:?}: {:?}", fs.entries(Path::new(RESTORED)));
    }
    fs.power_cycle();
    let left = fs.entries(Path::new(RESTORED)).unwrap_or_default();
    let is_marked = left.iter().any(|name| name == RESTORE_MARK);
    let is_store = !is_marked && left.iter().any(|name| name == "MANIFEST");
    if is_marked {
        let error = open_restored(&fs).map(drop).unwrap_err();
        assert!(matches!(error, StoreError::UnfinishedRestore { .. }), "{error}");
        assert!(restored.is_err(), "what was reported as restored counts");
    } else {
        assert!(is_store || left.iter().all(|name| name == "LOCK"), "half a store: {left:?}");
        assert!(is_store || restored.is_err(), "what was reported as restored is there");
    }
    if !is_store {
        // Whatever is left does not stand in the way of another attempt.
        restore(Path::new(BACKUP), Path::new(RESTORED), &options, how, &mut |_| true).unwrap();
    }
    workload.copy().check(&open_restored(&fs).unwrap());
    true
}

#[test]
fn power_cuts_and_faults_at_every_operation_of_a_restore() {
    for (seed, prove) in [(1, false), (2, true)] {
        let (fs, store, workload) = lived(seed, 20);
        let mut upload = store.upload(TenantId(8)).unwrap();
        upload.write(&vec![3; (1 << 20) + 1]).unwrap();
        let blob = upload.finish().unwrap();
        write(&*store, TenantId(8), move |tx| tx.put_blob(&blob)).unwrap();
        back_up(&store, &mut |_| true).unwrap();
        let bytes = fs.read_all(BACKUP).unwrap();
        for fault in [None, Some(Fault::Error), Some(Fault::Torn), Some(Fault::Full)] {
            let mut after = 0;
            while restore_in_trouble(&bytes, &workload, after, fault, prove) {
                after += 1;
            }
            assert!(after > 20, "{after} operations");
        }
    }
}

#[test]
fn a_leftover_with_a_file_of_somebody_else_is_left_alone() {
    let (fs, _) = small_backup();
    fs.write_raw(Path::new(RESTORED).join(RESTORE_MARK), b"");
    for file in ["MANIFEST", "segment-0000000001.log", "letter.txt"] {
        fs.write_raw(Path::new(RESTORED).join(file), b"dear");
    }
    let before = names(&fs, RESTORED);
    let error = try_restore(&fs).unwrap_err();
    assert!(matches!(error, StoreError::Occupied { .. }), "{error}");
    assert_eq!(names(&fs, RESTORED), before);
    assert!(fs.remove_raw(Path::new(RESTORED).join("letter.txt")));
    try_restore(&fs).unwrap();
    assert!(!names(&fs, RESTORED).contains(&RESTORE_MARK.to_owned()));
    open_restored(&fs).unwrap();
}

#[test]
fn a_store_that_does_not_open_with_its_key_is_not_left_behind() {
    let fs = SimulatedFs::new(1);
    fs.create_dir(Path::new("backups")).unwrap();
    let store = Arc::new(open_sealed(&fs, 1).unwrap());
    Workload::new(1).commit_some(&store).unwrap();
    back_up(&store, &mut |_| true).unwrap();
    let how = RestoreHow { prove: true, ..RestoreHow::default() };
    let before = fs.operations();
    for (with, fits) in [(None, false), (Some(2), false), (Some(1), true)] {
        let options = EmbeddedOptions { key: with.map(key), ..small_options(Arc::new(fs.clone()), 7) };
        let restored = restore(Path::new(BACKUP), Path::new(RESTORED), &options, how, &mut |_| true);
        assert_eq!(restored.is_ok(), fits, "{with:?}: {restored:?}");
        assert_eq!(fs.is_dir(RESTORED), fits, "{with:?}");
        assert!(fits || fs.operations() == before, "{with:?}: nothing was written");
    }
}

#[test]
fn a_backup_that_was_never_verified_leaves_nothing_when_it_does_not_open() {
    let (fs, bytes) = small_backup();
    let mut files = files_in_backup(&fs);
    let position = u64::from_le_bytes(bytes[16..24].try_into().unwrap());
    let segment = String::from_utf8(files[1].0.clone()).unwrap();
    files[1].1[90] ^= 1;
    let fs = SimulatedFs::new(1);
    fs.write_raw(BACKUP, &forge_again(1, position, &files));
    let options = small_options(Arc::new(fs.clone()), 7);
    let restore_how = |accept_missing| {
        let how = RestoreHow { accept_missing, prove: true };
        restore(Path::new(BACKUP), Path::new(RESTORED), &options, how, &mut |_| true)
    };
    let error = restore_how(false).unwrap_err();
    let StoreError::Damaged(at) = error else { panic!("{error}") };
    assert_eq!(at.file, Path::new(RESTORED).join(&segment));
    assert!(!fs.is_dir(RESTORED) && !fs.is_dir("restored"));
    let restored = restore_how(true).unwrap();
    assert!(restored.unopened.is_none_or(|error| error.contains(&segment)));
    assert!(fs.exists(Path::new(RESTORED).join(&segment)), "it is there for whoever salvages it");
    assert!(!fs.exists(Path::new(RESTORED).join(RESTORE_MARK)));
}
