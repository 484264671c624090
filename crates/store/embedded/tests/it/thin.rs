//! Thinning history out: what is older than a horizon goes, what is to be forgotten is found nowhere, and
//! everything that counts stays, whatever goes wrong in the middle.

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
    Blob, Compaction, Event, EventKind, Forget, HashedKeyspace, KeyRange, Keyspace, LocalStore, Maintenance,
    References, Selection, Store, StoreError, Visit, WriteTx, limits,
};

use crate::doctor::{figure, findings, names, verify};
use crate::kit::{DIR, key, small_options};

const MINE: TenantId = TenantId(6);
const OTHER: TenantId = TenantId(7);
const NOTES: Keyspace = Keyspace::new(61, "notes");
const DRAFTS: Keyspace = Keyspace::new(62, "drafts");
const SEEN: HashedKeyspace = HashedKeyspace::new(9, "seen");
const HAPPENED: EventKind = EventKind(9);
const HOUR: Duration = Duration::from_secs(60 * 60);
const STEPS: u64 = 80;
const SECRET: &[u8] = b"rumpelstilzchen";

/// Every sixth blob is in use.
struct Live;

impl References for Live {
    fn visit(&self, visit: &mut dyn FnMut(TenantId, &ContentHash)) -> Result<(), StoreError> {
        let used = (0..STEPS).filter(|number| is_live(*number));
        used.for_each(|number| visit(tenant_of(number), &ContentHash::of(&content(number))));
        Ok(())
    }
}

fn is_live(number: u64) -> bool {
    number.is_multiple_of(6)
}

fn tenant_of(number: u64) -> TenantId {
    if number % 4 == 3 { OTHER } else { MINE }
}

fn content(number: u64) -> Vec<u8> {
    let mut bytes = vec![0; if number == 51 { limits::BLOB_IN_COMMIT_BYTES_MAX + 5 } else { 700 }];
    SeededEntropy::new(number).fill(&mut bytes);
    bytes
}

fn key_of(tenant: TenantId, name: &[u8]) -> Vec<u8> {
    [&tenant.0.to_be_bytes()[..], name].concat()
}

/// A store on a simulated disk, in the open or sealed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Plain,
    Sealed,
}

fn options(fs: &SimulatedFs, clock: &ManualClock, kind: Kind) -> EmbeddedOptions {
    EmbeddedOptions {
        clock: Arc::new(clock.clone()),
        key: (kind == Kind::Sealed).then(|| key(1)),
        // Else a dozen operations would be as many as those that are looked at.
        apply_bytes: 1 << 20,
        ..small_options(Arc::new(fs.clone()), 1)
    }
}

fn open(fs: &SimulatedFs, clock: &ManualClock, kind: Kind) -> Result<EmbeddedStore, StoreError> {
    EmbeddedStore::open(Path::new(DIR), options(fs, clock, kind))
}

fn blob(store: &dyn Store, tenant: TenantId, bytes: &[u8]) -> Blob {
    let mut upload = store.upload(tenant).unwrap();
    upload.write(bytes).unwrap();
    upload.finish().unwrap()
}

/// One hour of a story: records are written over and deleted, hashed entries replaced or left to expire.
fn step(store: &dyn Store, clock: &ManualClock, number: u64) {
    let tenant = tenant_of(number);
    let expires = (number % 6 == 5).then(|| clock.now_ms_plus(HOUR * 2));
    let put = number.is_multiple_of(3).then(|| blob(store, tenant, &content(number)));
    let mut value = vec![0; 300];
    SeededEntropy::new(!number).fill(&mut value);
    let body = move |tx: &mut dyn WriteTx| {
        tx.put(NOTES, &key_of(tenant, &[u8::try_from(number % 9).unwrap()]), &value)?;
        tx.put(DRAFTS, &key_of(tenant, &number.to_be_bytes()), &value[..20])?;
        if number.is_multiple_of(5) {
            tx.delete(NOTES, &key_of(tenant, &[u8::try_from(number * 7 % 9).unwrap()]))?;
        }
        tx.hashed_put(SEEN, &[u8::try_from(number % 6).unwrap()], &number.to_le_bytes(), expires)?;
        if let Some(blob) = &put {
            tx.put_blob(blob)?;
        }
        tx.emit(Event { kind: HAPPENED, body: number.to_le_bytes().to_vec() })
    };
    cairn_seam::write(store, tenant, body).unwrap();
    store.upkeep().unwrap();
    clock.advance(HOUR);
}

