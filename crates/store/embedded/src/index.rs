//! The index: a redb file with one table per keyspace. Derived data, rebuilt from the log at need.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cairn_base::Entropy;
use cairn_base::fs::{File, FileSystem, is_full};
use cairn_log::Sealer;
use cairn_seam::{DamagedAt, StoreError};
use parking_lot::Mutex;
use redb::{
    Database, Durability, ReadOnlyTable, ReadTransaction, ReadableDatabase, ReadableTableMetadata,
    TableDefinition, TableHandle,
};

use crate::alarm::{Alarm, Rung};
use crate::backend::{Pace, SeamBackend, SharedBackend};
use crate::generation::{Generation, Key};
use crate::guard::Salt;
use crate::watermark::{self, Watermark};

pub(crate) const FILE: &str = cairn_seam::INDEX_FILE;
/// An index that is being rebuilt beside the one in use; of no use to anybody after a crash.
pub(crate) const NEW: &str = "index.new";
/// A file with this name says that the index was found damaged and must be rebuilt.
pub(crate) const DAMAGED: &str = "index.damaged";
/// A file with this name says that the index must be made anew, because its free pages may still hold
/// what was to be forgotten.
pub(crate) const FORGOTTEN: &str = "index.forgotten";
const META: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("meta");
/// Counts the layouts of this file; an index of any other version is rebuilt.
const VERSION: u8 = 1;

/// How much one commit moves.
///
/// redb writes changed pages to new places, and the old ones are free only after the commit after next.
/// Small commits over one stretch of keys keep that to a fraction of the file; one large one over all
/// keys would make the file several times as large as what it holds, and keep as many pages in memory.
const PORTION_BYTES: usize = 2 << 20;
/// What a key costs beside its bytes, roughly.
const KEY_OVERHEAD_BYTES: usize = 96;

type Bytes = &'static [u8];
pub(crate) type KeyTable = ReadOnlyTable<Bytes, Bytes>;

/// How far the index follows the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Applied {
    /// Every transaction up to this position is in the index.
    pub(crate) position: u64,
    /// The log was synced up to here when it was written.
    pub(crate) synced_to: u64,
    /// Every byte of the log before this position is behind it: damage there takes nothing from the index.
    pub(crate) covers_to: u64,
}

impl Applied {
    /// Everything up to a transaction.
    pub(crate) fn to(position: u64) -> Self {
        Applied { position, synced_to: position, covers_to: position }
    }
}

/// Where in a generation a portion starts.
#[derive(Debug, Clone, Default)]
pub(crate) struct Cursor {
    keyspace: u16,
    /// The last key that was moved.
    after: Option<Key>,
}

/// Where the index lives.
#[derive(Debug, Clone)]
pub(crate) struct IndexPlace {
    pub(crate) fs: Arc<dyn FileSystem>,
    pub(crate) dir: PathBuf,
    /// Of a sealed store.
    pub(crate) sealer: Option<Arc<Sealer>>,
    /// For the salts of new files.
    pub(crate) entropy: Arc<dyn Entropy>,
    /// Told when the index turns out to be damaged.
    pub(crate) alarm: Arc<Alarm>,
}

impl IndexPlace {
    fn file(&self) -> PathBuf {
        self.dir.join(FILE)
    }

    /// The meaning of an error of redb while writing: the disk said no, or the index is damaged.
    pub(crate) fn failed(&self, error: impl Into<redb::Error>) -> StoreError {
        let error = error.into();
        if let redb::Error::Io(source) = &error
            && !is_wrong_bytes(source)
        {
            return self.io("using")(io::Error::new(source.kind(), source.to_string()));
        }
        if !matches!(error, redb::Error::PreviousIo) {
            return self.damaged(&error);
        }
        // After any failure redb does nothing more; if that was damage, a new index is on its way.
        match self.alarm.why() {
            Some(detail) => StoreError::IndexRebuilding { detail },
            None => self.io("using")(io::Error::other("an earlier write failed")),
        }
    }

    /// The same while reading. A disk that does not read has lost the page, so the index is rebuilt as if
    /// the page were damaged.
    pub(crate) fn failed_read(&self, error: impl Into<redb::Error>) -> StoreError {
        let error = error.into();
        if !matches!(error, redb::Error::PreviousIo) {
            return self.damaged(&error);
        }
        // Without an alarm the reader holds an index that was replaced since.
        let detail = self.alarm.why().unwrap_or_else(|| "the read began before it was rebuilt".into());
        StoreError::IndexRebuilding { detail }
    }

