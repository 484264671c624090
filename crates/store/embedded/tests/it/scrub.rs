//! Verification in the background: what it finds, what it repairs, how fast it reads, where it goes on.

use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cairn_base::fs::{FileSystem, SimulatedFs};
use cairn_base::{Entropy, ManualClock, SeededEntropy, SystemClock, TenantId};
use cairn_embedded::{Background, EmbeddedOptions, EmbeddedStore};
use cairn_seam::{
    Compaction, Finding, Keyspace, LocalStore, Maintenance, ScrubKind, ScrubPolicy, Store, StoreError, write,
};

use crate::doctor::{file, findings, names};
use crate::kit::{DIR, key, small_options};
use crate::workload::Workload;

const TENANT: TenantId = TenantId(1);
const FILL: Keyspace = Keyspace::new(11, "fill");
const FILLED: u64 = 400;
/// Offset of the first page of an index that is not a header, also of a sealed one.
const FIRST_PAGE: usize = 52 << 10;
const FLAT_OUT: ScrubPolicy = ScrubPolicy { rate: NonZeroU64::MAX, every: Duration::ZERO };

/// A disk, a clock and a store on them that scrubs one pass with each upkeep.
struct Subject {
    fs: SimulatedFs,
    clock: ManualClock,
    store: Arc<EmbeddedStore>,
    workload: Workload,
}

fn options(fs: &SimulatedFs, clock: &ManualClock, is_sealed: bool) -> EmbeddedOptions {
    EmbeddedOptions {
        clock: Arc::new(clock.clone()),
        key: is_sealed.then(|| key(1)),
        ..small_options(Arc::new(fs.clone()), 1)
    }
}

impl Subject {
    /// With a few segments, side files, an image, everything in the index, and a large blob.
    fn new(seed: u64, is_sealed: bool) -> Self {
        let (fs, clock) = (SimulatedFs::new(seed), ManualClock::new(1_700_000_000_000));
        let store = Arc::new(EmbeddedStore::open(Path::new(DIR), options(&fs, &clock, is_sealed)).unwrap());
        let mut workload = Workload::new(seed);
        while store.stats().files.unwrap_or_default().segments < 6 {
            workload.commit_some(&store).unwrap();
            store.upkeep().unwrap();
        }
        store.write_image().unwrap();
        workload.commit_some(&store).unwrap();
        let mut bytes = vec![0; 1_500_000];
        SeededEntropy::new(seed).fill(&mut bytes);
        let mut upload = store.upload(TENANT).unwrap();
        upload.write(&bytes).unwrap();
        let blob = upload.finish().unwrap();
        let put = move |tx: &mut dyn cairn_seam::WriteTx| tx.put_blob(&blob);
        write::<_, StoreError>(&*store, TENANT, put).unwrap();
        // More than one page, and none of the workload's business.
        for cell in 0..FILLED {
            let fill = move |tx: &mut dyn cairn_seam::WriteTx| tx.put(FILL, &fill_key(cell), &[7; 300]);
            write::<_, StoreError>(&*store, TENANT, fill).unwrap();
        }
        store.apply_now().unwrap();
        store.upkeep().unwrap();
        store.set_scrub(Some(FLAT_OUT));
        Subject { fs, clock, store, workload }
    }

    /// One pass, and what it tells.
    fn pass(&self) -> Vec<Finding> {
        let before = self.store.scrub_status().passes;
        let report = self.store.upkeep().unwrap();
        assert_eq!(self.store.scrub_status().passes, before + 1, "a pass");
        report.findings
    }

    fn blob_file(&self) -> String {
        let names = self.fs.list(&Path::new(DIR).join("blobs")).unwrap();
        format!("blobs/{}", names[0])
    }

    fn flip_middle(&self, name: &str) {
        let len = self.fs.read_all(file(name)).unwrap().len() as u64;
        self.fs.flip(file(name), len / 2);
    }
}

fn both() -> [Subject; 2] {
    [Subject::new(1, false), Subject::new(2, true)]
}

