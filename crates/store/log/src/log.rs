//! The log's shared state: which segments there are, where hashed entries are, how to read.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet, VecDeque};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use cairn_base::fs::{File, FileSystem};
use cairn_base::{Clock, Entropy};
use cairn_seam::{DamagedAt, StoreError};
use parking_lot::{Mutex, RwLock};

use crate::blob_file::Staged;
use crate::hashed::{HashKey, HashedEntry, HashedMap, HashedName};
use crate::keep::Held;
use crate::manifest::{ImageRow, Manifest, SegmentState, Thinned};
use crate::pack::{Making, PackTable};
use crate::seal::{EncryptionKey, Sealer};
use crate::segment;
use crate::side::SideFile;

/// Open segment files kept at hand; more are opened when needed.
const OPEN_FILES_MAX: usize = 64;

/// What the log needs from outside.
#[derive(Debug, Clone)]
pub struct LogOptions {
    /// The disk.
    pub fs: Arc<dyn FileSystem>,
    /// The directory of the store.
    pub dir: PathBuf,
    /// Time, for segment headers and expiry.
    pub clock: Arc<dyn Clock>,
    /// Randomness, for salts and keys.
    pub entropy: Arc<dyn Entropy>,
    /// Segments are left for a new one at about this size.
    pub segment_bytes: u64,
    /// Nothing is prepared ahead when less than this would stay free.
    pub reserve_bytes: u64,
    /// The key of a store that is sealed, or is to be.
    pub key: Option<EncryptionKey>,
    /// Whether preparing may pause to leave the disk to others. Not in simulations.
    pub leisurely: bool,
}

/// A segment that holds data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Segment {
    /// Its number.
    pub number: u64,
    /// The position of its first byte.
    pub base: u64,
    /// Seeds its frame checksums.
    pub salt: u64,
    /// Bytes in use, the header included: positions that belong to it.
    pub bytes: u64,
    /// Offset behind the last frame, if frames were taken out; else 0.
    pub packed: u64,
}

impl Segment {
    /// The position behind its last byte.
    pub fn end(&self) -> u64 {
        self.base + self.bytes
    }

    /// The offset behind its last frame.
    pub fn frames_end(&self) -> u64 {
        if self.packed > 0 { self.packed } else { self.bytes }
    }
}

/// A prepared segment that waits for its turn.
#[derive(Debug)]
pub(crate) struct Spare {
    pub(crate) number: u64,
    /// Chosen when the segment was listed, so that frames in it can be told from chance even if its
    /// header is lost.
    pub(crate) salt: u64,
    pub(crate) file: Arc<dyn File>,
    /// Whether its blocks are on disk already, so that a sync needs no metadata.
    pub(crate) filled: bool,
}

/// Hashed entries of one segment that has no side file yet.
pub(crate) type Recent = Arc<RwLock<HashedMap>>;

/// Where hashed entries are, oldest first.
#[derive(Debug, Clone, Default)]
pub(crate) struct HashedView {
    pub(crate) sides: Vec<Arc<SideFile>>,
    pub(crate) recent: BTreeMap<u64, Recent>,
}

/// The commit log, shared by the writer, readers and housekeeping.
#[derive(Debug)]
pub struct Log {
    pub(crate) options: LogOptions,
    pub(crate) hash_key: HashKey,
    /// Of a sealed store.
    pub(crate) sealer: Option<Arc<Sealer>>,
    pub(crate) store_id: [u8; 16],
    /// Held while the manifest is changed and written; the writer needs it only when no segment was
    /// prepared in time.
    pub(crate) manifest: Mutex<Manifest>,
    /// Every segment with data, oldest first; the last one is being written.
    pub(crate) segments: RwLock<Vec<Segment>>,
    pub(crate) hashed: RwLock<Arc<HashedView>>,
    pub(crate) spare: Mutex<Option<Spare>>,
    /// One housekeeper at a time.
    pub(crate) housekeeping: Mutex<()>,
    /// Where the last pages of changes ended inside a run: (position, start of the run).
    pub(crate) resume: Mutex<VecDeque<(u64, u64)>>,
    /// Whether nothing on disk may change.
    pub(crate) read_only: AtomicBool,
    /// Whether the store is being closed, and nothing need be prepared any more.
    pub(crate) closing: AtomicBool,
    /// Side files with a page that did not verify; housekeeping rebuilds them.
    pub(crate) bad_sides: Mutex<BTreeSet<u64>>,
    /// Whether side files were compared with all segments, because an entry was missing.
    pub(crate) sides_rechecked: Mutex<bool>,
    /// Lines about side files that readers had rebuilt, for the next report of housekeeping.
    pub(crate) repaired: Mutex<Vec<String>>,
    /// Names of the files of uploads under way.
    pub(crate) uploads: Mutex<HashSet<String>>,
    /// Blob files that no commit may name yet.
    pub(crate) staged: Mutex<HashMap<HashedName, Staged>>,
    /// One packer at a time.
    pub(crate) packing: Mutex<()>,
    /// Where frames are in packed segments, by what tells one making of a file from the next.
    pub(crate) tables: Mutex<HashMap<Making, PackTable>>,
    /// Memory of earlier groups, to be filled again.
    pub(crate) buffers: Mutex<Vec<Vec<u8>>>,
    /// Files that an opening on a full disk could not take out of the manifest, and that nothing needs.
    pub(crate) leftovers: Mutex<Vec<String>>,
    /// Files that somebody still reads.
    pub(crate) held: Mutex<Held>,
    files: Mutex<HashMap<u64, Arc<dyn File>>>,
    /// Events up to here are gone; the manifest's own lock is held while it is written.
    events_gone_to: AtomicU64,
}

