//! Salvaging: whatever is outside of damaged bytes is in the new store, and nothing else.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cairn_base::fs::{FileSystem, SimulatedFs};
use cairn_base::{ContentHash, Entropy, ManualClock, Position, SeededEntropy, TenantId};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore, salvage};
use cairn_seam::{
    Blob, Certainty, Compaction, Event, EventKind, HashedKeyspace, Keyspace, References, SalvagedStore,
    Store, StoreError, Trace, Witness, WriteTx, limits,
};

use crate::doctor::findings;
use crate::kit::{DIR, key, small_options};

const TO: &str = "data/salvaged";
const TENANT: TenantId = TenantId(6);
const NOTES: Keyspace = Keyspace::new(61, "notes");
const SEEN: HashedKeyspace = HashedKeyspace::new(9, "seen");
const HAPPENED: EventKind = EventKind(9);
const STEPS: u64 = 120;
/// This one has a blob with a file of its own.
const LARGE: u64 = 77;

/// Where a frame stands, and its kind.
type FrameAt = (PathBuf, Range<u64>, u8);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Plain,
    Thinned,
    Sealed,
}

struct AllLive;

impl References for AllLive {
    fn visit(&self, visit: &mut dyn FnMut(TenantId, &ContentHash)) -> Result<(), StoreError> {
        (0..STEPS).for_each(|number| visit(TENANT, &ContentHash::of(&content(number))));
        Ok(())
    }
}

fn content(number: u64) -> Vec<u8> {
    let mut bytes = vec![0; if number == LARGE { limits::BLOB_IN_COMMIT_BYTES_MAX + 5 } else { 200 }];
    SeededEntropy::new(number).fill(&mut bytes);
    bytes
}

fn key_of(number: u64) -> Vec<u8> {
    [&TENANT.0.to_be_bytes()[..], &number.to_be_bytes()].concat()
}

fn value_of(number: u64) -> Vec<u8> {
    let mut value = vec![0; 150];
    SeededEntropy::new(!number).fill(&mut value);
    value
}

fn options(fs: &SimulatedFs, clock: &ManualClock, kind: Kind) -> EmbeddedOptions {
    EmbeddedOptions {
        clock: Arc::new(clock.clone()),
        key: (kind == Kind::Sealed).then(|| key(1)),
        ..small_options(Arc::new(fs.clone()), 1)
    }
}

/// A store whose every record, blob and event has a number, and where each stands.
struct Sample {
    files: BTreeMap<PathBuf, Vec<u8>>,
    kind: Kind,
    clock: ManualClock,
    /// Position of the transaction of each number.
    positions: Vec<u64>,
    /// Where each frame of the log stands: file, offsets, kind.
    frames: BTreeMap<u64, FrameAt>,
    /// Up to where records are in the image alone.
    thinned_to: u64,
}

impl Sample {
    fn new(kind: Kind) -> Self {
        let fs = SimulatedFs::new(1);
        let clock = ManualClock::new(1_700_000_000_000);
        let store = EmbeddedStore::open(Path::new(DIR), options(&fs, &clock, kind)).unwrap();
        let mut positions = Vec::new();
        for number in 0..STEPS {
            let mut upload = store.upload(TENANT).unwrap();
            upload.write(&content(number)).unwrap();
            let blob: Blob = upload.finish().unwrap();
            let body = move |tx: &mut dyn WriteTx| {
                tx.put_blob(&blob)?;
                tx.put(NOTES, &key_of(number), &value_of(number))?;
                tx.hashed_put(SEEN, &number.to_be_bytes(), &number.to_le_bytes(), None)?;
                tx.emit(Event { kind: HAPPENED, body: number.to_le_bytes().to_vec() })
            };
            let ((), position) = cairn_seam::write(&store, TENANT, body).unwrap();
            positions.push(position.to_stored());
            store.upkeep().unwrap();
            clock.advance(Duration::from_secs(60));
            if kind == Kind::Thinned && number == STEPS / 2 {
                let keep =
                    Compaction { keep_changes: Some(Duration::from_secs(60)), ..Compaction::default() };
                store.compact(&keep, &AllLive, &mut |_| true).unwrap();
            }
        }
        store.close().unwrap();
        drop(store);
        let files = files_under(&fs, Path::new(DIR));
        let frames = files.iter().filter(|(path, _)| is(path, "segment-")).flat_map(frames_of).collect();
        let manifest = String::from_utf8(files[&Path::new(DIR).join("MANIFEST")].clone()).unwrap();
        let thinned = manifest.lines().find_map(|line| line.strip_prefix("thinned "));
        let thinned_to = thinned.map_or(0, |line| line.split(' ').next().unwrap().parse().unwrap());
        assert_eq!(thinned_to > 0, kind == Kind::Thinned);
        Sample { files, kind, clock, positions, frames, thinned_to }
    }

