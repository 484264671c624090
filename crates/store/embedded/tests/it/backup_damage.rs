//! Backups of damaged stores: refused with the place, or partial and known to be so.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cairn_base::fs::{FileSystem, SimulatedFs};
use cairn_base::{ContentHash, Entropy, ManualClock, Position, SeededEntropy, TenantId};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore, RestoreHow, Restored, restore};
use cairn_seam::{
    Blob, Compaction, Event, EventKind, HashedKeyspace, KeyRange, Keyspace, LocalStore, Maintenance,
    MaintenanceReport, Missing, References, Store, StoreError, Visit,
};

use crate::kit::{DIR, key, small_options};

const BACKUP: &str = "backups/one";
const RESTORED: &str = "restored/store";
const TENANT: TenantId = TenantId(6);
const RECORDS: Keyspace = Keyspace::new(61, "records");
const SEEN: HashedKeyspace = HashedKeyspace::new(9, "seen");
const HAPPENED: EventKind = EventKind(9);
const HOUR: Duration = Duration::from_secs(60 * 60);
const STEPS: u64 = 48;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Kind {
    is_sealed: bool,
    is_thinned: bool,
}

const PLAIN: Kind = Kind { is_sealed: false, is_thinned: false };
const KINDS: [Kind; 4] = [
    PLAIN,
    Kind { is_thinned: true, ..PLAIN },
    Kind { is_sealed: true, ..PLAIN },
    Kind { is_sealed: true, is_thinned: true },
];

fn noise(seed: u64, bytes: usize) -> Vec<u8> {
    let mut noise = vec![0; bytes];
    SeededEntropy::new(seed).fill(&mut noise);
    noise
}

/// The blob of a step: none, a small one, or one with a file of its own.
fn content(number: u64) -> Option<Vec<u8>> {
    match number {
        10 | 40 => Some(noise(number, (1 << 20) + 5000)),
        _ => number.is_multiple_of(3).then(|| noise(number, 700)),
    }
}

struct All;

impl References for All {
    fn visit(&self, visit: &mut dyn FnMut(TenantId, &ContentHash)) -> Result<(), StoreError> {
        (0..STEPS).filter_map(content).for_each(|bytes| visit(TENANT, &ContentHash::of(&bytes)));
        Ok(())
    }
}

fn options(fs: &SimulatedFs, clock: &ManualClock, kind: Kind) -> EmbeddedOptions {
    EmbeddedOptions {
        clock: Arc::new(clock.clone()),
        key: kind.is_sealed.then(|| key(1)),
        segment_bytes: 8 << 10,
        ..small_options(Arc::new(fs.clone()), 1)
    }
}

/// The files of a store that was closed, and what readers see in it.
struct Story {
    kind: Kind,
    clock: ManualClock,
    files: Vec<(PathBuf, Vec<u8>)>,
    records: BTreeMap<Vec<u8>, Vec<u8>>,
    events: Vec<(Position, Vec<u8>)>,
    horizon: Position,
}

impl Story {
    fn tell(kind: Kind) -> Self {
        let (fs, clock) = (SimulatedFs::new(3), ManualClock::new(1_700_000_000_000));
        let store = EmbeddedStore::open(Path::new(DIR), options(&fs, &clock, kind)).unwrap();
        for number in 0..STEPS {
            step(&store, number);
            store.upkeep().unwrap();
            if number == 20 {
                store.write_image().unwrap();
            }
            clock.advance(HOUR);
        }
        if kind.is_thinned {
            let keep = Compaction { keep_changes: Some(HOUR * 24), forget: None };
            store.compact(&keep, &All, &mut |_| true).unwrap();
        }
        store.close().unwrap();
        drop(store);
        let dirs = [PathBuf::from(DIR), Path::new(DIR).join("blobs")];
        let paths = dirs.iter().flat_map(|dir| fs.list(dir).unwrap().into_iter().map(|name| dir.join(name)));
        let files = paths.map(|path| (path.clone(), fs.read_all(&path).unwrap())).collect();
        let (records, events, horizon) = (BTreeMap::new(), Vec::new(), Position::START);
        let mut story = Story { kind, clock, files, records, events, horizon };
        let (_, store) = story.open();
        (story.records, story.horizon) = (self::records(&store), self::horizon(&store));
        story.events = self::events(&store, story.horizon).unwrap();
        story
    }