impl Log {
    pub(crate) fn new(options: LogOptions, manifest: Manifest, sealer: Option<Arc<Sealer>>) -> Self {
        let events_gone_to = manifest.thinned.events_to;
        Log {
            options,
            sealer,
            hash_key: manifest.hash_key,
            store_id: manifest.store,
            manifest: Mutex::new(manifest),
            segments: RwLock::default(),
            hashed: RwLock::default(),
            spare: Mutex::new(None),
            housekeeping: Mutex::new(()),
            resume: Mutex::default(),
            read_only: AtomicBool::new(false),
            closing: AtomicBool::new(false),
            bad_sides: Mutex::default(),
            repaired: Mutex::default(),
            sides_rechecked: Mutex::default(),
            uploads: Mutex::default(),
            staged: Mutex::default(),
            packing: Mutex::default(),
            tables: Mutex::default(),
            buffers: Mutex::default(),
            leftovers: Mutex::default(),
            held: Mutex::default(),
            files: Mutex::default(),
            events_gone_to: AtomicU64::new(events_gone_to),
        }
    }

    /// The random id given to the store when it was made.
    pub fn store_id(&self) -> [u8; 16] {
        self.store_id
    }

    /// The secret behind hashed names.
    pub fn hash_key(&self) -> &HashKey {
        &self.hash_key
    }

    /// What seals the files of the store, if they are sealed.
    pub fn sealer(&self) -> Option<&Arc<Sealer>> {
        self.sealer.as_ref()
    }

    /// The directory of the store.
    pub fn dir(&self) -> &Path {
        &self.options.dir
    }

    /// The newest image.
    pub fn image(&self) -> Option<ImageRow> {
        self.manifest.lock().image
    }

    /// Says that nothing on disk may change from now on: what is rebuilt is kept in memory.
    pub fn set_read_only(&self) {
        self.read_only.store(true, Ordering::Relaxed);
    }

    /// Says that no further segment will be needed: preparing one stops at once.
    pub fn stop_preparing(&self) {
        self.closing.store(true, Ordering::Relaxed);
    }

    /// Whether nothing was ever written to it.
    pub fn is_new(&self) -> bool {
        self.manifest.lock().segments.is_empty()
    }

    /// How much of history is gone.
    pub fn thinned(&self) -> Thinned {
        self.manifest.lock().thinned
    }

    /// Writes down that history is about to be thinned out. An image that reaches as far is there.
    pub fn set_thinned(&self, to: Thinned) -> Result<(), StoreError> {
        let is_known =
            |thinned: Thinned| thinned.records_to >= to.records_to && thinned.events_to >= to.events_to;
        if is_known(self.thinned()) {
            return Ok(());
        }
        self.change_manifest(|manifest| {
            let Thinned { records_to, events_to } = &mut manifest.thinned;
            *records_to = to.records_to.max(*records_to);
            *events_to = to.events_to.max(*events_to);
        })?;
        self.events_gone_to.fetch_max(to.events_to, Ordering::Relaxed);
        Ok(())
    }

    /// Whether the log alone says everything since the first transaction ever.
    pub fn has_all_history(&self) -> bool {
        let manifest = self.manifest.lock();
        if manifest.thinned.records_to > 0 {
            return false;
        }
        match manifest.segments.first() {
            Some((_, SegmentState::Sealed { base, .. })) => *base == 0,
            // Nothing is sealed yet, so nothing was cut off.
            Some((_, SegmentState::Open { .. })) | None => true,
        }
    }

    /// A number for a new file that [`Log::set_image`] will list.
    pub fn next_file_number(&self) -> u64 {
        self.manifest.lock().take_number()
    }