#[test]
fn a_pass_reads_every_file_and_finds_nothing_in_a_store_in_use() {
    for mut subject in both() {
        for round in 0..20 {
            subject.workload.commit_some(&subject.store).unwrap();
            match round % 5 {
                1 => drop(subject.store.write_image().unwrap()),
                3 => drop(subject.store.apply_now()),
                _ => {}
            }
            assert_eq!(subject.pass(), [], "round {round}");
        }
        let status = subject.store.scrub_status();
        let last = status.last.unwrap();
        let stats = subject.store.stats().files.unwrap();
        let files = 3 + stats.segments + stats.side_files + 1;
        assert!(last.files >= files - 1 && last.files <= files + 1, "{} of {files} files", last.files);
        assert!(last.bytes > stats.log_bytes + stats.index_bytes / 2 + 1_500_000, "{last:?}");
        assert_eq!((status.found.total(), status.damage), (0, Vec::new()));
        subject.workload.check(&subject.store);
    }
}

#[test]
fn derived_files_are_rebuilt_while_the_store_serves() {
    for mut subject in both() {
        for (start, kind) in [
            ("side-", ScrubKind::Side),
            ("image-", ScrubKind::Image),
            ("MANIFEST", ScrubKind::Manifest),
            ("index.redb", ScrubKind::Index),
        ] {
            assert_eq!(subject.pass(), [], "nothing is left to do for housekeeping");
            let name = names(&subject.fs, start)[0].clone();
            if kind == ScrubKind::Index {
                subject.fs.corrupt(file(&name), |bytes| {
                    let len = bytes.len();
                    bytes[FIRST_PAGE.max(len / 4)..len].fill(0xaa);
                });
            } else {
                subject.flip_middle(&name);
            }
            let found = subject.pass();
            assert!(!found.is_empty(), "{name}");
            assert!(found.iter().all(|found| found.file == name && found.repaired), "{found:?}");
            let status = subject.store.scrub_status();
            assert!(status.last.as_ref().unwrap().repaired.get(kind) > 0, "{status:?}");
            assert_eq!(status.damaged.total(), 0, "{status:?}");
            assert_eq!(findings(&subject.store), [], "the doctor agrees after {name}");
            assert_eq!(subject.pass(), [], "after {name}");
            subject.workload.check(&subject.store);
            subject.workload.commit_some(&subject.store).unwrap();
        }
        assert!(!subject.fs.exists(file("index.new")));
        drop(subject.store);
        subject.fs.process_kill();
        let is_sealed =
            subject.fs.read_all(file("MANIFEST")).unwrap().windows(5).any(|word| word == b"root ");
        let store =
            EmbeddedStore::open(Path::new(DIR), options(&subject.fs, &subject.clock, is_sealed)).unwrap();
        assert_eq!(store.open_report().rebuilt, None, "there is nothing left to rebuild");
        subject.workload.check(&store);
    }
}