    fn disk(&self) -> SimulatedFs {
        let fs = SimulatedFs::new(1);
        fs.create_dir(Path::new(DIR)).unwrap();
        self.files.iter().for_each(|(path, bytes)| fs.write_raw(path, bytes));
        fs
    }

    fn salvage(&self, fs: &SimulatedFs) -> Result<(SalvagedStore, Seen), StoreError> {
        let before = files_under(fs, Path::new(DIR));
        let mut seen = Seen::default();
        let options = options(fs, &self.clock, self.kind);
        let salvaged = salvage(Path::new(DIR), Path::new(TO), options, &mut seen, &mut |_| true);
        let unlocked = |files: BTreeMap<PathBuf, Vec<u8>>| {
            files.into_iter().filter(|(path, _)| !path.ends_with("LOCK")).collect::<BTreeMap<_, _>>()
        };
        assert!(unlocked(files_under(fs, Path::new(DIR))) == unlocked(before), "nothing is written there");
        salvaged.map(|salvaged| (salvaged, seen))
    }

    fn open(&self, fs: &SimulatedFs) -> EmbeddedStore {
        EmbeddedStore::open(Path::new(TO), options(fs, &self.clock, self.kind)).unwrap()
    }

    /// The frames of a number: its transaction, and its blob before that.
    fn frames_of(&self, number: u64) -> (&FrameAt, Option<&FrameAt>) {
        let position = self.positions[usize::try_from(number).unwrap()];
        let transaction = &self.frames[&position];
        let blob = self.frames.range(..position).next_back().map(|(_, frame)| frame);
        (transaction, blob.filter(|(_, _, kind)| *kind == 2))
    }
}

/// Which numbers were read as records, proven ones alone.
#[derive(Default)]
struct Seen {
    proven: BTreeSet<Vec<u8>>,
    doubtful: BTreeSet<Vec<u8>>,
}

impl Witness for Seen {
    fn saw(&mut self, certainty: Certainty, _: Position, tenant: TenantId, trace: Trace<'_>) {
        if let Trace::Put { key, .. } = trace {
            match certainty {
                Certainty::Proven => assert_eq!(tenant, TENANT),
                Certainty::Doubtful => {}
            }
            let keys = match certainty {
                Certainty::Proven => &mut self.proven,
                Certainty::Doubtful => &mut self.doubtful,
            };
            keys.insert(key.to_vec());
        }
    }
}

fn is(path: &Path, start: &str) -> bool {
    path.file_name().unwrap().to_string_lossy().starts_with(start)
}

fn files_under(fs: &SimulatedFs, dir: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut files = BTreeMap::new();
    for dir in [dir.to_owned(), dir.join("blobs")] {
        for name in fs.list(&dir).unwrap_or_default() {
            let path = dir.join(name);
            if let Some(bytes) = fs.read_all(&path) {
                files.insert(path, bytes);
            }
        }
    }
    files
}

/// Every frame of a segment by its position; gaps are followed.
fn frames_of((path, bytes): (&PathBuf, &Vec<u8>)) -> Vec<(u64, FrameAt)> {
    let number = |at: usize| u64::from_le_bytes(bytes[at..at + 8].try_into().unwrap());
    let mut frames = Vec::new();
    let packed = usize::try_from(number(56)).unwrap();
    let end = if packed > 0 { packed } else { bytes.len() };
    let mut at = 64;
    while at + 24 <= end && bytes[at + 16] != 0 {
        let len = usize::try_from(u32::from_le_bytes(bytes[at..at + 4].try_into().unwrap())).unwrap();
        let behind = at + (24 + len).next_multiple_of(8);
        // Padding is covered by no checksum.
        let range = at as u64..(at + 24 + len) as u64;
        frames.push((number(at + 8), (path.clone(), range, bytes[at + 16])));
        at = behind;
    }
    frames
}

fn note(store: &dyn Store, number: u64) -> Option<Vec<u8>> {
    cairn_seam::get(&*store.snapshot(Position::START).unwrap(), NOTES, &key_of(number)).unwrap()
}