    /// Opens the store on a disk of its own, and writes what comes last.
    fn open(&self) -> (SimulatedFs, EmbeddedStore) {
        let fs = SimulatedFs::new(1);
        self.files.iter().for_each(|(path, bytes)| fs.write_raw(path, bytes));
        fs.create_dir(Path::new("backups")).unwrap();
        let store = EmbeddedStore::open(Path::new(DIR), options(&fs, &self.clock, self.kind)).unwrap();
        step(&store, STEPS);
        (fs, store)
    }

    fn restore(&self, fs: &SimulatedFs, accept_missing: bool) -> Result<Restored, StoreError> {
        let how = RestoreHow { accept_missing, prove: true };
        let options = options(fs, &self.clock, self.kind);
        restore(Path::new(BACKUP), Path::new(RESTORED), &options, how, &mut |_| true)
    }

    fn open_restored(&self, fs: &SimulatedFs) -> EmbeddedStore {
        EmbeddedStore::open(Path::new(RESTORED), options(fs, &self.clock, self.kind)).unwrap()
    }

    /// Checks everything that readers see. What was damaged may fail as damaged, and in no other way.
    fn check(&self, store: &EmbeddedStore, is_whole: bool, what: &str) {
        assert!(records(store) == self.records, "{what}: records differ");
        let may_fail = |error: &StoreError| assert!(!is_whole && is_damage(error), "{what}: {error}");
        match events(store, self.horizon) {
            Ok(events) => assert!(events == self.events, "{what}: events differ"),
            // A feed with a hole in it begins behind the hole.
            Err(StoreError::TooOld { .. }) if !is_whole => {}
            Err(error) => may_fail(&error),
        }
        let snapshot = store.snapshot(Position::START).unwrap();
        for number in 0..=STEPS {
            let name = number.to_le_bytes();
            let mut visit =
                |_: usize, value: Option<&[u8]>| assert_eq!(value, Some(&name[..]), "{what}: hashed");
            if let Err(error) = snapshot.hashed_get(SEEN, TENANT, &[&name], &mut visit) {
                may_fail(&error);
            }
            let Some(bytes) = content(number) else { continue };
            match read_blob(store, &bytes) {
                Ok(found) => assert!(found.as_ref() == Some(&bytes), "{what}: blob {number} is not there"),
                Err(error) => may_fail(&error),
            }
        }
    }
}

fn step(store: &EmbeddedStore, number: u64) {
    let blob = content(number).map(|bytes| {
        let mut upload = store.upload(TENANT).unwrap();
        upload.write(&bytes).unwrap();
        upload.finish().unwrap()
    });
    let key = |number: u64| [&TENANT.0.to_be_bytes()[..], &number.to_be_bytes()].concat();
    cairn_seam::write(store, TENANT, move |tx| {
        tx.put(RECORDS, &key(number % 7), &noise(number, 200))?;
        tx.put(RECORDS, &key(1000 + number), &noise(number + 1, 300))?;
        tx.hashed_put(SEEN, &number.to_le_bytes(), &number.to_le_bytes(), None)?;
        blob.iter().try_for_each(|blob: &Blob| tx.put_blob(blob))?;
        tx.emit(Event { kind: HAPPENED, body: number.to_le_bytes().to_vec() })
    })
    .unwrap();
}

fn is_damage(error: &StoreError) -> bool {
    matches!(error, StoreError::Damaged(_))
}

fn records(store: &EmbeddedStore) -> BTreeMap<Vec<u8>, Vec<u8>> {
    let mut records = BTreeMap::new();
    let snapshot = store.snapshot(Position::START).unwrap();
    let all = KeyRange::prefix(&TENANT.0.to_be_bytes());
    let mut visit = |_: usize, key: &[u8], value: &[u8]| {
        records.insert(key.to_vec(), value.to_vec());
        Visit::Continue
    };
    snapshot.multi_scan(RECORDS, &[all], &mut visit).unwrap();
    records
}

fn events(store: &EmbeddedStore, mut after: Position) -> Result<Vec<(Position, Vec<u8>)>, StoreError> {
    let mut told = Vec::new();
    loop {
        let page = store.changes(after, None, 7)?;
        let bodies = |change: cairn_seam::Change| {
            let position = change.position;
            change.events.into_iter().map(move |event| (position, event.body))
        };
        told.extend(page.changes.into_iter().flat_map(bodies));
        if page.at_end {
            return Ok(told);
        }
        after = page.next;
    }
}

