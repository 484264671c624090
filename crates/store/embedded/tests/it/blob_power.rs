//! Trouble at random moments of everything that blobs go through: commits, uploads that end and that do
//! not, sweeps, compaction, backups, new keys, also inside of each other.
//!
//! After each trouble the store opens, holds what was acknowledged, nothing is half there, the doctor finds
//! nothing, and there is no file that nothing owns. A failing seed is printed; `replay(seed, …)` brings it
//! back.

use std::num::NonZeroU64;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cairn_base::fs::{Fault, FileSystem, SimulatedFs};
use cairn_base::{Clock, Entropy, ManualClock, SeededEntropy};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore, RestoreHow, restore};
use cairn_seam::{
    Blob, Compaction, Forget, LocalStore, Maintenance, ScrubPolicy, Selection, Stage, Store, StoreError,
};

use crate::blob_model::{Model, Step, TENANT, commit, contents, is_large, transactions_in};
use crate::kit::{DIR, key, small_options};
use crate::turmoil::unowned;

/// Seeds of the random test; the simulator of a release build takes more through the environment.
const SEEDS: u64 = 250;
const ROUNDS: u64 = 3;
const ACTIONS: u64 = 22;
/// About as many operations as one life has.
const OPERATIONS: u64 = 420;
/// A pass over all files with each upkeep.
const FLAT_OUT: ScrubPolicy = ScrubPolicy { rate: NonZeroU64::MAX, every: Duration::ZERO };

/// What goes wrong.
#[derive(Debug, Clone, Copy)]
enum Trouble {
    PowerCut,
    Kill,
    Fault(Fault),
}

/// What came up, so that a test can tell that everything did.
#[derive(Debug, Default, Clone, Copy)]
struct Tally {
    packed: u64,
    dropped: u64,
    files_removed: u64,
    restored: u64,
    rotated: u64,
    changed_in_use: u64,
    inside_backups: u64,
    inside_compactions: u64,
    unknown_keys: u64,
    unfinished: u64,
    passes: u64,
}

/// A backup that was begun.
struct Backup {
    path: PathBuf,
    model: Model,
    key: Option<u64>,
    is_acknowledged: bool,
}

/// Who is at work, so that nobody waits for himself.
#[derive(Clone, Copy, Default)]
struct Inside {
    backup: bool,
    compaction: bool,
    /// Doctors and backups wait until history is thinned out.
    thinning: bool,
}

/// A disk with a store on it, and what is known about it.
struct World {
    fs: SimulatedFs,
    clock: ManualClock,
    random: SeededEntropy,
    model: Model,
    /// A transaction of whose outcome nobody was told, and the time it was made.
    unknown: Option<(Step, u64)>,
    /// Keys that the store may have; none for a store in the open.
    keys: Vec<Option<u64>>,
    is_made: bool,
    /// Whether files are verified in the background as well.
    scrubs: bool,
    /// An upload that is complete and that no commit names yet.
    held: Option<(usize, Blob)>,
    backup: Option<Backup>,
    names: u64,
    /// The operation that fails.
    fault_at: Option<u64>,
    tally: Tally,
}

impl World {
    fn new(seed: u64) -> Self {
        let is_sealed = seed.is_multiple_of(2);
        World {
            fs: SimulatedFs::new(seed),
            clock: ManualClock::new(1_700_000_000_000),
            random: SeededEntropy::new(seed),
            model: Model::default(),
            unknown: None,
            keys: vec![is_sealed.then_some(1)],
            is_made: false,
            scrubs: seed % 4 == 1,
            held: None,
            backup: None,
            names: 0,
            fault_at: None,
            tally: Tally::default(),
        }
    }

    fn below(&self, limit: u64) -> u64 {
        self.random.next_u64() % limit
    }

    fn options(&self, number: Option<u64>) -> EmbeddedOptions {
        EmbeddedOptions {
            clock: Arc::new(self.clock.clone()),
            key: number.map(key),
            ..small_options(Arc::new(self.fs.clone()), self.random.next_u64())
        }
    }

    /// Opens the store with the key that fits.
    fn open(&mut self) -> Result<EmbeddedStore, StoreError> {
        let mut refused = None;
        for number in self.keys.clone() {
            match EmbeddedStore::open(Path::new(DIR), self.options(number)) {
                Ok(store) => {
                    (self.keys, self.is_made) = (vec![number], true);
                    store.set_scrub(self.scrubs.then_some(FLAT_OUT));
                    return Ok(store);
                }
                Err(error @ StoreError::KeyMismatch { .. }) => refused = Some(error),
                Err(error) => return Err(error),
            }
        }
        Err(refused.expect("there is a key to try"))
    }