#[test]
fn damage_in_primary_data_is_told_once_and_shown_until_it_is_gone() {
    for subject in both() {
        let blob = subject.blob_file();
        for (name, kind) in
            [(names(&subject.fs, "segment-")[1].clone(), ScrubKind::Segment), (blob.clone(), ScrubKind::Blob)]
        {
            let before = subject.store.scrub_status().found.get(kind);
            subject.flip_middle(&name);
            let found = subject.pass();
            assert_eq!(found.len(), 1, "{found:?}");
            assert!(found[0].file == name && !found[0].repaired, "{found:?}");
            for _ in 0..3 {
                assert_eq!(subject.pass(), [], "told already");
                let status = subject.store.scrub_status();
                assert_eq!(status.last.unwrap().found.get(kind), 1);
                assert_eq!((status.found.get(kind), status.damaged.get(kind)), (before + 1, 1));
                assert_eq!(status.damage.len(), 1);
            }
            subject.flip_middle(&name);
            assert_eq!(subject.pass(), []);
            assert_eq!(subject.store.scrub_status().damaged.total(), 0, "whole again");
        }
        subject.flip_middle(&blob);
        assert_eq!(subject.pass().len(), 1);
        let Subject { fs, clock, store, workload } = subject;
        let is_sealed = store.derived_seal("any").is_some();
        store.close().unwrap();
        drop(store);
        let store = Arc::new(EmbeddedStore::open(Path::new(DIR), options(&fs, &clock, is_sealed)).unwrap());
        assert_eq!(store.scrub_status().damaged.get(ScrubKind::Blob), 1, "a restart repairs nothing");
        assert_eq!(store.upkeep().unwrap().findings.len(), 1, "told once more");
        store.set_scrub(Some(FLAT_OUT));
        let subject = Subject { fs, clock, store, workload };
        assert_eq!(subject.pass(), []);
        subject.flip_middle(&blob);
        assert_eq!(subject.pass(), []);
        assert_eq!(subject.store.scrub_status().damaged.total(), 0);
        let bytes = subject.fs.read_all(file(&blob)).unwrap();
        assert!(subject.fs.remove_raw(file(&blob)));
        let found = subject.pass();
        assert_eq!(found.len(), 1, "{found:?}");
        assert_eq!(
            (found[0].file.as_str(), found[0].detail.as_str()),
            (&blob[..], "the file of the blob is missing")
        );
        for _ in 0..2 {
            assert_eq!(subject.pass(), [], "told already");
            assert_eq!(subject.store.scrub_status().damaged.get(ScrubKind::Blob), 1);
        }
        subject.fs.write_raw(file(&blob), &bytes);
        assert_eq!(subject.pass(), []);
        assert_eq!(subject.store.scrub_status().damaged.total(), 0);
    }
}

#[test]
fn it_reads_no_faster_than_its_rate_and_goes_on_where_it_was() {
    let subject = Subject::new(3, false);
    let Subject { fs, clock, store, .. } = subject;
    let policy =
        ScrubPolicy { rate: NonZeroU64::new(50_000).unwrap(), every: Duration::from_secs(7 * 24 * 60 * 60) };
    store.set_scrub(Some(policy));
    let largest = 1_600_000;
    let mut store = store;
    let (mut files, mut restarts, mut restart_at) = (0, 0, 4);
    let (mut read, mut seconds) = (0, 0);
    while store.scrub_status().last.is_none() {
        store.upkeep().unwrap();
        let status = store.scrub_status();
        let now = status.current.or(status.last).unwrap();
        assert!(now.files >= files, "a restart does not begin again: {now:?} after {files} files");
        assert!(now.bytes <= 50_000 * (seconds + 1) + largest, "{} bytes in {seconds} s", now.bytes);
        assert_eq!(status.found.total(), 0);
        if now.files >= restart_at {
            restart_at = now.files + 4;
            restarts += 1;
            store.close().unwrap();
            drop(store);
            fs.process_kill();
            store = Arc::new(EmbeddedStore::open(Path::new(DIR), options(&fs, &clock, false)).unwrap());
            store.set_scrub(Some(policy));
        }
        (files, read) = (now.files, now.bytes);
        clock.advance(Duration::from_secs(1));
        seconds += 1;
        assert!(seconds < 1000, "it goes on");
    }
    assert!(restarts >= 2 && read > 1_500_000, "{restarts} restarts, {read} bytes");
    assert!(seconds > 20, "{read} bytes in {seconds} s");
    // The next pass begins when its time has come, also after another restart.
    let started = store.scrub_status().last.unwrap().started_at_ms;
    store.upkeep().unwrap();
    assert_eq!(store.scrub_status().current, None);
    store.close().unwrap();
    drop(store);
    let store = EmbeddedStore::open(Path::new(DIR), options(&fs, &clock, false)).unwrap();
    store.set_scrub(Some(policy));
    assert_eq!(store.scrub_status().last.unwrap().started_at_ms, started);
    store.upkeep().unwrap();
    assert_eq!(store.scrub_status().current, None);
    clock.advance(policy.every);
    store.upkeep().unwrap();
    assert!(store.scrub_status().current.is_some());
}