    /// Makes sure the next opening rebuilds the index.
    pub(crate) fn mark_damaged(&self) -> io::Result<()> {
        self.mark(DAMAGED)
    }

    /// Makes sure the next opening makes the index anew, because pages that nothing refers to are not
    /// wiped.
    pub(crate) fn mark_forgotten(&self) -> Result<(), StoreError> {
        self.mark(FORGOTTEN).map_err(self.io("marking"))
    }

    fn mark(&self, name: &str) -> io::Result<()> {
        match self.fs.create(&self.dir.join(name)) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => Err(error),
            Ok(_) | Err(_) => self.fs.sync_dir(&self.dir),
        }
    }

    /// Removes an index that the next opening would make anew in any case, because of what is left in it.
    pub(crate) fn remove_if_forgotten(&self) -> Result<(), StoreError> {
        if self.exists(&self.dir.join(FORGOTTEN))?.is_none() {
            return Ok(());
        }
        match self.fs.remove(&self.file()) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(self.io("removing")(error)),
            Ok(()) | Err(_) => self.fs.sync_dir(&self.dir).map_err(self.io("syncing the directory of")),
        }
    }

    /// Makes sure that the index is rebuilt: while serving at once, else by the next opening.
    pub(crate) fn damaged(&self, error: &dyn std::fmt::Display) -> StoreError {
        match self.alarm.ring(&error.to_string()) {
            Rung::Serving => StoreError::IndexRebuilding { detail: error.to_string() },
            Rung::Opening => {
                // Best effort: the opening fails in any case.
                let _ = self.mark_damaged();
                self.damaged_at(format!("{error}; start again to rebuild the index from the log"))
            }
            Rung::Building => self.damaged_at(error.to_string()),
        }
    }

    pub(crate) fn damaged_at(&self, detail: String) -> StoreError {
        StoreError::Damaged(DamagedAt { file: self.file(), offset: 0, detail })
    }

    /// Removes what a rebuild left behind that did not come to its end.
    pub(crate) fn remove_unfinished(&self) -> Result<(), StoreError> {
        let path = self.dir.join(NEW);
        if self.exists(&path)?.is_some() {
            self.fs.remove(&path).map_err(self.io("removing what was to replace"))?;
        }
        Ok(())
    }

    fn io(&self, doing: &str) -> impl FnOnce(io::Error) -> StoreError + use<> {
        let doing = format!("{doing} {}", self.file().display());
        move |error| StoreError::io(doing, error)
    }

    /// Removes an index that was not finished.
    pub(crate) fn remove(&self) {
        // Best effort: one that has no position is made anew.
        let _ = self.fs.remove(&self.file());
    }

    /// Bytes of the file; 0 when there is none.
    pub(crate) fn bytes(&self) -> u64 {
        self.fs.open(&self.file()).and_then(|file| file.len()).unwrap_or(0)
    }

    /// Whether the file is there.
    pub(crate) fn is_there(&self) -> io::Result<bool> {
        let found = self.fs.open(&self.file());
        match found {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            found => found.map(|_| true),
        }
    }

    fn exists(&self, path: &Path) -> Result<Option<Arc<dyn File>>, StoreError> {
        match self.fs.open(path) {
            Ok(file) => Ok(Some(file)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(self.io("opening")(error)),
        }
    }
}

#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) place: IndexPlace,
    /// Views hold on to it as well: redb closes its file with the last one.
    db: Arc<Database>,
    file: Arc<dyn File>,
    /// What `db` reads and writes through.
    pub(crate) pages: Arc<SeamBackend>,
    pub(crate) store_id: [u8; 16],
    /// What the last commit that waited for the disk wrote down.
    durable: Mutex<Applied>,
    watermark: Watermark,
    /// How the file is written; at first, while opening, without pauses.
    pub(crate) pace: Arc<Pace>,
}