trait Plus {
    fn now_ms_plus(&self, time: Duration) -> u64;
}

impl Plus for ManualClock {
    fn now_ms_plus(&self, time: Duration) -> u64 {
        cairn_base::Clock::now_ms(self) + u64::try_from(time.as_millis()).unwrap()
    }
}

/// A store with a story of 80 hours.
fn told(kind: Kind) -> (SimulatedFs, ManualClock, EmbeddedStore) {
    told_up_to(kind, STEPS)
}

fn told_up_to(kind: Kind, steps: u64) -> (SimulatedFs, ManualClock, EmbeddedStore) {
    let fs = SimulatedFs::new(3);
    let clock = ManualClock::new(1_700_000_000_000);
    let store = open(&fs, &clock, kind).unwrap();
    (0..steps).for_each(|number| step(&store, &clock, number));
    (fs, clock, store)
}

/// Everything that readers see; values as their hashes.
#[derive(Debug, PartialEq, Eq, Clone)]
struct Seen {
    records: BTreeMap<(u16, Vec<u8>), String>,
    hashed: Vec<Option<u8>>,
    /// Those in use; never `Gone`.
    blobs: Vec<u64>,
}

fn look(store: &dyn Store) -> Seen {
    let snapshot = store.snapshot(Position::START).unwrap();
    let mut records = BTreeMap::new();
    for keyspace in [NOTES, DRAFTS] {
        let all = KeyRange::new(std::ops::Bound::Unbounded, std::ops::Bound::Unbounded);
        let mut visit = |_: usize, key: &[u8], value: &[u8]| {
            records.insert((keyspace.id, key.to_vec()), ContentHash::of(value).to_string()[..8].to_owned());
            Visit::Continue
        };
        snapshot.multi_scan(keyspace, &[all], &mut visit).unwrap();
    }
    let (mut hashed, mut blobs) = (Vec::new(), Vec::new());
    for tenant in [MINE, OTHER] {
        for name in 0..6u8 {
            snapshot
                .hashed_get(SEEN, tenant, &[&[name]], &mut |_, value| {
                    hashed.push(value.map(|value| value[0]))
                })
                .unwrap();
        }
    }
    for number in (0..STEPS).filter(|number| number.is_multiple_of(3) && is_live(*number)) {
        let bytes = content(number);
        let reader = store.open_blob(tenant_of(number), &ContentHash::of(&bytes)).unwrap();
        let mut found = vec![0; bytes.len()];
        let Some(reader) = reader else { continue };
        reader.read_at(0, &mut found).unwrap();
        assert!(found == bytes, "blob {number}");
        blobs.push(number);
    }
    Seen { records, hashed, blobs }
}

type Told = Vec<(Position, TenantId, Vec<Vec<u8>>)>;

/// Every event after a position, in small pages.
fn events(store: &dyn Store, mut after: Position) -> Result<Told, StoreError> {
    let mut told = Vec::new();
    loop {
        let page = store.changes(after, None, 7)?;
        for change in page.changes {
            let bodies = change.events.into_iter().map(|event| event.body).collect();
            told.push((change.position, change.tenant, bodies));
        }
        if page.at_end {
            return Ok(told);
        }
        after = page.next;
    }
}

fn after(told: &Told, horizon: Position) -> Told {
    told.iter().filter(|(position, ..)| *position > horizon).cloned().collect()
}

fn horizon(store: &dyn Store) -> Position {
    match store.changes(Position::START, None, 1) {
        Err(StoreError::TooOld { horizon }) => horizon,
        Ok(_) => Position::START,
        Err(error) => panic!("{error}"),
    }
}

type Figures = BTreeMap<&'static str, u64>;

fn compact(store: &EmbeddedStore, what: &Compaction) -> Result<Figures, StoreError> {
    store.compact(what, &Live, &mut |_| true).map(|report| report.figures.into_iter().collect())
}

fn keep(hours: u32) -> Compaction {
    Compaction { keep_changes: Some(HOUR * hours), forget: None }
}