    /// One life of a store: opened, worked on until something fails or enough was done.
    fn live(&mut self) -> Result<(), StoreError> {
        if self.is_made && self.below(3) == 0 {
            self.rotate()?;
            if self.below(4) == 0 {
                return Ok(());
            }
        }
        let mut store = self.open()?;
        for _ in 0..ACTIONS {
            if self.below(24) == 0 {
                store.close()?;
                self.held = None;
                drop(store);
                store = self.open()?;
            }
            self.act(&store, Inside::default())?;
        }
        if self.below(2) == 0 {
            store.close()?;
        }
        Ok(())
    }

    /// Another key while the store is in use.
    fn change_key(&mut self, store: &EmbeddedStore) -> Result<(), StoreError> {
        let Some(old) = self.keys[0] else { return Ok(()) };
        let new = old + 1;
        self.names += 1;
        let path = PathBuf::from(format!("data/{}.key", self.names));
        let file = self.fs.create(&path).map_err(|error| StoreError::io("making a key file", error))?;
        let written = file.write_at(key(new).to_file().as_bytes(), 0);
        written.map_err(|error| StoreError::io("writing a key file", error))?;
        self.keys = vec![Some(old), Some(new)];
        store.maintain(&Maintenance::ChangeKey { new_key_file: path.clone() }, &mut |_| true)?;
        self.keys = vec![Some(new)];
        self.tally.changed_in_use += 1;
        self.fs.remove(&path).map_err(|error| StoreError::io("removing a key file", error))
    }

    fn rotate(&mut self) -> Result<(), StoreError> {
        let Some(old) = self.keys[0] else { return Ok(()) };
        let new = old + 1;
        self.keys = vec![Some(old), Some(new)];
        EmbeddedStore::rotate_key(Path::new(DIR), self.options(Some(old)), &key(new))?;
        self.keys = vec![Some(new)];
        self.tally.rotated += 1;
        Ok(())
    }

    /// Does one thing.
    fn act(&mut self, store: &EmbeddedStore, inside: Inside) -> Result<(), StoreError> {
        let number = usize::try_from(self.below(contents().len() as u64)).unwrap();
        let is_alone = !inside.backup && !inside.compaction;
        match self.below(20) {
            0..=4 => {
                let refer = self.below(3) == 0;
                self.put(store, number, refer)
            }
            5 => self.upload(store, number).map(drop),
            6 => self.give_up(store, number),
            7 | 8 => self.hold_or_put(store, number),
            9 => self.step(store, Step::Refer { number }, None),
            10 => self.step(store, Step::Unrefer { number }, None),
            // Files of large blobs go with compactions, which alone remove those.
            11 if self.model.is_free(number) && !is_large(number) => {
                self.step(store, Step::Remove { number }, None)
            }
            12 if is_alone => {
                let by = [7 * 60, 25 * 60 * 60][usize::try_from(self.below(2)).unwrap()];
                self.clock.advance(Duration::from_secs(by));
                Ok(())
            }
            13 | 14 if !inside.compaction => self.compact(store, inside),
            15 if !inside.backup && !inside.thinning => self.back_up(store, inside),
            16 if is_alone && self.below(2) == 0 => self.change_key(store),
            16 if is_alone => store.write_image().map(drop),
            // What a fault kept from being removed is removed by the next opening.
            17 if !inside.thinning && self.fault_at.is_none_or(|at| self.fs.operations() <= at) => {
                verify(store, "while in use")
            }
            18 | 19 => {
                let found = store.upkeep()?.findings;
                assert!(found.is_empty() || !self.fs.is_powered(), "found in the background: {found:?}");
                self.tally.passes += store.scrub_status().passes;
                Ok(())
            }
            _ => {
                let step = Step::Cell { cell: self.below(9), value: self.random.next_u64() };
                self.step(store, step, None)
            }
        }
    }

    /// Commits one transaction.
    fn step(&mut self, store: &EmbeddedStore, step: Step, blob: Option<Blob>) -> Result<(), StoreError> {
        // What a compaction around us has done so far decides what some steps do.
        self.model.observe(store)?;
        let now_ms = self.clock.now_ms();
        self.unknown = Some((step.clone(), now_ms));
        commit(store, &step, blob)?;
        self.unknown = None;
        self.model.apply(&step, now_ms);
        Ok(())
    }

