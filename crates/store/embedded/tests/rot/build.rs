//! Stores of many kinds, and what is in them.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use cairn_base::fs::{FileSystem, SimulatedFs};
use cairn_base::{ContentHash, Entropy, ManualClock, Position, SeededEntropy, TenantId};
use cairn_embedded::{Background, EmbeddedOptions, EmbeddedStore, EncryptionKey};
use cairn_seam::{
    Blob, Compaction, Event, EventKind, HashedKeyspace, KeyRange, Keyspace, References, Store, StoreError,
    Visit, limits,
};

pub(super) const DIR: &str = "data/store";
pub(super) const TENANT: TenantId = TenantId(6);
pub(super) const RECORDS: Keyspace = Keyspace::new(61, "records");
pub(super) const SEEN: HashedKeyspace = HashedKeyspace::new(9, "seen");
const HAPPENED: EventKind = EventKind(9);
const HOUR: Duration = Duration::from_secs(60 * 60);

/// What kind of store it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Plain,
    Thinned,
    Sealed,
    SealedAndThinned,
}

impl Kind {
    fn is_sealed(self) -> bool {
        matches!(self, Kind::Sealed | Kind::SealedAndThinned)
    }

    fn is_thinned(self) -> bool {
        matches!(self, Kind::Thinned | Kind::SealedAndThinned)
    }
}

/// A store, its disk and what it should hold.
pub(crate) struct World {
    pub(crate) kind: Kind,
    pub(super) fs: SimulatedFs,
    clock: Arc<ManualClock>,
    pub(super) random: SeededEntropy,
    /// Records that are there, and the position of the transaction that wrote each.
    pub(super) records: BTreeMap<u64, Position>,
    /// Records that were deleted, and where.
    pub(super) deleted: BTreeMap<u64, Position>,
    next: u64,
    /// Every file as it was some time before.
    pub(super) before: BTreeMap<PathBuf, Vec<u8>>,
}

impl World {
    /// A store that was closed or killed after a while.
    pub(super) fn build(seed: u64) -> Self {
        let random = SeededEntropy::new(seed);
        let kinds = [Kind::Plain, Kind::Thinned, Kind::Sealed, Kind::SealedAndThinned];
        let kind = kinds[usize::try_from(random.next_u64() % 4).unwrap()];
        let mut world = World {
            kind,
            fs: SimulatedFs::new(seed),
            clock: Arc::new(ManualClock::new(1_700_000_000_000)),
            random,
            records: BTreeMap::new(),
            deleted: BTreeMap::new(),
            next: 0,
            before: BTreeMap::new(),
        };
        let store = world.open(false).unwrap();
        let steps = 40 + world.below(60);
        for step in 0..steps {
            world.append(&store).unwrap();
            if world.below(6) == 0 {
                world.delete_one(&store);
            }
            match world.below(12) {
                0 | 1 => drop(store.upkeep().unwrap()),
                2 => store.write_image().map(drop).unwrap(),
                3 => store.apply_now().unwrap(),
                _ => {}
            }
            world.clock.advance(HOUR / 4);
            if step == steps / 2 {
                world.before = world.files();
            }
            if kind.is_thinned() && step == steps * 2 / 3 {
                world.compact(&store).unwrap();
            }
        }
        if world.below(2) == 0 {
            store.close().unwrap();
        }
        drop(store);
        world.fs.process_kill();
        world
    }

    pub(super) fn below(&self, limit: u64) -> u64 {
        self.random.next_u64() % limit
    }

    pub(super) fn open(&self, accept_loss: bool) -> Result<EmbeddedStore, StoreError> {
        let options = EmbeddedOptions {
            fs: Arc::new(self.fs.clone()),
            clock: Arc::clone(&self.clock) as _,
            entropy: Arc::new(SeededEntropy::new(self.random.next_u64())),
            segment_bytes: 16 << 10,
            reserve_bytes: 0,
            cache_bytes: 1 << 20,
            apply_bytes: 8 << 10,
            unapplied_bytes_max: 64 << 10,
            background: Background::Manual,
            key: self.kind.is_sealed().then(|| EncryptionKey::generate(&SeededEntropy::new(1))),
            accept_loss,
            ..EmbeddedOptions::default()
        };
        EmbeddedStore::open(Path::new(DIR), options)
    }