fn forget(store: &dyn Store, selections: Vec<Selection>) -> Compaction {
    Compaction { keep_changes: None, forget: Some(Forget { selections, up_to: store.position() }) }
}

fn all_of(tenant: TenantId) -> Selection {
    Selection { tenant, keyspace: None, key_prefix: Vec::new() }
}

/// Everything derived, which has to be made again.
fn remove_derived(fs: &SimulatedFs) {
    for name in ["index", "side-"].iter().flat_map(|start| names(fs, start)) {
        fs.remove_raw(Path::new(DIR).join(name));
    }
}

fn holds(fs: &SimulatedFs, word: &[u8]) -> Vec<String> {
    let dirs = [Path::new(DIR).to_owned(), Path::new(DIR).join("blobs")];
    let paths = dirs
        .iter()
        .flat_map(|dir| fs.list(dir).unwrap_or_default().into_iter().map(move |name| dir.join(name)));
    let has = |path: &std::path::PathBuf| {
        fs.read_all(path).is_some_and(|bytes| bytes.windows(word.len()).any(|window| window == word))
    };
    paths.filter(has).map(|path| path.display().to_string()).collect()
}

/// The salts of all segments, out of the manifest.
fn salts_of(fs: &SimulatedFs) -> Vec<String> {
    let text = String::from_utf8(fs.read_all(Path::new(DIR).join("MANIFEST")).unwrap()).unwrap();
    let lines = text.lines().filter(|line| line.starts_with("segment"));
    lines.map(|line| line.rsplit_once(' ').unwrap().1.to_owned()).collect()
}

#[test]
fn what_is_older_than_the_horizon_goes_and_everything_that_counts_stays() {
    for kind in [Kind::Plain, Kind::Sealed] {
        let (fs, clock, store) = told(kind);
        let (seen, all) = (look(&store), events(&store, Position::START).unwrap());
        assert_eq!(horizon(&store), Position::START);
        let salts = salts_of(&fs);
        let done = compact(&store, &keep(30)).unwrap();
        let unchanged = salts_of(&fs).iter().filter(|salt| salts.contains(salt)).count() as u64;
        assert_eq!(unchanged, salts.len() as u64 - done["segments_rewritten"], "a nonce is never used twice");
        assert!(done["changes_dropped"] > 80 && done["segments_rewritten"] >= 2, "{done:?}");
        assert_eq!(done["images_written"], 1);
        let gone_to = horizon(&store);
        let left = after(&all, gone_to);
        assert!((30..60).contains(&left.len()), "{} changes of 80 hours are left", left.len());
        let check = |store: &EmbeddedStore, what: &str| {
            assert_eq!(look(store), seen, "{kind:?}: {what}");
            assert_eq!(events(store, gone_to).unwrap(), left, "{kind:?}: {what}");
            let before = gone_to.just_before();
            assert!(matches!(store.changes(before, None, 1), Err(StoreError::TooOld { .. })), "{what}");
            assert_eq!(findings(store), [], "{kind:?}: {what}");
        };
        check(&store, "at once");
        let again = compact(&store, &keep(30)).unwrap();
        assert_eq!((again["segments_rewritten"], again["images_written"]), (0, 0), "{again:?}");
        store.close().unwrap();
        drop(store);
        let store = open(&fs, &clock, kind).unwrap();
        assert_eq!(store.open_report().rebuilt, None);
        check(&store, "opened again");
        // Later changes are still told, and come after the image when the index is made again.
        drop(store);
        remove_derived(&fs);
        let store = open(&fs, &clock, kind).unwrap();
        assert!(store.open_report().rebuilt.is_some());
        check(&store, "rebuilt");
        // Everything that is complete by now goes.
        step(&store, &clock, STEPS);
        let done = compact(&store, &keep(0)).unwrap();
        assert!(done["changes_dropped"] > 0, "{done:?}");
        assert_eq!(findings(&store), []);
    }
}

