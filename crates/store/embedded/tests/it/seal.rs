//! Sealed stores: nothing is readable without the key, nothing forged is served, and the key can change.

use std::collections::{BTreeMap, HashSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cairn_base::fs::{FileSystem, SimulatedFs};
use cairn_base::{ContentHash, Entropy, Position, SeededEntropy, TenantId};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore, EncryptionKey};
use cairn_seam::{
    Blob, BlockPlace, Event, EventKind, FaultPlan, FaultyStore, HashedKeyspace, KeyRange, Keyspace,
    LocalStore, Maintenance, Store, StoreCode, StoreError, Visit, write,
};

use crate::kit::{DIR, key, open_sealed, open_simulated, small_options};
use crate::workload::{Cells, Workload, try_read_cells};

const NOTES: Keyspace = Keyspace::new(4, "notes");
const MARKS: HashedKeyspace = HashedKeyspace::new(5, "marks");
/// Not that of the workload.
const TENANTS: [TenantId; 2] = [TenantId(5), TenantId(7)];
const WORD: &str = "qxvzkwjhypfgubtd";

/// Every file of the store and its bytes.
fn files(fs: &SimulatedFs) -> BTreeMap<PathBuf, Vec<u8>> {
    let names = fs.list(Path::new(DIR)).unwrap();
    let paths = names.iter().map(|name| Path::new(DIR).join(name)).filter(|path| fs.read_all(path).is_some());
    paths.map(|path| (path.clone(), fs.read_all(&path).unwrap())).collect()
}

/// A disk with these files.
fn disk_with(files: &BTreeMap<PathBuf, Vec<u8>>) -> SimulatedFs {
    let fs = SimulatedFs::new(1);
    fs.create_dir(Path::new(DIR)).unwrap();
    files.iter().for_each(|(path, bytes)| fs.write_raw(path, bytes));
    fs
}

fn is_kind(path: &Path, start: &str) -> bool {
    path.file_name().unwrap().to_string_lossy().starts_with(start)
}

fn holds_word(bytes: &[u8]) -> bool {
    bytes.windows(WORD.len()).any(|window| window == WORD.as_bytes())
}

fn open_with(fs: &SimulatedFs, seed: u64, key: Option<EncryptionKey>) -> Result<EmbeddedStore, StoreError> {
    let options = EmbeddedOptions { key, ..small_options(Arc::new(fs.clone()), seed) };
    EmbeddedStore::open(Path::new(DIR), options)
}

/// Blobs with the word: one that would compress well, one that would not.
fn blobs() -> [Blob; 2] {
    let mut random = vec![0; 3000];
    SeededEntropy::new(77).fill(&mut random);
    random[1000..1000 + WORD.len()].copy_from_slice(WORD.as_bytes());
    [format!("{WORD} ").repeat(100).into_bytes(), random].map(|bytes| Blob::new(bytes).unwrap())
}

fn note_key(tenant: TenantId) -> Vec<u8> {
    [&tenant.0.to_be_bytes()[..], WORD.as_bytes()].concat()
}

/// Puts the word everywhere where users can put anything, for two tenants.
fn plant(store: &EmbeddedStore) {
    for tenant in TENANTS {
        write(store, tenant, move |tx| {
            tx.put(NOTES, &note_key(tenant), format!("value {WORD}").as_bytes())?;
            tx.hashed_put(MARKS, WORD.as_bytes(), format!("hashed {WORD}").as_bytes(), None)?;
            for blob in blobs() {
                tx.put_blob(&blob)?;
                // A transaction reads back its own blob, which is sealed already.
                let expected = blob.bytes().unwrap().to_vec();
                tx.blobs(tenant, &[blob.hash()], &mut |_, found| assert_eq!(found, Some(&expected[..])))?;
            }
            tx.emit(Event { kind: EventKind(9), body: format!("event {WORD}").into_bytes() })
        })
        .unwrap();
    }
}