#[test]
fn it_stands_still_while_the_doctor_works_and_when_it_is_off() {
    let subject = Subject::new(4, false);
    let bytes = || subject.store.scrub_status().bytes;
    let before = bytes();
    let mut stages = 0;
    let look = |_: cairn_seam::Stage<'_>| {
        stages += 1;
        subject.store.upkeep().unwrap();
        true
    };
    let mut look = look;
    subject.store.maintain(&Maintenance::Verify { repair: false }, &mut look).unwrap();
    assert_eq!(bytes(), before, "in {stages} stages");
    assert!(stages > 3);
    subject.pass();
    let before = bytes();
    subject.store.set_scrub(None);
    subject.store.upkeep().unwrap();
    assert_eq!(bytes(), before);
}

#[test]
fn compaction_and_backups_beside_it_are_no_findings() {
    for mut subject in both() {
        for round in 0..6u64 {
            for _ in 0..5 {
                subject.workload.commit_some(&subject.store).unwrap();
            }
            let store = Arc::clone(&subject.store);
            let look = |_: cairn_seam::Stage<'_>| {
                assert_eq!(store.upkeep().unwrap().findings, [], "round {round}");
                true
            };
            let mut look = look;
            let compaction =
                Compaction { keep_changes: (round == 4).then_some(Duration::ZERO), forget: None };
            struct Nothing;
            impl cairn_seam::References for Nothing {
                fn visit(
                    &self,
                    _: &mut dyn FnMut(TenantId, &cairn_base::ContentHash),
                ) -> Result<(), StoreError> {
                    Ok(())
                }
            }
            subject.store.compact(&compaction, &Nothing, &mut look).unwrap();
            let to = format!("data/backup-{round}.cairn").into();
            subject.store.maintain(&Maintenance::Backup { to, skip_damaged: false }, &mut look).unwrap();
            subject.clock.advance(Duration::from_secs(10 * 60 * 60));
            assert_eq!(subject.pass(), []);
        }
    }
}

fn without_cache(fs: &SimulatedFs, clock: &ManualClock) -> EmbeddedOptions {
    EmbeddedOptions { cache_bytes: 0, ..options(fs, clock, false) }
}

fn damage_index(fs: &SimulatedFs) {
    fs.corrupt(file("index.redb"), |bytes| {
        let len = bytes.len();
        bytes[8192..len].fill(0xaa);
    });
}

/// A store that has nothing of its index in memory, which is damaged.
fn damaged_index(seed: u64) -> (SimulatedFs, Arc<EmbeddedStore>, Workload) {
    let Subject { fs, clock, store, workload } = Subject::new(seed, false);
    store.close().unwrap();
    drop(store);
    fs.process_kill();
    let store = Arc::new(EmbeddedStore::open(Path::new(DIR), without_cache(&fs, &clock)).unwrap());
    damage_index(&fs);
    (fs, store, workload)
}

fn fill_key(cell: u64) -> Vec<u8> {
    [&TENANT.0.to_be_bytes()[..], &cell.to_be_bytes()].concat()
}

fn get(store: &EmbeddedStore, cell: u64) -> Result<Option<Vec<u8>>, StoreError> {
    let key = fill_key(cell);
    let mut found = None;
    let snapshot = store.snapshot(cairn_base::Position::START)?;
    snapshot.multi_get(FILL, &[&key], &mut |_, value| found = value.map(<[u8]>::to_vec))?;
    Ok(found)
}