#[test]
fn a_backup_of_a_thinned_store_restores_equal() {
    for kind in [Kind::Plain, Kind::Sealed] {
        let (fs, clock, store) = told(kind);
        let (seen, all) = (look(&store), events(&store, Position::START).unwrap());
        compact(&store, &keep(30)).unwrap();
        let backup = Path::new("data/backup.cairn");
        store
            .maintain(&Maintenance::Backup { to: backup.to_owned(), skip_damaged: false }, &mut |_| true)
            .unwrap();
        let dir = Path::new("data/restored");
        cairn_embedded::restore(
            backup,
            dir,
            &options(&fs, &clock, kind),
            cairn_embedded::RestoreHow::default(),
            &mut |_| true,
        )
        .unwrap();
        let restored = EmbeddedStore::open(dir, options(&fs, &clock, kind)).unwrap();
        assert_eq!(look(&restored), seen);
        assert_eq!(horizon(&restored), horizon(&store));
        assert_eq!(events(&restored, horizon(&store)).unwrap(), after(&all, horizon(&store)));
        assert_eq!(findings(&restored), []);
    }
}

/// Writes a word into everything that holds content, and takes it away again.
fn plant(store: &EmbeddedStore, clock: &ManualClock, large: bool) {
    let mut blobs = vec![blob(store, MINE, SECRET)];
    if large {
        let bytes = [SECRET, &vec![7; limits::BLOB_IN_COMMIT_BYTES_MAX]].concat();
        blobs.push(blob(store, MINE, &bytes));
    }
    let soon = clock.now_ms_plus(HOUR);
    let secret_key = key_of(MINE, SECRET);
    let plain_key = key_of(MINE, b"\x01shown");
    let (deleted, written_over) = (secret_key.clone(), plain_key.clone());
    let tell = |body: &[u8]| Event { kind: HAPPENED, body: body.to_vec() };
    cairn_seam::write(store, MINE, move |tx| {
        tx.put(NOTES, &deleted, b"a note")?;
        tx.put(NOTES, &written_over, SECRET)?;
        tx.hashed_put(SEEN, b"replaced", SECRET, None)?;
        tx.hashed_put(SEEN, b"expires", SECRET, Some(soon))?;
        blobs.iter().try_for_each(|blob| tx.put_blob(blob))?;
        tx.emit(tell(SECRET))
    })
    .unwrap();
    cairn_seam::write(store, MINE, move |tx| tx.emit(tell(SECRET))).unwrap();
    store.upkeep().unwrap();
    store.write_image().unwrap();
    cairn_seam::write(store, MINE, move |tx| {
        tx.delete(NOTES, &secret_key)?;
        tx.put(NOTES, &plain_key, b"nothing to hide")?;
        tx.hashed_put(SEEN, b"replaced", b"nothing", None)
    })
    .unwrap();
    store.upkeep().unwrap();
    clock.advance(HOUR * 26);
}

#[test]
fn what_was_forgotten_is_in_no_file() {
    let mut left = Vec::new();
    for kind in [Kind::Plain, Kind::Sealed] {
        let (fs, clock, store) = told(kind);
        plant(&store, &clock, true);
        assert_eq!(holds(&fs, SECRET).is_empty(), kind == Kind::Sealed);
        let (seen, all) = (look(&store), events(&store, Position::START).unwrap());
        let before = verify(&store, false);
        let done = compact(&store, &forget(&store, vec![all_of(MINE)])).unwrap();
        assert!(done["changes_dropped"] > 4 && done["index_renewed_at_next_opening"] == 1, "{done:?}");
        let of = |tenant| move |(_, whose, _): &&(Position, TenantId, Vec<Vec<u8>>)| *whose == tenant;
        let check = |store: &EmbeddedStore, what: &str| {
            assert_eq!(look(store), seen, "{kind:?}: {what}");
            assert_eq!(findings(store), [], "{kind:?}: {what}");
            let told = events(store, Position::START).unwrap();
            assert!(told.iter().filter(of(OTHER)).eq(all.iter().filter(of(OTHER))), "{what}");
            assert!(!told.iter().flat_map(|(.., bodies)| bodies).any(|body| body == SECRET), "{what}");
            assert!(told.iter().filter(of(MINE)).count() < all.iter().filter(of(MINE)).count(), "{what}");
        };
        check(&store, "at once");
        // The index alone is made anew later.
        assert!(holds(&fs, SECRET).iter().all(|name| name.contains("index")), "{:?}", holds(&fs, SECRET));
        store.close().unwrap();
        drop(store);
        assert_eq!(holds(&fs, SECRET), [""; 0], "{kind:?}: closed");
        let store = open(&fs, &clock, kind).unwrap();
        assert!(store.open_report().rebuilt.as_deref().unwrap().contains("forgotten"));
        check(&store, "opened again");
        assert_eq!(holds(&fs, SECRET), [""; 0], "{kind:?}: opened again");
        drop(store);
        let store = open(&fs, &clock, kind).unwrap();
        assert_eq!(store.open_report().rebuilt, None, "once is enough");
        let report = verify(&store, false);
        assert!(figure(&report, "records") < figure(&before, "records"));
        left.push(["records", "hashed_entries", "blobs", "blob_files"].map(|name| figure(&report, name)));
        drop(store);
        remove_derived(&fs);
        check(&open(&fs, &clock, kind).unwrap(), "rebuilt");
    }
    assert_eq!(left[0], left[1], "the same is left of a sealed store");
}