fn horizon(store: &EmbeddedStore) -> Position {
    match store.changes(Position::START, None, 1) {
        Err(StoreError::TooOld { horizon }) => horizon,
        Ok(_) => Position::START,
        Err(error) => panic!("{error}"),
    }
}

fn read_blob(store: &EmbeddedStore, bytes: &[u8]) -> Result<Option<Vec<u8>>, StoreError> {
    let Some(reader) = store.open_blob(TENANT, &ContentHash::of(bytes))? else { return Ok(None) };
    let mut found = vec![0; bytes.len()];
    let read = reader.read_at(0, &mut found)?;
    found.truncate(read);
    Ok(Some(found))
}

fn back_up(store: &EmbeddedStore, skip_damaged: bool) -> Result<MaintenanceReport, StoreError> {
    store.maintain(&Maintenance::Backup { to: BACKUP.into(), skip_damaged }, &mut |_| true)
}

/// The place that a backup names when it refuses; nothing is left of it.
fn refused(fs: &SimulatedFs, store: &EmbeddedStore) -> (String, u64) {
    let error = back_up(store, false).map(drop).unwrap_err();
    let StoreError::Damaged(at) = error else { panic!("{error}") };
    assert!(at.detail.ends_with("; no backup was written"), "{}", at.detail);
    assert!(fs.is_dir_empty(Path::new("backups")).unwrap());
    (at.file.strip_prefix(DIR).unwrap().display().to_string(), at.offset)
}

/// Files of the store whose names start like this.
fn names(fs: &SimulatedFs, start: &str) -> Vec<String> {
    let blobs =
        fs.list(&Path::new(DIR).join("blobs")).unwrap().into_iter().map(|name| format!("blobs/{name}"));
    let names = fs.list(Path::new(DIR)).unwrap().into_iter().chain(blobs);
    names.filter(|name| name.starts_with(start)).collect()
}

fn path(name: &str) -> PathBuf {
    Path::new(DIR).join(name)
}

/// Offset, length and kind of the first frame of a kind in a segment of a store that is not packed.
fn frame(bytes: &[u8], kind: u8) -> Option<(u64, u64)> {
    let mut at = 64;
    while at + 24 <= bytes.len() {
        let len = u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap()) as usize;
        let stored = (24 + len).next_multiple_of(8);
        if bytes[at + 16] == kind {
            return Some((at as u64, stored as u64));
        }
        at += stored;
    }
    None
}

#[test]
fn one_flipped_bit_in_an_old_segment_is_named_and_nothing_is_written() {
    for kind in KINDS {
        let story = Story::tell(kind);
        let (fs, store) = story.open();
        let segment = names(&fs, "segment-").remove(0);
        fs.flip(path(&segment), 90);
        assert_eq!(refused(&fs, &store), (segment.clone(), 64), "{kind:?}");
        fs.flip(path(&segment), 90);
        let report = back_up(&store, false).unwrap();
        assert!(report.missing.is_empty() && report.findings.is_empty());
        story.restore(&fs, false).unwrap();
        story.check(&story.open_restored(&fs), true, "healed");
    }
}