impl Index {
    /// Opens the index of this store; `Err(why)` inside when there is none that can be trusted.
    pub(crate) fn open(
        place: &IndexPlace,
        store_id: [u8; 16],
        cache_bytes: usize,
    ) -> Result<Result<(Self, Applied), String>, StoreError> {
        if place.exists(&place.dir.join(DAMAGED))?.is_some() {
            return Ok(Err("it was found damaged".into()));
        }
        if place.exists(&place.dir.join(FORGOTTEN))?.is_some() {
            return Ok(Err("its free pages may hold what was to be forgotten".into()));
        }
        let Some(file) = place.exists(&place.file())? else { return Ok(Err("it is missing".into())) };
        // redb takes an empty file for a new database; for us it is a lost one.
        if file.is_empty().map_err(place.io("measuring"))? {
            return Ok(Err("it is empty".into()));
        }
        let opened = catch_unwind(AssertUnwindSafe(|| {
            let pace = Arc::default();
            let (db, pages) = match open_db(place, &file, &pace, cache_bytes) {
                Ok(opened) => opened,
                // It may be as whole as ever.
                Err(redb::Error::Io(error)) if is_full(&error) => return Err(place.io("opening")(error)),
                Err(error) => return Ok(Err(error.to_string())),
            };
            let applied = match read_meta(&db, store_id) {
                Ok(applied) => applied,
                Err(why) => return Ok(Err(why)),
            };
            let watermark = Watermark::open(&*place.fs, &place.dir, store_id);
            if applied.position < watermark.position() {
                let (is, was) = (applied.position, watermark.position());
                return Ok(Err(format!("it is at position {is} and was at {was}: a write to it was lost")));
            }
            let (place, file) = (place.clone(), Arc::clone(&file));
            let (db, durable) = (Arc::new(db), Mutex::new(applied));
            Ok(Ok((Index { place, db, file, pages, store_id, durable, watermark, pace }, applied)))
        }));
        opened.unwrap_or_else(|_| Ok(Err("it is damaged".into())))
    }