#[test]
fn a_narrow_selection_leaves_the_rest_of_history_alone() {
    let (fs, _, store) = told(Kind::Plain);
    let put = |keyspace, name: &[u8], value: &'static [u8]| {
        let key = key_of(MINE, name);
        let event = Event { kind: HAPPENED, body: value.to_vec() };
        cairn_seam::write(&store, MINE, move |tx| {
            tx.put(keyspace, &key, value)?;
            tx.emit(event.clone())
        })
        .unwrap();
    };
    put(NOTES, b"\x01one", b"first-of-notes-one");
    put(NOTES, b"\x02two", b"first-of-notes-two");
    put(DRAFTS, b"\x01one", b"first-of-drafts-one");
    put(NOTES, b"\x01one", b"second-of-notes-one");
    put(NOTES, b"\x02two", b"second-of-notes-two");
    put(DRAFTS, b"\x01one", b"second-of-drafts-one");
    let seen = look(&store);
    let selection = |keyspace: Keyspace, prefix: &[u8]| Selection {
        tenant: MINE,
        keyspace: Some(keyspace.id),
        key_prefix: prefix.to_vec(),
    };
    let in_log = |word: &[u8]| holds(&fs, word).iter().any(|name| name.contains("segment"));
    let check = |gone: &[&str]| {
        for word in ["first-of-notes-one", "first-of-notes-two", "first-of-drafts-one"] {
            assert_eq!(in_log(word.as_bytes()), !gone.contains(&word), "{word} when {gone:?} are gone");
        }
        for word in ["second-of-notes-one", "second-of-notes-two", "second-of-drafts-one"] {
            assert!(in_log(word.as_bytes()), "{word}");
        }
        assert_eq!(look(&store), seen);
        assert_eq!(findings(&store), []);
    };
    check(&[]);
    // Nothing after the position that was asked for.
    let early = Forget { selections: vec![all_of(MINE)], up_to: Position::from_stored(64) };
    compact(&store, &Compaction { keep_changes: None, forget: Some(early) }).unwrap();
    check(&[]);
    compact(&store, &forget(&store, vec![selection(NOTES, b"\x01")])).unwrap();
    check(&["first-of-notes-one"]);
    compact(&store, &forget(&store, vec![selection(DRAFTS, b"")])).unwrap();
    check(&["first-of-notes-one", "first-of-drafts-one"]);
    compact(&store, &forget(&store, vec![all_of(OTHER)])).unwrap();
    check(&["first-of-notes-one", "first-of-drafts-one"]);
    compact(&store, &forget(&store, vec![selection(NOTES, b"\x09"), selection(NOTES, b"\x02t")])).unwrap();
    check(&["first-of-notes-one", "first-of-drafts-one", "first-of-notes-two"]);
}

/// What is done while everything goes wrong once.
fn both(store: &EmbeddedStore) -> Result<Figures, StoreError> {
    compact(store, &Compaction { keep_changes: Some(HOUR * 20), ..forget(store, vec![all_of(MINE)]) })
}