    fn upload(&mut self, store: &EmbeddedStore, number: usize) -> Result<Blob, StoreError> {
        let mut upload = store.upload(TENANT)?;
        contents()[number].bytes.chunks(400_000).try_for_each(|piece| upload.write(piece))?;
        upload.finish()
    }

    /// Uploads most of a blob, and then no more.
    fn give_up(&mut self, store: &EmbeddedStore, number: usize) -> Result<(), StoreError> {
        let bytes = &contents()[number].bytes;
        let mut upload = store.upload(TENANT)?;
        upload.write(&bytes[..bytes.len() - bytes.len() / 100])
    }

    fn put(&mut self, store: &EmbeddedStore, number: usize, refer: bool) -> Result<(), StoreError> {
        let blob = match is_large(number) || self.below(2) == 0 {
            true => self.upload(store, number)?,
            false => Blob::new(contents()[number].bytes.clone())?,
        };
        self.step(store, Step::Put { number, refer }, Some(blob))
    }

    /// Keeps an upload for later, or does something about the one that was kept.
    fn hold_or_put(&mut self, store: &EmbeddedStore, number: usize) -> Result<(), StoreError> {
        match self.held.take() {
            Some((number, blob)) if self.below(2) == 0 => {
                self.step(store, Step::Put { number, refer: true }, Some(blob))
            }
            Some(_) => Ok(()),
            None => {
                self.held = Some((number, self.upload(store, number)?));
                Ok(())
            }
        }
    }

    /// Does some of the other things while a job is at it.
    fn meanwhile(&mut self, store: &EmbeddedStore, inside: Inside, failed: &mut Option<StoreError>) -> bool {
        if self.below(3) == 0 {
            self.tally.inside_backups += u64::from(inside.backup);
            self.tally.inside_compactions += u64::from(inside.compaction);
            *failed = self.act(store, inside).err();
        }
        failed.is_none()
    }

    fn compact(&mut self, store: &EmbeddedStore, inside: Inside) -> Result<(), StoreError> {
        let wanted = if inside.backup { Compaction::default() } else { self.compaction(store) };
        let thinning = wanted != Compaction::default();
        let inside = Inside { compaction: true, thinning, ..inside };
        let must_go = self.model.begin_compaction(self.clock.now_ms());
        let (references, mut failed) = (self.model.references(), None);
        let transactions = self.model.transactions();
        let mut on_stage = |_: Stage<'_>| self.meanwhile(store, inside, &mut failed);
        let report = store.compact(&wanted, &references, &mut on_stage);
        failed.map_or(Ok(()), Err)?;
        for (name, figure) in report?.figures {
            match name {
                "changes_dropped" => self.tally.dropped += figure,
                "segments_rewritten" => self.tally.packed += figure,
                "blob_files_removed" => self.tally.files_removed += figure,
                _ => {}
            }
        }
        self.model.end_compaction(store)?;
        if transactions == self.model.transactions() {
            let left: Vec<usize> =
                must_go.into_iter().filter(|number| self.model.is_there(*number)).collect();
            assert!(left.is_empty(), "large blobs that nothing refers to stayed: {left:?}");
        }
        Ok(())
    }

    /// How much of history is to go.
    fn compaction(&mut self, store: &EmbeddedStore) -> Compaction {
        let all = Selection { tenant: TENANT, keyspace: None, key_prefix: Vec::new() };
        let (keep_changes, forget) = match self.below(6) {
            0 => (Some(Duration::ZERO), None),
            1 => (Some(Duration::from_secs(60 * 60)), None),
            2 => (None, Some(Forget { selections: vec![all], up_to: store.position() })),
            _ => (None, None),
        };
        Compaction { keep_changes, forget }
    }