/// What a store holds of what was planted, or why it does not say.
fn read_planted(store: &EmbeddedStore) -> Result<Vec<Vec<u8>>, StoreError> {
    let mut found = Vec::new();
    let snapshot = store.snapshot(Position::START)?;
    for tenant in TENANTS {
        snapshot.multi_scan(NOTES, &[KeyRange::prefix(&tenant.0.to_be_bytes())], &mut |_, key, value| {
            found.push([key, value].concat());
            Visit::Continue
        })?;
        snapshot.hashed_get(MARKS, tenant, &[WORD.as_bytes()], &mut |_, value| {
            found.push(value.unwrap_or(b"nothing").to_vec());
        })?;
        let hashes: Vec<ContentHash> = blobs().iter().map(Blob::hash).collect();
        snapshot.blobs(tenant, &hashes, &mut |_, blob| found.push(blob.unwrap_or(b"nothing").to_vec()))?;
        let mut after = Position::START;
        loop {
            let page = store.changes(after, Some(tenant), 100)?;
            let events = page.changes.into_iter().flat_map(|change| change.events);
            found.extend(events.filter(|event| event.kind == EventKind(9)).map(|event| event.body));
            after = page.next;
            if page.at_end {
                break;
            }
        }
    }
    Ok(found)
}

fn expected() -> Vec<Vec<u8>> {
    let of = |tenant: TenantId| {
        let value = format!("value {WORD}").into_bytes();
        let [first, second] = blobs();
        let hashed = format!("hashed {WORD}").into_bytes();
        let event = format!("event {WORD}").into_bytes();
        [
            [note_key(tenant), value].concat(),
            hashed,
            first.bytes().unwrap().to_vec(),
            second.bytes().unwrap().to_vec(),
            event,
        ]
    };
    TENANTS.into_iter().flat_map(of).collect()
}

/// A sealed store with the word in segments, side files, an image and the index; closed.
fn planted(seed: u64, key: Option<EncryptionKey>) -> (SimulatedFs, Workload) {
    let fs = SimulatedFs::new(seed);
    let mut workload = Workload::new(3);
    let store = Arc::new(open_with(&fs, seed, key).unwrap());
    plant(&store);
    // Enough to seal many segments and to merge their side files, the one with the word among them.
    while store.stats().files.unwrap_or_default().segments < 7 {
        workload.commit_some(&store).unwrap();
        store.upkeep().unwrap();
    }
    store.apply_now().unwrap();
    store.write_image().unwrap();
    store.close().unwrap();
    (fs, workload)
}

#[test]
fn no_file_ever_holds_a_word_that_was_stored_and_everything_reads_back() {
    let fs = SimulatedFs::new(1);
    let mut workload = Workload::new(3);
    let check = |when: &str| {
        for (path, bytes) in files(&fs) {
            assert!(!holds_word(&bytes), "{} holds the word {when}", path.display());
        }
    };
    let store = Arc::new(open_sealed(&fs, 1).unwrap());
    plant(&store);
    assert_eq!(read_planted(&store).unwrap(), expected());
    check("after it was written");
    store.apply_now().unwrap();
    check("after it was moved into the index");
    let mut merged = false;
    while !merged {
        workload.commit_some(&store).unwrap();
        merged = store.upkeep().unwrap().done.iter().any(|line| line.starts_with("merged"));
    }
    check("after side files were merged");
    store.write_image().unwrap();
    assert_eq!(read_planted(&store).unwrap(), expected());
    check("after an image was written");
    store.close().unwrap();
    drop(store);
    for kind in ["segment-", "side-", "image-", "index.redb"] {
        assert!(files(&fs).keys().any(|path| is_kind(path, kind)), "there is some {kind}");
    }
    let store = open_sealed(&fs, 2).unwrap();
    assert_eq!(store.open_report().rebuilt, None);
    assert_eq!(read_planted(&store).unwrap(), expected());
    workload.check(&store);
    drop(store);
    assert!(fs.remove_raw(Path::new(DIR).join("index.redb")));
    let store = open_sealed(&fs, 3).unwrap();
    assert!(store.open_report().rebuilt.is_some());
    assert_eq!(read_planted(&store).unwrap(), expected());
    workload.check(&store);
    check("after the index was rebuilt");
    // Beside the other files, where the check looks at it too.
    let to = Path::new(DIR).join("all.cairn");
    store.maintain(&Maintenance::Backup { to: to.clone(), skip_damaged: false }, &mut |_| true).unwrap();
    assert!(files(&fs).contains_key(&to));
    check("after a backup was made");
}