fn trouble_at_every_operation(kind: Kind, troubles: &[&str]) {
    let prepare = || {
        let (fs, clock, store) = told_up_to(kind, 24);
        plant(&store, &clock, false);
        (fs, clock, store)
    };
    let (fs, _, store) = prepare();
    let (seen, all) = (look(&store), events(&store, Position::START).unwrap());
    let of = |tenant| move |(_, whose, _): &&(Position, TenantId, Vec<Vec<u8>>)| *whose == tenant;
    let start = fs.operations();
    let done = both(&store).unwrap();
    assert!(horizon(&store) > Position::START && done["segments_rewritten"] >= 2, "{done:?}");
    let end = fs.operations();
    drop(store);
    for at in start..end {
        for trouble in troubles {
            let what = format!("{kind:?}: {trouble} at {at} of {start} to {end}");
            let (fs, clock, store) = prepare();
            match *trouble {
                "power cut" => fs.cut_power_at(at),
                "error" => fs.inject(at, Fault::Error),
                _ => fs.inject(at, Fault::Full),
            }
            let _ = both(&store);
            drop(store);
            match *trouble {
                "power cut" => fs.power_cycle(),
                _ => fs.process_kill(),
            }
            let store = open(&fs, &clock, kind).unwrap_or_else(|error| panic!("{what}: {error}"));
            assert_eq!(look(&store), seen, "{what}");
            assert_eq!(findings(&store), [], "{what}");
            let gone_to = horizon(&store);
            let told = events(&store, gone_to).unwrap();
            assert!(
                told.iter().filter(of(OTHER)).eq(after(&all, gone_to).iter().filter(of(OTHER))),
                "{what}"
            );
            both(&store).unwrap_or_else(|error| panic!("{what}: {error}"));
            store.close().unwrap();
            drop(store);
            assert_eq!(holds(&fs, SECRET), [""; 0], "{what}");
            assert!(!names(&fs, "segment").iter().any(|name| name.contains("pack")), "{what}");
        }
    }
}

#[test]
fn trouble_at_every_operation_loses_nothing_and_what_is_left_is_forgotten_next_time() {
    trouble_at_every_operation(Kind::Plain, &["power cut", "error", "full disk"]);
}

#[test]
fn trouble_at_every_operation_of_a_sealed_store() {
    trouble_at_every_operation(Kind::Sealed, &["power cut"]);
}

#[test]
fn without_image_and_index_a_thinned_store_is_refused_in_words() {
    let (fs, clock, store) = told(Kind::Plain);
    let seen = look(&store);
    compact(&store, &keep(30)).unwrap();
    store.close().unwrap();
    drop(store);
    let image = Path::new(DIR).join(&names(&fs, "image")[0]);
    let whole = fs.read_all(&image).unwrap();
    let opened = |accept_loss| {
        let options = EmbeddedOptions { accept_loss, ..options(&fs, &clock, Kind::Plain) };
        EmbeddedStore::open(Path::new(DIR), options)
    };
    fs.flip(&image, 100);
    // The index is enough to go on, and to make the image again.
    let store = opened(false).unwrap();
    assert_eq!(look(&store), seen);
    let found = findings(&store);
    assert!(found.len() == 1 && found[0].file.starts_with("image") && !found[0].repaired, "{found:?}");
    assert!(fs.exists(&image), "looking changes nothing");
    let repaired = verify(&store, true).findings;
    assert!(repaired.iter().all(|finding| finding.repaired), "{repaired:?}");
    assert_eq!(findings(&store), []);
    store.close().unwrap();
    drop(store);
    // The new image is as good as the old one.
    let image = Path::new(DIR).join(&names(&fs, "image")[0]);
    remove_derived(&fs);
    let store = opened(false).unwrap();
    assert_eq!(look(&store), seen);
    store.close().unwrap();
    drop(store);
    assert_eq!(fs.read_all(&image).unwrap().len(), whole.len());
    for accept_loss in [false, true] {
        fs.flip(&image, 100);
        fs.corrupt(Path::new(DIR).join("index.redb"), |bytes| bytes.truncate(5000));
        let files = fs.list(Path::new(DIR)).unwrap();
        let error = opened(accept_loss).map(drop).unwrap_err().to_string();
        assert!(error.contains("image-") && error.contains("restore a backup"), "{error}");
        assert_eq!(fs.list(Path::new(DIR)).unwrap(), files, "nothing was touched");
        fs.flip(&image, 100);
        let store = opened(accept_loss).unwrap();
        assert_eq!(look(&store), seen);
        store.close().unwrap();
    }
    let kept = fs.read_all(&image).unwrap();
    fs.remove_raw(&image);
    fs.remove_raw(Path::new(DIR).join("index.redb"));
    let error = opened(false).map(drop).unwrap_err().to_string();
    assert!(error.contains("the image is missing") && error.contains("restore a backup"), "{error}");
    fs.write_raw(&image, &kept);
    assert_eq!(look(&opened(false).unwrap()), seen);
}