#[test]
fn what_is_missing_is_named_to_the_byte() {
    const TRANSACTION: u8 = 1;
    const BLOB: u8 = 2;
    for is_sealed in [false, true] {
        let story = Story::tell(Kind { is_sealed, ..PLAIN });
        for (kind, transactions, blobs) in [(TRANSACTION, 1, 0), (BLOB, 0, 1)] {
            let (fs, store) = story.open();
            let segment = names(&fs, "segment-").remove(1);
            let bytes = fs.read_all(path(&segment)).unwrap();
            let base = u64::from_le_bytes(bytes[24..32].try_into().unwrap());
            let (at, stored) = frame(&bytes, kind).unwrap();
            fs.flip(path(&segment), at + 30);
            let report = back_up(&store, true).unwrap();
            let missing = Missing {
                file: segment.clone(),
                bytes: at..at + stored,
                positions: Some(base + at..base + at + stored),
                transactions: Some(transactions),
                blobs: Some(blobs),
                detail: "no valid frame".into(),
            };
            assert_eq!(report.missing.places, std::slice::from_ref(&missing));
            let figure = |name: &str| report.figures.iter().find(|figure| figure.0 == name).unwrap().1;
            let told = ["places_missing", "transactions_missing", "blobs_missing"].map(figure);
            assert_eq!(told, [1, transactions, blobs]);
            let named: Vec<_> =
                report.findings.iter().map(|found| (found.file.as_str(), found.offset)).collect();
            assert_eq!(named, [(segment.as_str(), at)]);

            let before = fs.operations();
            let error = story.restore(&fs, false).unwrap_err();
            let StoreError::PartialBackup { places: 1, first, .. } = error else { panic!("{error}") };
            assert_eq!((*first, fs.operations()), (missing.clone(), before), "nothing was written");
            assert!(!fs.is_dir(RESTORED));
            let restored = story.restore(&fs, true).unwrap();
            assert_eq!(restored.missing.places, [missing]);
            let copied = fs.read_all(Path::new(RESTORED).join(&segment)).unwrap();
            assert!(copied == fs.read_all(path(&segment)).unwrap(), "the same damage at the same place");
            check_partial(&story, &fs, &restored, &segment, "one frame");
        }
    }
}

/// Checks a restored store that lacks something of a file.
fn check_partial(story: &Story, fs: &SimulatedFs, restored: &Restored, file: &str, what: &str) {
    match &restored.unopened {
        Some(error) => assert!(error.contains(file) && file.starts_with("segment-"), "{what}: {error}"),
        None => story.check(&story.open_restored(fs), false, what),
    }
}

#[test]
fn a_missing_cut_or_damaged_blob_file_reads_as_damaged_after_a_restore() {
    type Harm = fn(&SimulatedFs, &Path);
    let harms: [(&str, Harm); 5] = [
        ("gone", |fs, path| assert!(fs.remove_raw(path))),
        ("empty", |fs, path| fs.corrupt(path, Vec::clear)),
        ("cut", |fs, path| fs.corrupt(path, |bytes| bytes.truncate(200_000))),
        ("a chunk", |fs, path| fs.flip(path, 100_000)),
        ("the table", |fs, path| fs.corrupt(path, |bytes| *bytes.iter_mut().rev().nth(100).unwrap() ^= 1)),
    ];
    for is_sealed in [false, true] {
        let story = Story::tell(Kind { is_sealed, is_thinned: is_sealed });
        for (harm, damage) in harms {
            let (fs, store) = story.open();
            let file = names(&fs, "blobs/").remove(0);
            damage(&fs, &path(&file));
            assert_eq!(refused(&fs, &store).0, file, "{harm}");
            let report = back_up(&store, true).unwrap();
            let places = &report.missing.places;
            assert!(
                matches!(&places[..], [Missing { file: name, blobs: Some(1), .. }] if *name == file),
                "{harm}: {places:?}"
            );
            assert!(matches!(story.restore(&fs, false), Err(StoreError::PartialBackup { places: 1, .. })));
            let restored = story.restore(&fs, true).unwrap();
            assert_eq!(restored.unopened, None, "{harm}");
            let store = story.open_restored(&fs);
            story.check(&store, false, harm);
            let large = [10, 40].map(|number| read_blob(&store, &content(number).unwrap()));
            assert_eq!(
                large.iter().filter(|read| read.as_ref().is_err_and(is_damage)).count(),
                1,
                "{harm}: {large:?}"
            );
        }
    }
}

#[test]
fn files_that_are_not_there_are_named_and_listed() {
    let story = Story::tell(PLAIN);
    for start in ["segment-", "image-"] {
        let (fs, store) = story.open();
        let file = names(&fs, start).remove(0);
        assert!(fs.remove_raw(path(&file)));
        assert_eq!(refused(&fs, &store), (file.clone(), 0));
        let report = back_up(&store, true).unwrap();
        if start == "image-" {
            assert!(report.missing.is_empty(), "it is written again: {report:?}");
            story.restore(&fs, false).unwrap();
            story.check(&story.open_restored(&fs), true, start);
            continue;
        }
        let [Missing { file: name, positions: Some(positions), .. }] = &report.missing.places[..] else {
            panic!("{report:?}");
        };
        assert_eq!((name, positions.start), (&file, 0));
        let restored = story.restore(&fs, true).unwrap();
        assert!(!fs.exists(Path::new(RESTORED).join(&file)), "it is not there either");
        check_partial(&story, &fs, &restored, &file, start);
    }
}