    /// Every file of the store.
    pub(super) fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        for dir in [PathBuf::from(DIR), Path::new(DIR).join("blobs")] {
            for name in self.fs.list(&dir).unwrap_or_default() {
                let path = dir.join(name);
                files.extend(self.fs.read_all(&path).map(|bytes| (path, bytes)));
            }
        }
        files
    }

    /// Writes a record with its blob, hashed entry and event.
    pub(super) fn append(&mut self, store: &EmbeddedStore) -> Result<(), StoreError> {
        let number = self.next;
        let blob = match content(number) {
            bytes if bytes.len() > limits::BLOB_IN_COMMIT_BYTES_MAX => {
                let mut upload = store.upload(TENANT)?;
                upload.write(&bytes)?;
                upload.finish()?
            }
            bytes => Blob::new(bytes).unwrap(),
        };
        let body = move |tx: &mut dyn cairn_seam::WriteTx| {
            let mut run = || -> Result<(), StoreError> {
                tx.put_blob(&blob)?;
                tx.put(RECORDS, &key_of(number), &value_of(number))?;
                tx.hashed_put(SEEN, &number.to_be_bytes(), &number.to_be_bytes(), None)?;
                tx.emit(Event { kind: HAPPENED, body: number.to_be_bytes().to_vec() })
            };
            run().map_err(|_| cairn_seam::Aborted)
        };
        let position = store.write(TENANT, Box::new(body))?;
        self.records.insert(number, position);
        self.next += 1;
        Ok(())
    }

    fn delete_one(&mut self, store: &EmbeddedStore) {
        let at = usize::try_from(self.below(self.records.len() as u64)).unwrap();
        let number = *self.records.keys().nth(at).unwrap();
        let body = move |tx: &mut dyn cairn_seam::WriteTx| {
            tx.delete(RECORDS, &key_of(number)).map_err(|_| cairn_seam::Aborted)
        };
        let position = store.write(TENANT, Box::new(body)).unwrap();
        self.records.remove(&number);
        self.deleted.insert(number, position);
    }

    /// Compacts as the engine does: records that are read say which blobs are in use.
    pub(super) fn compact(&self, store: &EmbeddedStore) -> Result<(), StoreError> {
        let what = Compaction { keep_changes: Some(HOUR), forget: None };
        store.compact(&what, &FromRecords(store), &mut |_| true).map(drop)
    }

    /// Lets so much time pass that unused blobs go.
    pub(super) fn wait_long(&self) {
        self.clock.advance(limits::BLOB_GRACE * 2);
    }
}

struct FromRecords<'a>(&'a EmbeddedStore);

impl References for FromRecords<'_> {
    fn visit(&self, visit: &mut dyn FnMut(TenantId, &ContentHash)) -> Result<(), StoreError> {
        let mut numbers = BTreeSet::new();
        let snapshot = self.0.snapshot(Position::START)?;
        snapshot.multi_scan(RECORDS, &[KeyRange::prefix(&TENANT.0.to_be_bytes())], &mut |_, key, _| {
            numbers.insert(u64::from_be_bytes(key[4..].try_into().unwrap()));
            Visit::Continue
        })?;
        numbers.iter().for_each(|number| visit(TENANT, &ContentHash::of(&content(*number))));
        Ok(())
    }
}

pub(super) fn key_of(number: u64) -> Vec<u8> {
    [&TENANT.0.to_be_bytes()[..], &number.to_be_bytes()].concat()
}

pub(super) fn value_of(number: u64) -> Vec<u8> {
    let mut value = number.to_le_bytes().to_vec();
    value.resize(20 + usize::try_from(number % 7).unwrap() * 40, b'.');
    value
}

/// What the blob of a record holds. One in forty has a file of its own.
pub(super) fn content(number: u64) -> Vec<u8> {
    if number % 40 == 33 {
        let mut bytes = vec![7; limits::BLOB_IN_COMMIT_BYTES_MAX + 100];
        bytes[..8].copy_from_slice(&number.to_le_bytes());
        return bytes;
    }
    let mut bytes = vec![0; 100 + usize::try_from(number * 37 % 1900).unwrap()];
    SeededEntropy::new(number).fill(&mut bytes);
    bytes
}