/// Where in a segment its first transaction stands.
fn first_transaction(segment: &[u8]) -> u64 {
    let mut at = 64;
    while segment[at + 16] != 1 {
        let len = u32::from_le_bytes(segment[at..at + 4].try_into().unwrap()) as usize;
        at += (24 + len).next_multiple_of(8);
    }
    at as u64
}

#[test]
fn damage_before_the_image_takes_no_record() {
    let (fs, clock, store) = told(Kind::Plain);
    compact(&store, &keep(30)).unwrap();
    (STEPS..STEPS + 40).for_each(|number| step(&store, &clock, number));
    let seen = look(&store);
    store.close().unwrap();
    drop(store);
    let first = Path::new(DIR).join(&names(&fs, "segment")[0]);
    fs.flip(&first, first_transaction(&fs.read_all(&first).unwrap()) + 25);
    // Neither the index nor, without it, the image needs what was there.
    for index in ["there", "gone"] {
        if index == "gone" {
            assert!(fs.remove_raw(Path::new(DIR).join("index.redb")));
        }
        let store = open(&fs, &clock, Kind::Plain).unwrap();
        let report = store.open_report();
        assert_eq!((report.read_only.as_ref(), report.lost), (None, false), "index {index}");
        assert_eq!(report.damage[0].file, first, "index {index}");
        assert_eq!(look(&store).records, seen.records, "index {index}");
    }
}

#[test]
fn an_index_from_before_is_not_brought_up_to_date_from_a_log_that_lacks_changes() {
    let (fs, clock, store) = told(Kind::Plain);
    store.apply_now().unwrap();
    let old = fs.read_all(Path::new(DIR).join("index.redb")).unwrap();
    (STEPS..STEPS + 30).for_each(|number| step(&store, &clock, number));
    let seen = look(&store);
    compact(&store, &keep(1)).unwrap();
    store.close().unwrap();
    drop(store);
    fs.write_raw(Path::new(DIR).join("index.redb"), &old);
    // What notes that the index was further once.
    assert!(fs.remove_raw(Path::new(DIR).join("index.watermark")));
    let store = open(&fs, &clock, Kind::Plain).unwrap();
    assert_eq!(look(&store).records, seen.records);
    assert!(store.open_report().rebuilt.as_deref().unwrap().contains("older than the image"));
}

#[test]
fn expired_entries_do_not_bring_back_older_ones() {
    let (fs, clock, store) = told(Kind::Plain);
    let put = |value: &'static [u8], expires: Option<u64>| {
        cairn_seam::write(&store, MINE, move |tx| tx.hashed_put(SEEN, b"twice", value, expires)).unwrap();
    };
    put(b"for ever", None);
    (STEPS..STEPS + 30).for_each(|number| step(&store, &clock, number));
    compact(&store, &keep(1)).unwrap();
    put(b"not long", Some(clock.now_ms_plus(HOUR)));
    (STEPS..STEPS + 30).for_each(|number| step(&store, &clock, number));
    for _ in 0..3 {
        compact(&store, &keep(1)).unwrap();
        step(&store, &clock, STEPS);
        assert_eq!(findings(&store), []);
    }
    store.close().unwrap();
    drop(store);
    remove_derived(&fs);
    let store = open(&fs, &clock, Kind::Plain).unwrap();
    let snapshot = store.snapshot(Position::START).unwrap();
    let visit = &mut |_: usize, value: Option<&[u8]>| assert_eq!(value, None);
    snapshot.hashed_get(SEEN, MINE, &[b"twice"], visit).unwrap();
    assert!(!names(&fs, "segment").is_empty());
}