#[test]
fn a_damaged_table_of_a_packed_segment_costs_nothing() {
    let story = Story::tell(Kind { is_thinned: true, ..PLAIN });
    let (fs, store) = story.open();
    let is_packed = |name: &String| fs.read_all(path(name)).unwrap()[56..64] != [0; 8];
    let segment = names(&fs, "segment-").into_iter().find(is_packed).unwrap();
    fs.corrupt(path(&segment), |bytes| *bytes.last_mut().unwrap() ^= 1);
    back_up(&store, false).unwrap();
    story.restore(&fs, false).unwrap();
    story.check(&story.open_restored(&fs), true, "without its table");
}

#[test]
fn skipping_damage_where_there_is_none_loses_nothing() {
    for kind in KINDS {
        let story = Story::tell(kind);
        let (fs, store) = story.open();
        let report = back_up(&store, true).unwrap();
        assert!(report.missing.is_empty() && report.findings.is_empty(), "{report:?}");
        story.restore(&fs, false).unwrap();
        story.check(&story.open_restored(&fs), true, "whole");
    }
}

/// Damages one file at random; says which.
fn damage(fs: &SimulatedFs, random: &SeededEntropy) -> (String, String) {
    let below = |limit: usize| usize::try_from(random.next_u64() % limit as u64).unwrap();
    let names: Vec<String> = names(fs, "").into_iter().filter(|name| name != "LOCK").collect();
    let name = names[below(names.len())].clone();
    let block = [64, 512, 4096][below(3)];
    let how = below(4);
    let mut did = String::new();
    fs.corrupt(path(&name), |bytes| {
        if bytes.is_empty() {
            return;
        }
        let blocks = bytes.len().div_ceil(block);
        let range = |at: usize| at * block..(at * block + block).min(bytes.len());
        let (one, other) = (range(below(blocks)), range(below(blocks)));
        let len = one.len().min(other.len());
        let (from, to) = (bytes[one.clone()][..len].to_vec(), bytes[other.clone()][..len].to_vec());
        did = format!("{how} {one:?} {other:?}");
        match how {
            0 => {
                let at = below(bytes.len());
                bytes[at] ^= 1 << below(8);
                did = format!("flipped {at}");
            }
            1 => {
                bytes[one][..len].copy_from_slice(&to);
                bytes[other][..len].copy_from_slice(&from);
            }
            2 => bytes[other][..len].copy_from_slice(&from),
            _ => bytes[one].fill(0),
        }
    });
    (name, did)
}

#[test]
fn whatever_is_damaged_a_backup_names_it_or_restores_to_the_same_store() {
    let (mut refused_count, mut whole, mut partial) = (0, 0, 0);
    for kind in KINDS {
        let story = Story::tell(kind);
        for seed in 0..40 {
            let random = SeededEntropy::new(seed);
            let (fs, store) = story.open();
            let (name, did) = damage(&fs, &random);
            let what = format!("{kind:?}, seed {seed}, {name}: {did}");
            match back_up(&store, false) {
                Err(StoreError::Damaged(at)) => {
                    assert_eq!(at.file, path(&name), "{what}");
                    assert!(fs.is_dir_empty(Path::new("backups")).unwrap(), "{what}");
                    refused_count += 1;
                }
                Err(error) => panic!("{what}: {error}"),
                Ok(report) => {
                    assert!(report.missing.is_empty() && report.findings.is_empty(), "{what}");
                    story.restore(&fs, false).unwrap_or_else(|error| panic!("{what}: {error}"));
                    story.check(&story.open_restored(&fs), true, &what);
                    whole += 1;
                    continue;
                }
            }
            let report = back_up(&store, true).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert!(report.missing.places.iter().all(|place| place.file == name), "{what}: {report:?}");
            assert_eq!(story.restore(&fs, false).is_ok(), report.missing.is_empty(), "{what}");
            if report.missing.is_empty() {
                story.check(&story.open_restored(&fs), true, &what);
                continue;
            }
            let restored = story.restore(&fs, true).unwrap_or_else(|error| panic!("{what}: {error}"));
            check_partial(&story, &fs, &restored, &name, &what);
            partial += 1;
        }
    }
    assert!(refused_count > 30 && whole > 10 && partial > 20, "{refused_count} {whole} {partial}");
}