fn blob(store: &dyn Store, number: u64) -> Option<Vec<u8>> {
    let reader = store.open_blob(TENANT, &ContentHash::of(&content(number))).ok()??;
    let mut bytes = vec![0; usize::try_from(reader.len()).unwrap()];
    reader.read_at(0, &mut bytes).ok()?;
    Some(bytes)
}

fn events(store: &dyn Store) -> BTreeSet<u64> {
    let (mut after, mut found) = (Position::START, BTreeSet::new());
    loop {
        let page = match store.changes(after, Some(TENANT), 100) {
            Err(StoreError::TooOld { horizon }) => {
                after = horizon;
                continue;
            }
            page => page.unwrap(),
        };
        let events = page.changes.iter().flat_map(|change| &change.events);
        found.extend(events.map(|event| u64::from_le_bytes(event.body.clone().try_into().unwrap())));
        if page.at_end {
            return found;
        }
        after = page.next;
    }
}

/// What damage was done: where, and what is missing as a whole.
#[derive(Default, Debug)]
struct Damage {
    ranges: Vec<(PathBuf, Range<u64>)>,
    missing: BTreeSet<PathBuf>,
}

impl Damage {
    fn touches(&self, path: &Path, range: &Range<u64>) -> bool {
        self.missing.contains(path)
            || self
                .ranges
                .iter()
                .any(|(file, hit)| file == path && hit.start < range.end && range.start < hit.end)
    }

    fn touches_file(&self, start: &str) -> bool {
        self.missing.iter().chain(self.ranges.iter().map(|(path, _)| path)).any(|path| is(path, start))
    }
}

/// Everything that must be there is; what is there is right; the store is one that goes on.
fn check(sample: &Sample, fs: &SimulatedFs, damage: &Damage, salvaged: &SalvagedStore, seen: &Seen) {
    let store = sample.open(fs);
    let found_events = events(&store);
    let has_key = !damage.touches_file("MANIFEST");
    for number in 0..STEPS {
        let ((path, range, _), blob_frame) = sample.frames_of(number);
        let is_hit = damage.touches(path, range);
        let is_thinned = sample.positions[usize::try_from(number).unwrap()] <= sample.thinned_to;
        let has_index = !damage.touches_file("index.redb");
        let has_image = !damage.touches_file("image-");
        let must_be = has_index || (is_thinned && has_image) || (!is_thinned && !is_hit);
        let found = note(&store, number);
        assert!(found.is_some() || !must_be, "record {number}: {damage:?} {salvaged:?}");
        assert!(found.is_none_or(|found| found == value_of(number)), "record {number}");
        // Records of a transaction that can be read were seen, and no others.
        assert_eq!(seen.proven.contains(&key_of(number)), !is_hit && !is_thinned, "record {number}");
        if !is_thinned {
            assert_eq!(found_events.contains(&number), !is_hit, "event {number}: {damage:?}");
            let lost = salvaged
                .lost
                .iter()
                .any(|lost| lost.positions.contains(&sample.positions[usize::try_from(number).unwrap()]));
            assert_eq!(lost, is_hit, "transaction {number}: {:?}", salvaged.lost);
        }
        let found = blob(&store, number);
        let blob_must_be = match blob_frame {
            Some((path, range, _)) => !damage.touches(path, range),
            None => {
                number == LARGE
                    && !damage
                        .ranges
                        .iter()
                        .any(|(path, _)| path.extension().is_some_and(|end| end == "blob"))
            }
        };
        assert!(found.is_some() || !blob_must_be, "blob {number}: {damage:?}");
        assert!(found.is_none_or(|found| found == content(number)), "blob {number}");
        let mut hashed = None;
        let snapshot = store.snapshot(Position::START).unwrap();
        snapshot
            .hashed_get(SEEN, TENANT, &[&number.to_be_bytes()], &mut |_, value| {
                hashed = value.map(<[u8]>::to_vec);
            })
            .unwrap();
        assert!(hashed.is_some() || is_hit || !has_key, "hashed entry {number}: {damage:?}");
    }
    let wrong = findings(&store);
    let wrong: Vec<_> = wrong.iter().filter(|finding| !finding.file.contains("blobs/")).collect();
    assert!(wrong.is_empty(), "{wrong:?} after {damage:?}");
    // It goes on.
    let end = store.position();
    let ((), position) =
        cairn_seam::write(&store, TENANT, |tx| tx.put(NOTES, &key_of(STEPS), b"new")).unwrap();
    assert!(position > end && sample.positions.iter().all(|before| position.to_stored() > *before));
    store.close().unwrap();
    drop(store);
    let store = sample.open(fs);
    assert_eq!(note(&store, STEPS).as_deref(), Some(&b"new"[..]));
    drop(store);
    remove_salvaged(fs);
}