    /// Makes a new, empty index in place of whatever is there.
    pub(crate) fn create(
        place: &IndexPlace,
        store_id: [u8; 16],
        cache_bytes: usize,
    ) -> Result<Self, StoreError> {
        let old = [watermark::FILE, FILE, DAMAGED, FORGOTTEN];
        for path in old.map(|name| place.dir.join(name)) {
            match place.fs.remove(&path) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => {
                    return Err(place.io("removing")(error));
                }
                Ok(()) | Err(_) => {}
            }
        }
        let file = place.fs.create(&place.file()).map_err(place.io("creating"))?;
        place.fs.sync_dir(&place.dir).map_err(place.io("syncing the directory of"))?;
        Index::in_file(place, file, store_id, cache_bytes)
    }

    /// Makes a new, empty index beside the one that is there. Damage in it is nobody's business but the
    /// caller's.
    pub(crate) fn create_beside(
        place: &IndexPlace,
        store_id: [u8; 16],
        cache_bytes: usize,
    ) -> Result<Self, StoreError> {
        place.remove_unfinished()?;
        let file = place.fs.create(&place.dir.join(NEW)).map_err(place.io("creating a new"))?;
        let place = IndexPlace { alarm: Arc::new(Alarm::for_building()), ..place.clone() };
        Index::in_file(&place, file, store_id, cache_bytes)
    }

    /// Gives an index that was created beside another, and is durable, the name of that one.
    pub(crate) fn take_place(self, place: &IndexPlace) -> Result<Self, StoreError> {
        place.fs.rename(&place.dir.join(NEW), &place.file()).map_err(place.io("replacing"))?;
        place.fs.sync_dir(&place.dir).map_err(place.io("syncing the directory of"))?;
        match place.fs.remove(&place.dir.join(DAMAGED)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(place.io("unmarking")(error)),
            Ok(()) | Err(_) => Ok(Index { place: place.clone(), ..self }),
        }
    }

    fn in_file(
        place: &IndexPlace,
        file: Arc<dyn File>,
        store_id: [u8; 16],
        cache_bytes: usize,
    ) -> Result<Self, StoreError> {
        let pace = Arc::default();
        let (db, pages) = open_db(place, &file, &pace, cache_bytes).map_err(|error| place.failed(error))?;
        let watermark = Watermark::open(&*place.fs, &place.dir, store_id);
        let (db, durable) = (Arc::new(db), Mutex::default());
        Ok(Index { place: place.clone(), db, file, pages, store_id, durable, watermark, pace })
    }

    /// Whether a view of it is still held.
    pub(crate) fn is_viewed(&self) -> bool {
        Arc::strong_count(&self.db) > 1
    }

    /// Moves the next portion of a generation into the index in one durable commit; says where to go
    /// on, or `None` when everything is there.
    ///
    /// Only the last portion moves the position: after a crash in between, the log is replayed over
    /// what is there already, which changes nothing.
    pub(crate) fn apply(
        &self,
        generation: &Generation,
        from: &Cursor,
        applied: Applied,
    ) -> Result<Option<Cursor>, StoreError> {
        self.commit(generation, from, PORTION_BYTES, Some(applied), Durability::Immediate)
            .map_err(|error| self.place.failed(error))
    }

    /// Loads a whole generation without waiting for the disk: for rebuilding, where a crash means
    /// starting over.
    ///
    /// Part of an image has no position: an index without one is rebuilt when it is opened.
    pub(crate) fn load(&self, generation: &Generation, applied: Option<Applied>) -> Result<(), StoreError> {
        self.commit(generation, &Cursor::default(), usize::MAX, applied, Durability::None)
            .map(drop)
            .map_err(|error| self.place.failed(error))
    }

    fn commit(
        &self,
        generation: &Generation,
        from: &Cursor,
        bytes_max: usize,
        applied: Option<Applied>,
        durability: Durability,
    ) -> Result<Option<Cursor>, redb::Error> {
        let mut transaction = self.db.begin_write()?;
        transaction.set_durability(durability)?;
        // Recovery after a crash takes milliseconds instead of a walk over the whole file.
        transaction.set_quick_repair(matches!(durability, Durability::Immediate));
        let mut left = bytes_max;
        let mut next = None;
        for (keyspace, changes) in generation.tables() {
            if keyspace < from.keyspace || next.is_some() {
                continue;
            }
            let after = from.after.as_ref().filter(|_| keyspace == from.keyspace);
            let name = table_name(keyspace);
            let mut table = transaction.open_table(TableDefinition::<Bytes, Bytes>::new(&name))?;
            changes.newest_after(after, |key, value| -> Result<bool, redb::Error> {
                match value {
                    Some(value) => drop(table.insert(&**key, value)?),
                    None => drop(table.remove(&**key)?),
                }
                left = left.saturating_sub(KEY_OVERHEAD_BYTES + key.len() + value.map_or(0, <[u8]>::len));
                if left == 0 {
                    next = Some(Cursor { keyspace, after: Some(Arc::clone(key)) });
                }
                Ok(left > 0)
            })?;
        }
        if let Some(applied) = applied {
            let mut meta = transaction.open_table(META)?;
            meta.insert("version", [VERSION].as_slice())?;
            meta.insert("store", self.store_id.as_slice())?;
            meta.insert("synced_to", applied.synced_to.to_le_bytes().as_slice())?;
            if next.is_none() {
                meta.insert("position", applied.position.to_le_bytes().as_slice())?;
                meta.insert("covers_to", applied.covers_to.to_le_bytes().as_slice())?;
            }
        }
        transaction.commit()?;
        if let Some(Applied { position, synced_to, covers_to }) = applied
            && matches!(durability, Durability::Immediate)
        {
            let mut durable = self.durable.lock();
            durable.synced_to = synced_to;
            if next.is_none() {
                durable.position = position;
                durable.covers_to = covers_to;
                drop(durable);
                // Best effort: without it, less is known of the index, and nothing wrong.
                let _ = self.watermark.raise(&*self.place.fs, &self.place.dir, position);
            }
        }
        Ok(next)
    }

    /// A view of the index as it is now.
    pub(crate) fn view(&self) -> Result<IndexView, StoreError> {
        self.open_view().map_err(|error| self.place.failed(error))
    }

    fn open_view(&self) -> Result<IndexView, redb::Error> {
        let transaction = self.db.begin_read()?;
        let mut tables = Vec::new();
        for handle in transaction.list_tables()? {
            if let Some(keyspace) = keyspace_of(handle.name()) {
                let table = transaction.open_table(TableDefinition::<Bytes, Bytes>::new(handle.name()))?;
                tables.push((keyspace, table));
            }
        }
        tables.sort_by_key(|(keyspace, _)| *keyspace);
        Ok(IndexView { tables, _transaction: transaction, _db: Arc::clone(&self.db) })
    }

    /// How far what is on disk follows the log.
    pub(crate) fn durable(&self) -> Applied {
        *self.durable.lock()
    }

    /// Bytes of the checksums or seals that are kept in memory.
    pub(crate) fn marks_bytes(&self) -> u64 {
        self.pages.marks.read().capacity() as u64
    }

    /// Bytes of the index file.
    pub(crate) fn bytes(&self) -> u64 {
        self.file.len().unwrap_or(0)
    }
}