#[test]
fn the_same_on_a_real_disk_with_threads() {
    let temporary = tempfile::tempdir().unwrap();
    let dir = temporary.path().join("store");
    let options = |key| EmbeddedOptions { reserve_bytes: 0, key: Some(key), ..EmbeddedOptions::default() };
    let store = EmbeddedStore::open(&dir, options(key(1))).unwrap();
    plant(&store);
    store.apply_now().unwrap();
    store.write_image().unwrap();
    store.close().unwrap();
    drop(store);
    EmbeddedStore::rotate_key(&dir, options(key(1)), &key(2)).unwrap();
    let store = EmbeddedStore::open(&dir, options(key(2))).unwrap();
    assert_eq!(read_planted(&store).unwrap(), expected());
    drop(store);
    for entry in dir.read_dir().unwrap() {
        let path = entry.unwrap().path();
        assert!(!holds_word(&std::fs::read(&path).unwrap()), "{}", path.display());
    }
}

#[test]
fn without_a_key_the_word_is_found_so_the_search_can_find() {
    let (fs, _) = planted(1, None);
    let store = open_simulated(&fs, 2).unwrap();
    store
        .maintain(
            &Maintenance::Backup { to: Path::new(DIR).join("all.cairn"), skip_damaged: false },
            &mut |_| true,
        )
        .unwrap();
    for kind in ["segment-", "side-", "image-", "index.redb", "all.cairn"] {
        let found = files(&fs).iter().any(|(path, bytes)| is_kind(path, kind) && holds_word(bytes));
        assert!(found, "{kind}");
    }
}

/// Opens a changed disk and reads everything: refused or made again, or as if nothing had happened.
fn check_never_served(fs: &SimulatedFs, cells: &Cells, what: &str) -> bool {
    let Ok(store) = open_sealed(fs, 9) else { return true };
    let report = store.open_report();
    if report.read_only.is_some() {
        // What can be read is served, and it is said that something is missing.
        return true;
    }
    let noticed = report.rebuilt.is_some() || !report.damage.is_empty();
    match read_planted(&store) {
        // Lost events are not passed over in silence.
        Err(StoreError::Damaged(_) | StoreError::TooOld { .. }) => return true,
        Err(error) => panic!("{what}: {error}"),
        Ok(found) => assert_eq!(found, expected(), "{what}"),
    }
    match try_read_cells(&store) {
        Err(StoreError::Damaged(_)) => true,
        Err(error) => panic!("{what}: {error}"),
        Ok(found) => {
            assert!(found == *cells, "{what}");
            noticed
        }
    }
}

fn cells_of(fs: &SimulatedFs) -> Cells {
    try_read_cells(&open_sealed(&disk_with(&files(fs)), 9).unwrap()).unwrap()
}