#[test]
fn a_read_that_meets_a_damaged_index_fails_in_words_and_works_after_the_next_upkeep() {
    let (fs, store, mut workload) = damaged_index(5);
    let before = store.snapshot(cairn_base::Position::START).unwrap();
    let error = get(&store, 1).unwrap_err();
    assert!(matches!(error, StoreError::IndexRebuilding { .. }), "{error}");
    assert!(error.to_string().contains("retry"), "{error}");
    assert!(!fs.exists(file("index.damaged")), "nothing depends on a restart");
    // Writes that read nothing go on.
    for n in 1000..1020u64 {
        let key = fill_key(n);
        let put = move |tx: &mut dyn cairn_seam::WriteTx| tx.put(FILL, &key, b"meanwhile");
        write::<_, StoreError>(&*store, TENANT, put).unwrap();
        assert_eq!(get(&store, n).unwrap().as_deref(), Some(&b"meanwhile"[..]));
    }
    let found = store.upkeep().unwrap().findings;
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].file == "index.redb" && found[0].repaired, "{found:?}");
    assert_eq!(store.scrub_status().repaired.get(ScrubKind::Index), 1);
    assert_eq!(get(&store, 1).unwrap().as_deref(), Some(&[7; 300][..]));
    for n in 1000..1020u64 {
        assert_eq!(get(&store, n).unwrap().as_deref(), Some(&b"meanwhile"[..]));
        let key = fill_key(n);
        let delete = move |tx: &mut dyn cairn_seam::WriteTx| tx.delete(FILL, &key);
        write::<_, StoreError>(&*store, TENANT, delete).unwrap();
    }
    // A snapshot from before still leads to the old index, and says so.
    let key = fill_key(1);
    let old = before.multi_get(FILL, &[&key], &mut |_, _| ()).unwrap_err();
    assert!(matches!(old, StoreError::IndexRebuilding { .. }), "{old}");
    drop(before);
    store.upkeep().unwrap();
    workload.check(&store);
    assert_eq!(findings(&store), []);
    workload.commit_some(&store).unwrap();
    drop(store);
    fs.process_kill();
    let store = crate::kit::open_simulated(&fs, 9).unwrap();
    assert_eq!(store.open_report().rebuilt, None);
    workload.check(&store);
}

#[test]
fn an_index_is_not_rebuilt_from_a_damaged_log() {
    let (fs, store, _) = damaged_index(6);
    let image = names(&fs, "image-")[0].clone();
    let whole = fs.read_all(file("index.redb")).unwrap();
    fs.flip(file(&image), 100);
    let segment = names(&fs, "segment-")[1].clone();
    fs.flip(file(&segment), 500);
    get(&store, 1).unwrap_err();
    let found = store.upkeep().unwrap().findings;
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].file == "index.redb" && !found[0].repaired, "{found:?}");
    assert!(found[0].detail.contains("cannot be rebuilt") && found[0].detail.contains(&segment), "{found:?}");
    assert_eq!(store.scrub_status().damaged.get(ScrubKind::Index), 1);
    assert!(fs.read_all(file("index.redb")).unwrap() == whole, "it may be the only copy");
    assert!(!fs.exists(file("index.new")) && !fs.exists(file("index.damaged")));
    assert_eq!(store.upkeep().unwrap().findings, [], "told once");
    // As soon as the log can be read again, it is.
    fs.flip(file(&segment), 500);
    store.upkeep().unwrap();
    get(&store, 1).unwrap();
    assert_eq!(store.scrub_status().damaged.total(), 0);
}

#[test]
fn writers_are_refused_when_the_index_cannot_be_rebuilt_and_memory_is_full() {
    let (fs, store, _) = damaged_index(7);
    let segment = names(&fs, "segment-")[1].clone();
    fs.flip(file(&names(&fs, "image-")[0]), 100);
    fs.flip(file(&segment), 500);
    get(&store, 1).unwrap_err();
    store.upkeep().unwrap();
    let put = |n: u64| {
        let key = fill_key(1000 + n);
        write::<_, StoreError>(&*store, TENANT, move |tx: &mut dyn cairn_seam::WriteTx| {
            tx.put(FILL, &key, &[7; 900])
        })
    };
    assert_eq!(store.health(), cairn_seam::Health::Serving, "nothing is refused yet");
    let refused = (0..200).find_map(|n| put(n).err()).expect("memory is bounded");
    assert!(
        matches!(&refused, StoreError::Damaged(place) if place.detail.contains("cannot be rebuilt")),
        "{refused}"
    );
    assert!(matches!(store.health(), cairn_seam::Health::Poisoned { .. }));
    fs.flip(file(&segment), 500);
    store.upkeep().unwrap();
    put(500).unwrap();
    assert_eq!(store.health(), cairn_seam::Health::Serving);
}

/// A disk with the files of another one.
fn copy_of(files: &[(PathBuf, Vec<u8>)], seed: u64) -> SimulatedFs {
    let fs = SimulatedFs::new(seed);
    files.iter().for_each(|(path, bytes)| fs.write_raw(path, bytes));
    fs
}