fn remove_salvaged(fs: &SimulatedFs) {
    files_under(fs, Path::new(TO)).keys().for_each(|path| fs.remove(path).unwrap());
}

#[test]
fn a_store_without_damage_is_carried_over_as_it_is() {
    for kind in [Kind::Plain, Kind::Thinned, Kind::Sealed] {
        let sample = Sample::new(kind);
        let fs = sample.disk();
        let (salvaged, seen) = sample.salvage(&fs).unwrap();
        assert_eq!(salvaged.lost, [], "{kind:?}");
        assert_eq!(salvaged.notes, [""; 0], "{kind:?}");
        let segments = |dir: &str| {
            let files = files_under(&fs, Path::new(dir));
            files
                .into_iter()
                .filter(|(path, _)| is(path, "segment-"))
                .map(|(_, bytes)| bytes)
                .collect::<Vec<_>>()
        };
        let from: BTreeSet<Vec<u8>> = segments(DIR).into_iter().collect();
        assert!(segments(TO).iter().all(|bytes| from.contains(bytes)), "byte for byte");
        check(&sample, &fs, &Damage::default(), &salvaged, &seen);
    }
}

#[test]
fn one_bit_in_a_segment_costs_what_its_frame_held() {
    for kind in [Kind::Plain, Kind::Sealed] {
        let sample = Sample::new(kind);
        let segment = Path::new(DIR).join("segment-0000000001.log");
        let len = sample.files[&segment].len() as u64;
        for offset in (0..len).step_by(311) {
            for with_index in [true, false] {
                let fs = sample.disk();
                fs.flip(&segment, offset);
                let mut damage =
                    Damage { ranges: vec![(segment.clone(), offset..offset + 1)], ..Damage::default() };
                if !with_index {
                    let index = Path::new(DIR).join("index.redb");
                    fs.remove(&index).unwrap();
                    damage.missing.insert(index);
                }
                let (salvaged, seen) = sample.salvage(&fs).unwrap();
                check(&sample, &fs, &damage, &salvaged, &seen);
                let hit: Vec<u64> = (0..STEPS)
                    .filter(|number| {
                        let ((path, range, _), _) = sample.frames_of(*number);
                        damage.touches(path, range)
                    })
                    .collect();
                assert!(hit.len() <= 1);
                // What a damaged transaction was about can still be told, mostly.
                if kind == Kind::Plain && !hit.is_empty() {
                    assert!(!salvaged.lost[0].tenants.is_empty(), "{:?}", salvaged.lost);
                }
            }
        }
    }
}

#[test]
fn whatever_is_outside_of_damaged_bytes_is_in_the_new_store() {
    for kind in [Kind::Plain, Kind::Thinned, Kind::Sealed] {
        let sample = Sample::new(kind);
        let paths: Vec<&PathBuf> = sample.files.keys().filter(|path| !is(path, "LOCK")).collect();
        for seed in 0..40 {
            let random = SeededEntropy::new(seed);
            let below = |end: u64| random.next_u64() % end.max(1);
            let fs = sample.disk();
            let mut damage = Damage::default();
            for _ in 0..=below(6) {
                let path = paths[usize::try_from(below(paths.len() as u64)).unwrap()];
                let len = sample.files[path].len() as u64;
                let start = below(len);
                // The manifest of a sealed store holds its keys.
                let is_manifest = is(path, "MANIFEST");
                let end = (start + if is_manifest { 1 } else { 1 + below(200) }).min(len);
                if is_manifest && damage.touches_file("MANIFEST") {
                    continue;
                }
                (start..end).for_each(|at| fs.flip(path, at));
                damage.ranges.push((path.clone(), start..end));
            }
            if below(4) == 0 {
                let index = Path::new(DIR).join("index.redb");
                fs.remove(&index).unwrap();
                damage.missing.insert(index);
            }
            if below(5) == 0 {
                let segments: Vec<_> = paths.iter().filter(|path| is(path, "segment-")).collect();
                let path = segments[usize::try_from(below(segments.len() as u64)).unwrap()];
                fs.remove(path).unwrap();
                damage.missing.insert((*path).clone());
            }
            let (salvaged, seen) =
                sample.salvage(&fs).unwrap_or_else(|error| panic!("{kind:?} {seed}: {error}"));
            check(&sample, &fs, &damage, &salvaged, &seen);
        }
    }
}