#[test]
fn a_flipped_byte_of_any_file_is_refused_or_made_again_and_never_served() {
    let (fs, _) = planted(1, Some(key(1)));
    let cells = cells_of(&fs);
    let files = files(&fs);
    let random = SeededEntropy::new(5);
    for (path, bytes) in files.iter().filter(|(path, _)| !is_kind(path, "LOCK")) {
        // Zeroes are room that nobody used.
        let used: Vec<usize> = (0..bytes.len()).filter(|at| bytes[*at] != 0).collect();
        let mut noticed = 0;
        let flips = if is_kind(path, "index") { 30 } else { 8 }.min(used.len());
        for _ in 0..flips {
            let at = used[usize::try_from(random.next_u64()).unwrap() % used.len()];
            let fs = disk_with(&files);
            fs.flip(path, at as u64);
            let what = format!("byte {at} of {}", path.display());
            noticed += usize::from(check_never_served(&fs, &cells, &what));
        }
        // A side file is made again in silence, an image is not needed, and padding covers nothing.
        if ["segment-", "MANIFEST", "index.redb"].iter().any(|kind| is_kind(path, kind)) && flips > 0 {
            assert!(noticed > 0, "{}: none of {flips}", path.display());
        }
    }
}

/// The offset and length of the body of each sealed frame in a segment.
fn sealed_bodies(segment: &[u8]) -> Vec<(usize, usize)> {
    let mut bodies = Vec::new();
    let mut at = 64;
    while at + 24 <= segment.len() && segment[at + 16] != 0 {
        let len = u32::from_le_bytes(segment[at..at + 4].try_into().unwrap()) as usize;
        if segment[at + 16] != 3 {
            bodies.push((at + 24, len));
        }
        at += (24 + len).next_multiple_of(8);
    }
    bodies
}