    /// Makes a finished, synced image the one that rebuilding starts from, and removes the last one.
    pub fn set_image(&self, image: ImageRow) -> Result<(), StoreError> {
        let last = self.image();
        self.change_manifest(|manifest| manifest.image = Some(image))?;
        if let Some(last) = last {
            self.remove_file(&crate::manifest::image_name(last.number))?;
        }
        Ok(())
    }

    /// Every segment with data, oldest first.
    pub fn segments(&self) -> Vec<Segment> {
        self.segments.read().clone()
    }

    /// The oldest position after which every event is there, but for those that were to be forgotten.
    pub fn horizon(&self) -> u64 {
        let first = self.segments.read().first().map_or(0, |segment| segment.base);
        self.events_gone_to.load(Ordering::Relaxed).max(first)
    }

    /// How many side files there are.
    pub fn side_files(&self) -> usize {
        self.hashed.read().sides.len()
    }

    /// Looks up the newest entry of a hashed name, expired or not.
    ///
    /// A side file that turns out to be damaged is rebuilt from its segments before the look-up goes on.
    pub fn hashed_get(&self, name: &HashedName) -> Result<Option<HashedEntry>, StoreError> {
        match self.look_up(name) {
            Err(StoreError::Damaged(damage)) => self.look_up_again(name, damage),
            found => found,
        }
    }

    fn look_up_again(
        &self,
        name: &HashedName,
        mut damage: DamagedAt,
    ) -> Result<Option<HashedEntry>, StoreError> {
        // Each turn rebuilds at least one side file; there are never more of them than files.
        for _ in 0..=self.side_files() {
            self.repair_noted(damage)?;
            match self.look_up(name) {
                Err(StoreError::Damaged(again)) => damage = again,
                found => return found,
            }
        }
        Err(StoreError::Damaged(damage))
    }

    fn look_up(&self, name: &HashedName) -> Result<Option<HashedEntry>, StoreError> {
        let view = Arc::clone(&self.hashed.read());
        for recent in view.recent.values().rev() {
            if let Some(entry) = recent.read().get(name) {
                return Ok(Some(entry.clone()));
            }
        }
        for side in view.sides.iter().rev() {
            if let Some(entry) = self.note_bad(side, side.get(name))? {
                return Ok(Some(entry));
            }
        }
        Ok(None)
    }

    /// Remembers a side file that turned out to be damaged.
    pub(crate) fn note_bad<T>(&self, side: &SideFile, read: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(StoreError::Damaged(_)) = &read {
            self.bad_sides.lock().insert(side.number);
        }
        read
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.options.dir.join(name)
    }

    pub(crate) fn io(&self, doing: &str, name: &str) -> impl FnOnce(std::io::Error) -> StoreError + use<> {
        let doing = format!("{doing} {}", self.path(name).display());
        move |error| StoreError::io(doing, error)
    }

    pub(crate) fn damaged(&self, name: &str, offset: u64, detail: impl Into<String>) -> StoreError {
        StoreError::Damaged(DamagedAt { file: self.path(name), offset, detail: detail.into() })
    }

    /// The file of a segment, opened when it is not at hand.
    pub(crate) fn segment_file(&self, number: u64) -> Result<Arc<dyn File>, StoreError> {
        if let Some(file) = self.files.lock().get(&number) {
            return Ok(Arc::clone(file));
        }
        let name = segment::file_name(number);
        let file = self.options.fs.open(&self.path(&name)).map_err(self.io("opening", &name))?;
        self.keep_file(number, &file);
        Ok(file)
    }

    pub(crate) fn keep_file(&self, number: u64, file: &Arc<dyn File>) {
        let mut files = self.files.lock();
        if files.len() >= OPEN_FILES_MAX {
            files.clear();
        }
        files.insert(number, Arc::clone(file));
    }

    pub(crate) fn forget_file(&self, number: u64) {
        self.files.lock().remove(&number);
    }

    /// Whether a position is on disk, and not only planned.
    pub fn holds(&self, position: u64) -> bool {
        self.segment_of(position).is_some_and(|segment| position < segment.end())
    }

    /// The segment that a position lies in.
    pub(crate) fn segment_of(&self, position: u64) -> Option<Segment> {
        let segments = self.segments.read();
        let behind = segments.partition_point(|segment| segment.base <= position);
        segments.get(behind.checked_sub(1)?).copied()
    }

    pub(crate) fn change_hashed(&self, change: impl FnOnce(&mut HashedView)) {
        let mut view = self.hashed.write();
        let mut next = HashedView::clone(&view);
        change(&mut next);
        *view = Arc::new(next);
    }
}