#[test]
fn an_image_is_written_when_the_log_has_grown() {
    let fs = SimulatedFs::new(3);
    let clock = ManualClock::new(1_700_000_000_000);
    let options = EmbeddedOptions { compact_image_bytes: 20 << 10, ..options(&fs, &clock, Kind::Plain) };
    let store = EmbeddedStore::open(Path::new(DIR), options).unwrap();
    let mut written = Vec::new();
    for number in 0..STEPS {
        step(&store, &clock, number);
        written.push(compact(&store, &Compaction::default()).unwrap()["images_written"]);
    }
    let count: u64 = written.iter().sum();
    let log_bytes = store.stats().files.unwrap_or_default().log_bytes;
    assert!((log_bytes / (30 << 10)..=log_bytes / (20 << 10)).contains(&count), "{count} for {log_bytes}");
    assert_eq!(horizon(&store), Position::START, "all changes are kept unless somebody says otherwise");
    assert_eq!(events(&store, Position::START).unwrap().len() as u64, STEPS);
}

#[test]
fn readers_and_writers_go_on_while_history_is_thinned_out() {
    let dir = tempfile::tempdir().unwrap();
    let clock = ManualClock::new(1_700_000_000_000);
    let options = EmbeddedOptions {
        clock: Arc::new(clock.clone()),
        key: Some(key(1)),
        reserve_bytes: 0,
        segment_bytes: 256 << 10,
        ..EmbeddedOptions::default()
    };
    let store = EmbeddedStore::open(dir.path(), options).unwrap();
    let put = |slot: u64, number: u64| {
        let key = key_of(MINE, &slot.to_be_bytes());
        let value = [number.to_be_bytes().as_slice(), &[7; 600]].concat();
        cairn_seam::write(&store, MINE, move |tx| {
            tx.put(NOTES, &key, &value)?;
            tx.hashed_put(SEEN, &slot.to_be_bytes(), &number.to_be_bytes(), None)?;
            tx.emit(Event { kind: HAPPENED, body: number.to_be_bytes().to_vec() })
        })
        .unwrap();
    };
    (0..2000).for_each(|number| put(number % 50, number));
    let stop = AtomicBool::new(false);
    let written = thread::scope(|scope| {
        let writer = scope.spawn(|| {
            let mut number = 2000;
            while !stop.load(Ordering::Relaxed) {
                put(number % 50, number);
                number += 1;
            }
            number
        });
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                let mut at = horizon(&store);
                let mut last = 0;
                loop {
                    match store.changes(at, None, 100) {
                        Ok(page) => {
                            for change in &page.changes {
                                let number =
                                    u64::from_be_bytes((&*change.events[0].body).try_into().unwrap());
                                assert!(number > last || last == 0, "{number} after {last}");
                                last = number;
                            }
                            at = page.next;
                            if page.at_end {
                                break;
                            }
                        }
                        Err(StoreError::TooOld { .. }) => break,
                        Err(error) => panic!("{error}"),
                    }
                }
            }
        });
        for round in 0..6 {
            clock.advance(HOUR);
            let what = match round % 2 {
                0 => keep(1),
                _ => forget(&store, vec![all_of(MINE)]),
            };
            compact(&store, &what).unwrap();
            thread::sleep(Duration::from_millis(50));
        }
        stop.store(true, Ordering::Relaxed);
        writer.join().unwrap()
    });
    assert!(written > 2100, "writers went on: {written}");
    assert!(horizon(&store) > Position::START);
    let expect = |store: &EmbeddedStore| {
        let snapshot = store.snapshot(Position::START).unwrap();
        for slot in 0..50u64 {
            let newest = (0..written).rev().find(|number| number % 50 == slot).unwrap();
            let key = key_of(MINE, &slot.to_be_bytes());
            let value = cairn_seam::get(&*snapshot, NOTES, &key).unwrap().unwrap();
            assert_eq!(value[..8], newest.to_be_bytes());
            let visit = &mut |_: usize, value: Option<&[u8]>| {
                assert_eq!(value, Some(newest.to_be_bytes().as_slice()));
            };
            snapshot.hashed_get(SEEN, MINE, &[&slot.to_be_bytes()], visit).unwrap();
        }
    };
    expect(&store);
    assert_eq!(findings(&store), []);
    store.close().unwrap();
    drop(store);
    let options = EmbeddedOptions { key: Some(key(1)), reserve_bytes: 0, ..EmbeddedOptions::default() };
    let store = EmbeddedStore::open(dir.path(), options).unwrap();
    expect(&store);
    assert_eq!(findings(&store), []);
}