/// Tables of the index as they were at one commit.
pub(crate) struct IndexView {
    tables: Vec<(u16, KeyTable)>,
    // Keeps the pages of the tables from being reused.
    _transaction: ReadTransaction,
    // Last, so that it outlives what reads from it.
    _db: Arc<Database>,
}

impl IndexView {
    pub(crate) fn table(&self, keyspace: u16) -> Option<&KeyTable> {
        let at = self.tables.binary_search_by_key(&keyspace, |(keyspace, _)| *keyspace).ok()?;
        Some(&self.tables[at].1)
    }

    /// How many keys there are in all tables; a table that cannot be counted counts as empty.
    pub(crate) fn keys(&self) -> u64 {
        self.tables.iter().map(|(_, table)| table.len().unwrap_or(0)).sum()
    }

    /// Every table in the order of keyspaces.
    pub(crate) fn tables(&self) -> impl Iterator<Item = (u16, &KeyTable)> {
        self.tables.iter().map(|(keyspace, table)| (*keyspace, table))
    }
}

impl std::fmt::Debug for IndexView {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("IndexView").field("tables", &self.tables.len()).finish_non_exhaustive()
    }
}

/// Whether an error of the page layer means that the bytes are not those that were written.
fn is_wrong_bytes(error: &io::Error) -> bool {
    [io::ErrorKind::InvalidData, io::ErrorKind::UnexpectedEof].contains(&error.kind())
}

fn open_db(
    place: &IndexPlace,
    file: &Arc<dyn File>,
    pace: &Arc<Pace>,
    cache_bytes: usize,
) -> Result<(Database, Arc<SeamBackend>), redb::Error> {
    #[expect(clippy::cast_possible_truncation, reason = "half of the random bits are enough")]
    let salt = (place.entropy.next_u64() as u32).max(1);
    let pages = SeamBackend::open(Arc::clone(file), Arc::clone(pace), place.sealer.clone(), Salt(salt))
        .map_err(redb::Error::Io)?;
    let pages = Arc::new(pages);
    let backend = SharedBackend(Arc::clone(&pages));
    let db = Database::builder().set_cache_size(cache_bytes).create_with_backend(backend)?;
    Ok((db, pages))
}

pub(crate) fn read_meta(db: &Database, store_id: [u8; 16]) -> Result<Applied, String> {
    let read = || -> Result<Option<Applied>, redb::Error> {
        let meta = db.begin_read()?.open_table(META)?;
        let number = |name: &str| -> Result<Option<u64>, redb::Error> {
            Ok(meta.get(name)?.and_then(|guard| guard.value().try_into().ok().map(u64::from_le_bytes)))
        };
        let is = |name: &str, expected: &[u8]| -> Result<bool, redb::Error> {
            Ok(meta.get(name)?.is_some_and(|guard| guard.value() == expected))
        };
        if !is("version", &[VERSION])? || !is("store", &store_id)? {
            return Ok(None);
        }
        // Those from before say less.
        let covers_to = number("covers_to")?.unwrap_or(0);
        Ok(number("position")?.zip(number("synced_to")?).map(|(position, synced_to)| Applied {
            position,
            synced_to,
            covers_to: covers_to.max(position),
        }))
    };
    read().map_err(|error| error.to_string())?.ok_or_else(|| "it belongs to another store or version".into())
}

/// The id of the store that an index belongs to.
pub(crate) fn stored_id(db: &Database) -> Result<[u8; 16], String> {
    let read = || -> Result<Option<[u8; 16]>, redb::Error> {
        let meta = db.begin_read()?.open_table(META)?;
        Ok(meta.get("store")?.and_then(|guard| guard.value().try_into().ok()))
    };
    read().map_err(|error| error.to_string())?.ok_or_else(|| "it does not say whose it is".into())
}

fn table_name(keyspace: u16) -> String {
    format!("k{keyspace:05}")
}

pub(crate) fn keyspace_of(table: &str) -> Option<u16> {
    table.strip_prefix('k')?.parse().ok()
}