    fn back_up(&mut self, store: &EmbeddedStore, inside: Inside) -> Result<(), StoreError> {
        let inside = Inside { backup: true, ..inside };
        self.names += 1;
        let path = PathBuf::from(format!("data/backup-{}.cairn", self.names));
        let (model, key) = (self.model.clone(), self.keys[0]);
        self.backup = Some(Backup { path: path.clone(), model, key, is_acknowledged: false });
        let mut failed = None;
        let job = Maintenance::Backup { to: path, skip_damaged: false };
        let report = store.maintain(&job, &mut |_: Stage<'_>| self.meanwhile(store, inside, &mut failed));
        failed.map_or(Ok(()), Err)?;
        report?;
        self.backup.as_mut().expect("it was begun").is_acknowledged = true;
        Ok(())
    }

    /// Ends a life as the trouble ends it.
    fn end(&mut self, trouble: Trouble) {
        match trouble {
            Trouble::PowerCut => {
                self.held = None;
                self.fs.power_cycle();
            }
            Trouble::Kill | Trouble::Fault(_) => {
                // Nobody tidies up after a kill: what goes with the handle here comes back.
                let dir = Path::new(DIR).join("blobs");
                let names = self.fs.list(&dir).unwrap_or_default();
                let paths: Vec<PathBuf> = names.iter().map(|name| dir.join(name)).collect();
                let files: Vec<_> = paths.iter().map(|path| (path, self.fs.read_all(path))).collect();
                self.held = None;
                self.fs.process_kill();
                for (path, bytes) in files.into_iter().filter(|(path, _)| !self.fs.exists(path)) {
                    self.fs.write_raw(path, &bytes.expect("it was there"));
                }
                if matches!(trouble, Trouble::Fault(_)) && self.below(2) == 0 {
                    self.fs.power_cycle();
                }
            }
        }
    }

    /// Opens the store and checks everything.
    fn check(&mut self, what: &str) {
        self.tally.unknown_keys += u64::from(self.keys.len() > 1);
        let store = self.open().unwrap_or_else(|error| panic!("{what}: {error}"));
        let rebuilt = store.open_report().rebuilt.as_deref();
        assert!(rebuilt.is_none_or(|why| !why.contains("damaged")), "the index was rebuilt: {rebuilt:?}");
        self.settle(transactions_in(&store));
        self.model.check(&store);
        verify(&store, what).unwrap();
        let strays = unowned(&self.fs, Path::new(DIR), self.model.large_blobs());
        assert!(strays.is_empty(), "{what}: nothing owns {strays:?}");
        drop(store);
        if let Some(backup) = self.backup.take() {
            self.check_backup(backup);
        }
    }

    /// Finds out whether the last transaction made it.
    fn settle(&mut self, transactions: u64) {
        let known = self.model.transactions();
        match self.unknown.take() {
            Some((step, now_ms)) if transactions == known + 1 => self.model.apply(&step, now_ms),
            Some(_) | None => assert_eq!(transactions, known, "transactions"),
        }
    }

    /// A backup that has its name restores to what was there when it was begun; one that has not is refused
    /// or does the same.
    fn check_backup(&mut self, backup: Backup) {
        let mut unfinished = backup.path.clone().into_os_string();
        unfinished.push(".unfinished");
        let unfinished = PathBuf::from(unfinished);
        let is_there = self.fs.exists(&backup.path);
        assert!(is_there || !backup.is_acknowledged, "a backup is lost");
        assert!(!is_there || !self.fs.exists(&unfinished), "a backup with two names");
        for path in [&backup.path, &unfinished] {
            if !self.fs.exists(path) {
                continue;
            }
            self.names += 1;
            self.tally.unfinished += u64::from(path == &unfinished);
            let dir = PathBuf::from(format!("data/restored-{}", self.names));
            match restore(path, &dir, &self.options(None), RestoreHow::default(), &mut |_| true) {
                Ok(_) => self.check_restored(&dir, &backup),
                Err(error) if is_there => panic!("{}: {error}", path.display()),
                Err(error) => assert!(matches!(error, StoreError::Damaged(_)), "{error}"),
            }
            self.remove_all(&dir);
            self.fs.remove(path).unwrap();
        }
    }

    fn check_restored(&mut self, dir: &Path, backup: &Backup) {
        self.tally.restored += 1;
        let store = EmbeddedStore::open(dir, self.options(backup.key)).expect("a restored store opens");
        let mut model = backup.model.clone();
        assert_eq!(transactions_in(&store), model.transactions(), "transactions of a backup");
        model.check(&store);
        verify(&store, "restored").unwrap();
        let strays = unowned(&self.fs, dir, model.large_blobs());
        assert!(strays.is_empty(), "restored: nothing owns {strays:?}");
    }

    fn remove_all(&self, dir: &Path) {
        for dir in [dir.join("blobs"), dir.to_owned()] {
            for name in self.fs.list(&dir).unwrap_or_default() {
                let _ = self.fs.remove(&dir.join(name));
            }
        }
    }
}

fn verify(store: &EmbeddedStore, what: &str) -> Result<(), StoreError> {
    let report = store.maintain(&Maintenance::Verify { repair: false }, &mut |_| true)?;
    assert!(report.findings.is_empty(), "{what}: {:?}", report.findings);
    Ok(())
}

/// Lives a store through several troubles, each after a given number of operations, and checks it.
fn replay(seed: u64, troubles: &[(u64, Trouble)]) -> Tally {
    let mut world = World::new(seed);
    for (after, trouble) in troubles {
        let at = world.fs.operations() + after;
        match trouble {
            Trouble::PowerCut => world.fs.cut_power_at(at),
            Trouble::Kill => {}
            Trouble::Fault(fault) => world.fs.inject(at, *fault),
        }
        world.fault_at = matches!(trouble, Trouble::Fault(_)).then_some(at);
        let lived = world.live();
        let has_come = match trouble {
            Trouble::PowerCut => !world.fs.is_powered(),
            Trouble::Kill => false,
            Trouble::Fault(_) => world.fs.operations() > at,
        };
        // After trouble it is not the question whether something failed, but what is there then.
        assert!(has_come || lived.is_ok(), "failed without a reason: {lived:?}");
        world.end(*trouble);
        // A fault that has not happened yet happens to somebody else.
        while matches!(trouble, Trouble::Fault(_)) && world.fs.operations() <= at {
            let scratch = Path::new("data/scratch");
            let _ = world.fs.create(scratch).and_then(|_| world.fs.remove(scratch));
        }
        world.check("after trouble");
        // What was read after the restart is promised from then on.
        if world.below(3) == 0 {
            world.fs.power_cycle();
            world.check("after a second power cut");
        }
    }
    world.tally
}

fn naming_the_seed(seed: u64, troubles: &[(u64, Trouble)]) -> Tally {
    catch_unwind(AssertUnwindSafe(|| replay(seed, troubles))).unwrap_or_else(|panic| {
        eprintln!("blob_power: replay({seed}, &{troubles:?}) brings this back");
        resume_unwind(panic);
    })
}

/// Which troubles a seed stands for.
fn troubles(seed: u64) -> Vec<(u64, Trouble)> {
    let random = SeededEntropy::new(!seed);
    let faults = [Fault::Error, Fault::Torn, Fault::Full].map(Trouble::Fault);
    let kinds = [Trouble::PowerCut, Trouble::PowerCut, Trouble::PowerCut, Trouble::PowerCut, Trouble::Kill];
    let kinds: Vec<Trouble> = kinds.into_iter().chain(faults).collect();
    let kind = || kinds[usize::try_from(random.next_u64() % kinds.len() as u64).unwrap()];
    // A life begins with a new key and with opening, which take few operations.
    let after = || random.next_u64() % if random.next_u64().is_multiple_of(6) { 8 } else { OPERATIONS };
    (0..ROUNDS).map(|_| (after(), kind())).collect()
}

#[test]
fn trouble_with_blobs_at_random_operations_of_many_seeds() {
    let seeds = std::env::var("CAIRN_SIMULATOR_SEEDS").ok().and_then(|n| n.parse().ok()).unwrap_or(SEEDS);
    let seen: Vec<Tally> = (5000..5000 + seeds).map(|seed| naming_the_seed(seed, &troubles(seed))).collect();
    let sum = |of: fn(&Tally) -> u64| seen.iter().map(of).sum::<u64>();
    // A workload in which something never comes up proves nothing about it.
    let came_up = [
        ("segments packed", sum(|tally| tally.packed)),
        ("changes dropped", sum(|tally| tally.dropped)),
        ("blob files swept", sum(|tally| tally.files_removed)),
        ("backups restored", sum(|tally| tally.restored)),
        ("unfinished backups", sum(|tally| tally.unfinished)),
        ("keys changed", sum(|tally| tally.rotated)),
        ("keys changed in use", sum(|tally| tally.changed_in_use)),
        ("keys of which nobody was told", sum(|tally| tally.unknown_keys)),
        ("things done during backups", sum(|tally| tally.inside_backups)),
        ("things done during compactions", sum(|tally| tally.inside_compactions)),
        ("passes in the background", sum(|tally| tally.passes)),
    ];
    eprintln!("{seeds} seeds: {came_up:?}");
    for (what, count) in came_up {
        assert!(count > seeds / 50, "{what}: {count}");
    }
}

/// The doctor took an entry that was thinned out for one that is missing, because the newer one that ended
/// it was equal to it.
#[test]
fn a_newer_entry_may_be_equal_to_the_one_it_ends() {
    replay(5662, &[(190, Trouble::Fault(Fault::Full)), (166, Trouble::PowerCut), (246, Trouble::PowerCut)]);
}