/// The number in the name of a file.
fn number_of(path: &Path) -> u64 {
    let digits: String =
        path.file_name().unwrap().to_str().unwrap().chars().filter(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

/// The id of the store, as its manifest has it.
fn store_id(files: &BTreeMap<PathBuf, Vec<u8>>) -> [u8; 16] {
    let (_, manifest) = files.iter().find(|(path, _)| is_kind(path, "MANIFEST")).unwrap();
    let text = String::from_utf8(manifest.clone()).unwrap();
    cairn_base::from_hex(text.lines().find_map(|line| line.strip_prefix("store ")).unwrap()).unwrap()
}

#[test]
fn bytes_forged_under_a_right_checksum_do_not_open() {
    let (fs, _) = planted(1, Some(key(1)));
    let cells = cells_of(&fs);
    let files = files(&fs);
    let mut forged = 0;
    for (path, bytes) in &files {
        let mut bytes = bytes.clone();
        if is_kind(path, "segment-") {
            let salt = u64::from_le_bytes(bytes[32..40].try_into().unwrap());
            let Some((body, len)) = sealed_bodies(&bytes).first().copied() else { continue };
            bytes[body + len / 2] ^= 1;
            let frame = body - 24;
            #[expect(clippy::cast_possible_truncation, reason = "both halves are used")]
            let crc = crc32c::crc32c_append((salt ^ (salt >> 32)) as u32, &bytes[frame..frame + 4]);
            let crc = crc32c::crc32c_append(crc, &bytes[frame + 8..body + len]);
            bytes[frame + 4..frame + 8].copy_from_slice(&crc.to_le_bytes());
        } else if is_kind(path, "side-") && bytes.len() > 4096 {
            bytes[2000] ^= 1;
            let salt = bytes.len() - 8;
            let identity = [&store_id(&files)[..], &number_of(path).to_le_bytes(), &bytes[salt..]].concat();
            let seed = crc32c::crc32c_append(crc32c::crc32c(&identity), &0u64.to_le_bytes());
            let before = bytes[..4].to_vec();
            bytes[2000] ^= 1;
            assert_eq!(
                crc32c::crc32c_append(seed, &bytes[4..4096]).to_le_bytes(),
                before[..],
                "as it is made"
            );
            bytes[2000] ^= 1;
            let crc = crc32c::crc32c_append(seed, &bytes[4..4096]);
            bytes[..4].copy_from_slice(&crc.to_le_bytes());
        } else if is_kind(path, "image-") {
            // So that the image is read.
            bytes[32 + 8 + 20] ^= 1;
            let len = u32::from_le_bytes(bytes[32..36].try_into().unwrap()) as usize;
            let identity = [&number_of(path).to_le_bytes()[..], &bytes[24..32], &0u64.to_le_bytes()].concat();
            let crc = crc32c::crc32c_append(crc32c::crc32c(&identity), &bytes[40..40 + len]);
            bytes[36..40].copy_from_slice(&crc.to_le_bytes());
        } else {
            continue;
        }
        let fs = disk_with(&files);
        fs.write_raw(path, &bytes);
        if is_kind(path, "segment-") {
            let store = open_sealed(&fs, 9).unwrap();
            let damage = &store.open_report().damage;
            assert!(damage.iter().any(|damage| damage.file == *path), "{damage:?}");
        } else if is_kind(path, "image-") {
            assert!(fs.remove_raw(Path::new(DIR).join("index.redb")));
            let store = open_sealed(&fs, 9).unwrap();
            let why = store.open_report().rebuilt.clone().unwrap();
            assert!(why.contains("does not open"), "{why}");
            assert_eq!(read_planted(&store).unwrap(), expected());
        } else {
            check_never_served(&fs, &cells, "a forged side file");
        }
        forged += 1;
    }
    assert!(forged > 8);
}

#[test]
fn a_wrong_a_missing_and_a_superfluous_key_are_told_apart_and_change_nothing() {
    let (sealed, _) = planted(1, Some(key(1)));
    let (open, _) = planted(1, None);
    for (fs, given, code) in [
        (&sealed, None, StoreCode::KeyMissing),
        (&sealed, Some(key(2)), StoreCode::KeyMismatch),
        (&open, Some(key(1)), StoreCode::NotSealed),
    ] {
        // As a process that ended badly leaves it: there is something to recover.
        let lock = Path::new(DIR).join("LOCK");
        fs.write_raw(&lock, b"process 1");
        fs.process_kill();
        let before = files(fs);
        let operations = fs.operations();
        let error = open_with(fs, 5, given.clone()).map(drop).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(error.to_string().contains(DIR), "{error}");
        let options = EmbeddedOptions { key: given, ..small_options(Arc::new(fs.clone()), 5) };
        let error = EmbeddedStore::rotate_key(Path::new(DIR), options, &key(3)).unwrap_err();
        assert_eq!(error.code(), code, "{error}");
        assert!(files(fs) == before, "{code}: something on disk changed");
        assert_eq!(fs.operations(), operations, "{code}: the disk was not written to");
    }
    open_sealed(&sealed, 5).unwrap();
    open_simulated(&open, 5).unwrap();
}

#[test]
fn two_stores_with_equal_content_have_no_sealed_bytes_in_common() {
    const CHUNK: usize = 64;
    let chunks = |seed: u64| -> HashSet<Vec<u8>> {
        let (fs, _) = planted(seed, Some(key(1)));
        let mut chunks = HashSet::new();
        for (path, bytes) in files(&fs) {
            let is_sealed =
                ["segment-", "side-", "image-", "index.redb"].iter().any(|kind| is_kind(&path, kind));
            let windows = bytes.windows(CHUNK).step_by(8).filter(|_| is_sealed);
            // What nobody wrote is zeroes everywhere.
            chunks.extend(
                windows
                    .filter(|chunk| chunk.iter().filter(|byte| **byte == 0).count() < 16)
                    .map(<[u8]>::to_vec),
            );
        }
        chunks
    };
    let (one, other) = (chunks(1), chunks(2));
    assert!(one.len() > 10_000);
    assert_eq!(one.intersection(&other).count(), 0);
}

/// Number and salt of each segment that has a header.
fn segment_keys(fs: &SimulatedFs) -> HashSet<(u64, u64)> {
    let files = files(fs);
    let segments = files.iter().filter(|(path, _)| is_kind(path, "segment-")).map(|(_, bytes)| bytes);
    let word = |bytes: &[u8], at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let used = segments.filter(|bytes| bytes.starts_with(b"CAIRNSEG"));
    used.map(|bytes| (word(bytes, 16), word(bytes, 32))).collect()
}

#[test]
fn no_two_openings_write_under_one_key() {
    let fs = SimulatedFs::new(1);
    let store = Arc::new(open_sealed(&fs, 1).unwrap());
    let mut workload = Workload::new(1);
    workload.commit_some(&store).unwrap();
    // Prepares a segment, which is listed with its salt.
    store.upkeep().unwrap();
    let used = |bytes: &[u8]| bytes.iter().rposition(|byte| *byte != 0).unwrap() + 1;
    let segment = files(&fs).into_keys().find(|path| is_kind(path, "segment-")).unwrap();
    let first_group = used(&fs.read_all(&segment).unwrap());
    workload.commit_some(&store).unwrap();
    assert!(used(&fs.read_all(&segment).unwrap()) > first_group);
    drop(store);
    fs.process_kill();
    let before = segment_keys(&fs);
    let copy = files(&fs);
    // Two copies of the directory go on with different things; and a third one loses its last group.
    let forks: Vec<HashSet<(u64, u64)>> = (2..5)
        .map(|seed| {
            let fs = disk_with(&copy);
            if seed == 4 {
                fs.corrupt(&segment, |bytes| bytes[first_group..].fill(0));
            }
            let store = Arc::new(open_sealed(&fs, seed).unwrap());
            let mut workload = Workload::new(seed);
            for _ in 0..60 {
                workload.commit_some(&store).unwrap();
            }
            drop(store);
            segment_keys(&fs).difference(&before).copied().collect()
        })
        .collect();
    assert!(forks.iter().all(|keys| keys.len() > 1), "{forks:?}");
    for (at, fork) in forks.iter().enumerate() {
        for other in &forks[at + 1..] {
            assert!(fork.is_disjoint(other), "one key for two histories: {fork:?} {other:?}");
        }
    }
}

fn rotate(fs: &SimulatedFs, old: u64, new: u64) -> Result<(), StoreError> {
    let options = EmbeddedOptions { key: Some(key(old)), ..small_options(Arc::new(fs.clone()), 100 + new) };
    EmbeddedStore::rotate_key(Path::new(DIR), options, &key(new))
}

#[test]
fn after_a_rotation_only_the_new_key_opens_and_new_files_have_a_new_root() {
    let (fs, mut workload) = planted(1, Some(key(1)));
    for (old, new) in [(1, 2), (2, 3)] {
        rotate(&fs, old, new).unwrap();
        let error = open_with(&fs, 5, Some(key(old))).map(drop).unwrap_err();
        assert_eq!(error.code(), StoreCode::KeyMismatch);
        let store = Arc::new(open_with(&fs, 5, Some(key(new))).unwrap());
        assert_eq!(store.open_report().rebuilt, None, "the index goes on as it is");
        assert_eq!(read_planted(&store).unwrap(), expected());
        workload.check(&store);
        let error = rotate(&fs, new, 9).unwrap_err();
        assert_eq!(error.code(), StoreCode::Locked, "not while somebody has it open");
        for _ in 0..40 {
            workload.commit_some(&store).unwrap();
            store.upkeep().unwrap();
        }
        store.write_image().unwrap();
        store.close().unwrap();
    }
    // Segments from before and after, an index of three roots, and an image of the last one.
    let text = String::from_utf8(fs.read_all(Path::new(DIR).join("MANIFEST")).unwrap()).unwrap();
    assert_eq!(text.lines().filter(|line| line.starts_with("root ")).count(), 3, "{text}");
    assert!(fs.remove_raw(Path::new(DIR).join("index.redb")));
    let store = open_with(&fs, 6, Some(key(3))).unwrap();
    assert_eq!(read_planted(&store).unwrap(), expected());
    workload.check(&store);
}

#[test]
fn what_is_written_after_a_rotation_does_not_open_with_the_roots_from_before() {
    let (fs, _) = planted(1, Some(key(1)));
    let manifest = Path::new(DIR).join("MANIFEST");
    let before = String::from_utf8(fs.read_all(&manifest).unwrap()).unwrap();
    rotate(&fs, 1, 2).unwrap();
    let store = open_with(&fs, 5, Some(key(2))).unwrap();
    plant(&store);
    drop(store);
    // Somebody who knows the old key, and what it opened, and takes the new lists of files.
    let after = String::from_utf8(fs.read_all(&manifest).unwrap()).unwrap();
    let keys = |line: &&str| ["root ", "hashkey "].iter().any(|start| line.starts_with(start));
    let old = before.lines().filter(keys);
    let lists = after.lines().skip(1).filter(|line| !keys(line) && !line.starts_with("crc "));
    let forged: String =
        ["cairn manifest 1"].into_iter().chain(old).chain(lists).map(|line| format!("{line}\n")).collect();
    let crc = crc32c::crc32c(forged.as_bytes());
    fs.process_kill();
    fs.write_raw(&manifest, format!("{forged}crc {crc:08x}\n").as_bytes());
    let newest = files(&fs).keys().rfind(|path| is_kind(path, "segment-")).unwrap().clone();
    let store = open_with(&fs, 5, Some(key(1))).unwrap();
    let report = store.open_report();
    assert!(report.read_only.is_some() && report.damage.iter().any(|at| at.file == newest), "{report:?}");
    assert_eq!(report.damage.iter().map(|at| at.offset.start).min(), Some(64), "none of its frames opens");
}

#[test]
fn a_rotation_cut_at_every_operation_leaves_one_key_that_opens_everything() {
    let (fs, workload) = planted(1, Some(key(1)));
    let whole = files(&fs);
    let operations = {
        let fs = disk_with(&whole);
        let before = fs.operations();
        rotate(&fs, 1, 2).unwrap();
        fs.operations() - before
    };
    let mut fitting = [0, 0];
    for cut in 0..=operations {
        for seed in 0..4 {
            let fs = SimulatedFs::new(seed);
            fs.create_dir(Path::new(DIR)).unwrap();
            whole.iter().for_each(|(path, bytes)| fs.write_raw(path, bytes));
            fs.cut_power_at(fs.operations() + cut);
            let rotated = rotate(&fs, 1, 2);
            fs.power_cycle();
            let opened = [1, 2].map(|number| {
                open_with(&fs, 5, Some(key(number))).map(|store| {
                    assert_eq!(read_planted(&store).unwrap(), expected());
                    workload.copy().check(&store);
                })
            });
            let [old, new] = opened.each_ref().map(Result::is_ok);
            assert!(old != new, "cut at {cut}: {opened:?}");
            assert!(new || rotated.is_err(), "cut at {cut}: a rotation that was reported is there");
            fitting[usize::from(new)] += 1;
        }
    }
    assert!(fitting[0] > 0 && fitting[1] > 0, "{fitting:?}");
}

/// Nobody refers to anything.
struct Nothing;

impl cairn_seam::References for Nothing {
    fn visit(&self, _: &mut dyn FnMut(TenantId, &ContentHash)) -> Result<(), StoreError> {
        Ok(())
    }
}

#[test]
fn large_blobs_and_packed_segments_are_sealed_too() {
    let fs = SimulatedFs::new(1);
    let clock = cairn_base::ManualClock::new(1_700_000_000_000);
    let options = || EmbeddedOptions {
        key: Some(key(1)),
        clock: Arc::new(clock.clone()),
        ..small_options(Arc::new(fs.clone()), 1)
    };
    let store = EmbeddedStore::open(Path::new(DIR), options()).unwrap();
    let mut bytes = vec![0; 1_300_000];
    SeededEntropy::new(5).fill(&mut bytes);
    (0..bytes.len() - WORD.len()).step_by(10_007).for_each(|at| {
        bytes[at..at + WORD.len()].copy_from_slice(WORD.as_bytes());
    });
    bytes.extend(WORD.repeat(20_000).into_bytes());
    let hash = ContentHash::of(&bytes);
    let put = |store: &EmbeddedStore, bytes: &[u8]| {
        let mut upload = store.upload(TENANTS[0]).unwrap();
        upload.write(bytes).unwrap();
        let blob = upload.finish().unwrap();
        write(store, TENANTS[0], move |tx| tx.put_blob(&blob)).unwrap();
    };
    // Words among noise, so that compression does not leave next to nothing of it.
    let noisy = |number: u64| {
        let mut bytes = vec![0; 2000];
        SeededEntropy::new(100 + number).fill(&mut bytes);
        bytes.extend(WORD.bytes());
        bytes
    };
    for number in 0..40 {
        put(&store, &noisy(number));
        store.upkeep().unwrap();
    }
    clock.advance(std::time::Duration::from_secs(48 * 60 * 60));
    put(&store, &bytes);
    let kept = Blob::new(noisy(1)).unwrap();
    let kept_hash = kept.hash();
    write(&store, TENANTS[0], move |tx| tx.keep_blob(&kept_hash)).unwrap();
    let report = store.compact(&cairn_seam::Compaction::default(), &Nothing, &mut |_| true).unwrap();
    assert!(
        report.figures.iter().any(|(name, count)| *name == "segments_rewritten" && *count > 0),
        "{report:?}"
    );
    let read = |store: &EmbeddedStore, hash: &ContentHash| {
        let reader = store.open_blob(TENANTS[0], hash).unwrap().unwrap();
        let mut found = vec![0; usize::try_from(reader.len()).unwrap()];
        reader.read_at(0, &mut found).unwrap();
        found
    };
    assert!(read(&store, &hash) == bytes);
    drop(store);
    fs.process_kill();
    let store = EmbeddedStore::open(Path::new(DIR), options()).unwrap();
    assert!(read(&store, &hash) == bytes);
    assert_eq!(Some(&*read(&store, &kept.hash())), kept.bytes());
    let dir = Path::new(DIR).join("blobs");
    let large = fs.list(&dir).unwrap().into_iter().map(|name| dir.join(name));
    for path in files(&fs).into_keys().chain(large) {
        let stored = fs.read_all(&path).unwrap();
        assert!(!holds_word(&stored), "{} holds the word", path.display());
        let holds_hash = stored.windows(32).any(|window| window == hash.as_bytes());
        assert!(!holds_hash, "{} says what the blob is", path.display());
    }
}

#[test]
fn derived_files_are_sealed_if_the_store_is_and_open_after_a_rotation() {
    let plain = open_with(&SimulatedFs::new(1), 1, None).unwrap();
    assert!(plain.derived_seal("search").is_none());

    let fs = SimulatedFs::new(1);
    let place = BlockPlace { number: 0, is_last: true };
    let store = open_with(&fs, 1, Some(key(1))).unwrap();
    let (before, seal) = store.derived_seal("search").unwrap().new_file(b"file");
    let mut block = WORD.as_bytes().to_vec();
    seal.seal(place, &mut block);
    store.close().unwrap();
    drop(store);

    rotate(&fs, 1, 2).unwrap();
    let store = Arc::new(open_with(&fs, 2, Some(key(2))).unwrap());
    let wrapped = FaultyStore::new(Arc::clone(&store) as Arc<dyn Store>, FaultPlan::none());
    let derived = wrapped.derived_seal("search").expect("the wrapper seals as the store does");
    let (after, _) = derived.new_file(b"file");
    assert_ne!(after.key, before.key, "new files have the new root");
    assert_eq!(derived.of_file(b"file", &before).unwrap().open(place, &mut block), Ok(WORD.len()));
    assert_eq!(&block[..WORD.len()], WORD.as_bytes());

    let other = open_with(&SimulatedFs::new(9), 9, Some(key(1))).unwrap();
    let foreign = other.derived_seal("search").unwrap().of_file(b"file", &before);
    assert!(foreign.is_none(), "another store has other roots, whatever its key is");
}