#[test]
fn power_cuts_and_kills_at_every_operation_of_a_rebuild_leave_a_store_that_opens() {
    let Subject { fs, clock, store, workload } = Subject::new(8, false);
    store.close().unwrap();
    drop(store);
    let dir = Path::new(DIR);
    let files: Vec<(PathBuf, Vec<u8>)> = [dir.to_owned(), dir.join("blobs")]
        .iter()
        .flat_map(|dir| fs.list(dir).unwrap().into_iter().map(|name| dir.join(name)))
        .map(|path| (path.clone(), fs.read_all(&path).unwrap()))
        .collect();
    let damaged = |fs: &SimulatedFs| {
        let store = EmbeddedStore::open(dir, without_cache(fs, &clock)).unwrap();
        damage_index(fs);
        get(&store, 1).unwrap_err();
        store
    };
    let operations = {
        let fs = copy_of(&files, 0);
        let store = damaged(&fs);
        let before = fs.operations();
        store.upkeep().unwrap();
        fs.operations() - before
    };
    assert!(operations > 8, "{operations}");
    for cut in 0..=operations {
        for is_kill in [false, true] {
            let fs = copy_of(&files, cut);
            let mut workload = workload.copy();
            let store = damaged(&fs);
            fs.cut_power_at(fs.operations() + cut);
            let _ = store.upkeep();
            drop(store);
            if is_kill {
                fs.process_kill();
            }
            fs.power_cycle();
            let store = crate::kit::open_simulated(&fs, 9).unwrap();
            assert!(!fs.exists(file("index.new")), "cut at {cut}");
            if get(&store, 1).is_err() {
                store.upkeep().unwrap();
            }
            assert_eq!(get(&store, 1).unwrap().as_deref(), Some(&[7; 300][..]), "cut at {cut}");
            workload.check(&store);
            assert_eq!(findings(&store), [], "cut at {cut}");
        }
    }
}

#[test]
fn a_rebuild_goes_on_beside_writers_and_readers() {
    let Subject { fs, clock, store, mut workload } = Subject::new(10, false);
    store.close().unwrap();
    drop(store);
    fs.process_kill();
    let threaded = EmbeddedOptions {
        background: Background::Threads,
        clock: Arc::new(SystemClock),
        ..without_cache(&fs, &clock)
    };
    let store = Arc::new(EmbeddedStore::open(Path::new(DIR), threaded).unwrap());
    store.set_scrub(Some(FLAT_OUT));
    let put = |n: u64| {
        let fill =
            move |tx: &mut dyn cairn_seam::WriteTx| tx.put(FILL, &fill_key(FILLED + n), &n.to_be_bytes());
        write::<_, StoreError>(&*store, TENANT, fill).unwrap();
    };
    let mut refused = 0;
    for round in 0..5 {
        damage_index(&fs);
        for n in 0..60 {
            put(round * 60 + n);
            match get(&store, n) {
                Ok(found) => assert_eq!(found.as_deref(), Some(&[7; 300][..])),
                Err(StoreError::IndexRebuilding { .. }) => refused += 1,
                Err(error) => panic!("{error}"),
            }
        }
        while get(&store, 1).is_err() {
            std::thread::yield_now();
        }
        let passes = store.scrub_status().passes;
        while store.scrub_status().passes < passes + 2 {
            std::thread::yield_now();
        }
    }
    let status = store.scrub_status();
    assert!(refused > 0 || status.repaired.get(ScrubKind::Index) > 0, "somebody met the damage: {status:?}");
    assert_eq!(status.damaged.total(), 0, "{status:?}");
    for n in 0..300 {
        assert_eq!(get(&store, FILLED + n).unwrap().as_deref(), Some(&n.to_be_bytes()[..]));
    }
    workload.check(&store);
    store.close().unwrap();
    drop(store);
    let store = crate::kit::open_simulated(&fs, 9).unwrap();
    assert_eq!(store.open_report().rebuilt, None);
    assert_eq!(findings(&store), []);
    workload.check(&store);
}
