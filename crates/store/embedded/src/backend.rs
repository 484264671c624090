//! redb's file, through the file-system seam, with a checksum or a seal for every page.
//!
//! redb checks its pages only when it repairs a file; a byte flipped since would be served. Here every
//! page that comes from the disk is checked. The file is made of groups:
//!
//! ```text
//! | marks of 1024 pages, 4 bytes each | 1024 pages of 4096 bytes | marks … | pages … |
//! ```
//!
//! A mark is a checksum, or what opens a sealed page, and then has 32 bytes ([`crate::guard`]). Each holds
//! for one page of one file alone. A mark of zeroes stands for a page that was never written, and is zero;
//! that of page 0 is the salt of the file. Page 0 is redb's own header, which it rewrites in
//! place and protects itself (sealed, it has a place of its own: [`crate::front`]); all other pages are
//! written to free places, so that a power cut between a page and its mark can only hit pages that nothing
//! refers to.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use cairn_base::fs::{File, is_full};
use cairn_log::Sealer;
use parking_lot::{Mutex, RwLock};
use redb::StorageBackend;

use crate::front::Front;
use crate::guard::{GROUP_PAGES, Guard, Layout, PAGE, PAGE_LEN, Salt};

/// Bytes written between two syncs at the most.
///
/// An index commit writes many pages and then syncs them. Left alone, that one sync keeps the disk busy
/// for tens of milliseconds, and every commit to the log waits behind it. Syncing in slices costs the
/// applier a little and bounds the wait.
const SLICE_BYTES: usize = 256 << 10;
/// How long the disk is left to others between two slices when there is time.
const PAUSE: Duration = Duration::from_millis(3);
/// How often a full disk is tried again.
const ROOM_EVERY: Duration = Duration::from_millis(100);

#[derive(Debug)]
pub(crate) struct SeamBackend {
    pub(crate) file: Arc<dyn File>,
    pub(crate) guard: Guard,
    pub(crate) layout: Layout,
    /// One after the other, as in the file.
    pub(crate) marks: RwLock<Vec<u8>>,
    /// Page 0 of a sealed file.
    pub(crate) front: Option<Front>,
    pub(crate) unsynced: Mutex<Unsynced>,
    /// Pages that are not as marked and that nothing refers to, with the checksums of their marks: they stay
    /// harmless until they are written again.
    pub(crate) cleared: Mutex<HashMap<u64, u32>>,
    pace: Arc<Pace>,
}

/// Whether the index is written as fast as the disk allows, or with pauses that leave it to others.
#[derive(Debug, Default)]
pub(crate) struct Pace {
    is_leisurely: AtomicBool,
    is_patient: AtomicBool,
    waits: AtomicBool,
    gave_up: AtomicBool,
}

impl Pace {
    /// Chooses: pauses are for an applier that has time.
    pub(crate) fn set_leisurely(&self, leisurely: bool) {
        self.is_leisurely.store(leisurely, Ordering::Relaxed);
    }

    /// Chooses whether a full disk is waited for. redb takes the first failed write for the last one, and
    /// reads nothing more either; the applier's thread can wait, and nobody waits for it.
    pub(crate) fn set_patient(&self, patient: bool) {
        self.is_patient.store(patient, Ordering::Relaxed);
    }

    /// Whether somebody waits for room on the disk.
    pub(crate) fn waits(&self) -> bool {
        self.waits.load(Ordering::Relaxed)
    }

    /// Whether a write failed because the disk was full.
    pub(crate) fn gave_up(&self) -> bool {
        self.gave_up.load(Ordering::Relaxed)
    }

    fn pause(&self) {
        if self.is_leisurely.load(Ordering::Relaxed) {
            thread::sleep(PAUSE);
        }
    }

    /// Does something to the file, and waits for room as long as that is wanted.
    fn with_room<T>(&self, act: impl Fn() -> io::Result<T>) -> io::Result<T> {
        loop {
            let outcome = act();
            let is_refused = outcome.as_ref().is_err_and(is_full);
            let waits = is_refused && self.is_patient.load(Ordering::Relaxed);
            self.waits.store(waits, Ordering::Relaxed);
            if !waits {
                self.gave_up.fetch_or(is_refused, Ordering::Relaxed);
                return outcome;
            }
            thread::sleep(ROOM_EVERY);
        }
    }
}

/// The backend as redb owns it; the index keeps a reference, to verify pages.
#[derive(Debug)]
pub(crate) struct SharedBackend(pub(crate) Arc<SeamBackend>);

#[derive(Debug, Default)]
pub(crate) struct Unsynced {
    bytes: usize,
    /// Pages of marks that are not in the file yet.
    pub(crate) tables: BTreeSet<u64>,
}

impl SeamBackend {
    /// Takes over a file, empty or written by this backend for the same store. An empty one gets this salt.
    pub(crate) fn open(
        file: Arc<dyn File>,
        pace: Arc<Pace>,
        sealer: Option<Arc<Sealer>>,
        new_salt: Salt,
    ) -> io::Result<Self> {
        let front = sealer.as_ref().map(|sealer| Front::open(&*file, sealer)).transpose()?;
        let layout = Layout::of(sealer.is_some());
        let pages = layout.pages_of(file.len()?);
        let mut marks = Vec::new();
        let mut bytes = [0; PAGE_LEN];
        for table in 0..pages.div_ceil(GROUP_PAGES) * layout.table_pages() {
            file.read_at(&mut bytes, layout.place_of_table(table))?;
            marks.extend_from_slice(&bytes);
        }
        marks.truncate(usize::try_from(pages).map_err(io::Error::other)? * layout.mark_bytes);
        let salt = marks.first_chunk().map_or(new_salt, |salt| Salt(u32::from_le_bytes(*salt)));
        let guard = Guard::new(sealer, salt);
        let (marks, unsynced, cleared) = (RwLock::new(marks), Mutex::default(), Mutex::default());
        Ok(SeamBackend { file, guard, layout, marks, front, unsynced, cleared, pace })
    }

    /// Where the mark of a page is.
    pub(crate) fn mark_of(&self, page: u64) -> io::Result<Range<usize>> {
        let start = usize::try_from(page).map_err(io::Error::other)?.saturating_mul(self.layout.mark_bytes);
        Ok(start..start.saturating_add(self.layout.mark_bytes))
    }

    /// Checks a page, and opens it if it is sealed.
    fn check(&self, page: u64, bytes: &mut [u8]) -> io::Result<()> {
        if let Some(front) = self.front.as_ref().filter(|_| page == 0) {
            bytes.copy_from_slice(&front.read());
            return Ok(());
        }
        let marks = self.marks.read();
        let Some(mark) = marks.get(self.mark_of(page)?) else {
            let behind = format!("page {page} is behind the end");
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, behind));
        };
        if page == 0 {
            // redb protects its header itself.
            return Ok(());
        }
        self.guard.open(page, bytes, mark)
    }

    /// How many pages there are.
    pub(crate) fn pages(&self) -> u64 {
        (self.marks.read().len() / self.layout.mark_bytes) as u64
    }

    /// A page as an opening would read it now: also the header of a sealed file comes from the disk.
    pub(crate) fn stored_page(&self, page: u64) -> io::Result<[u8; PAGE_LEN]> {
        match self.stored_front()? {
            Some((header, _)) if page == 0 => Ok(header),
            Some(_) | None => self.read_page(page),
        }
    }

    /// The header of a sealed file, with the offset of the one that should be there instead.
    pub(crate) fn stored_front(&self) -> io::Result<Option<([u8; PAGE_LEN], Option<u64>)>> {
        match (&self.guard, &self.front) {
            (Guard::Seal(seals), Some(front)) => front.stored(&*self.file, &seals.sealer).map(Some),
            (Guard::Checksum(_) | Guard::Seal(_), _) => Ok(None),
        }
    }

    fn read_page(&self, page: u64) -> io::Result<[u8; PAGE_LEN]> {
        let mut bytes = [0; PAGE_LEN];
        self.file.read_at(&mut bytes, self.layout.place_of(page))?;
        self.check(page, &mut bytes)?;
        Ok(bytes)
    }

    /// Writes whole pages that lie in one group.
    fn write_pages(&self, first: u64, bytes: &[u8]) -> io::Result<()> {
        match (&self.guard, &self.front) {
            (Guard::Seal(seals), Some(front)) => {
                if first == 0 {
                    self.pace.with_room(|| front.write(&*self.file, &seals.sealer, &bytes[..PAGE_LEN]))?;
                }
                let skip = usize::from(first == 0);
                let (first, mut sealed) = (first + skip as u64, bytes[skip * PAGE_LEN..].to_vec());
                let marks = seals.seal(first, &mut sealed)?;
                self.pace.with_room(|| self.file.write_at(&sealed, self.layout.place_of(first)))?;
                self.set_marks(first, &marks)
            }
            (Guard::Checksum(salt), _) => {
                self.pace.with_room(|| self.file.write_at(bytes, self.layout.place_of(first)))?;
                let pages = (first..).zip(bytes.chunks_exact(PAGE_LEN));
                let marks: Vec<[u8; 4]> = pages
                    .map(|(number, page)| match number {
                        0 => salt.0.to_le_bytes(),
                        number => salt.checksum(number, page),
                    })
                    .collect();
                self.set_marks(first, marks.as_flattened())
            }
            (Guard::Seal(_), None) => Err(io::Error::other("a sealed index without a front")),
        }
    }

    /// Takes over the marks of neighbouring pages that were written.
    fn set_marks(&self, first: u64, new: &[u8]) -> io::Result<()> {
        if new.is_empty() {
            return Ok(());
        }
        let start = self.mark_of(first)?.start;
        let mut marks = self.marks.write();
        let slots = marks.get_mut(start..start.saturating_add(new.len()));
        let slots = slots.ok_or_else(|| io::Error::other(format!("page {first} is behind the end")))?;
        slots.copy_from_slice(new);
        drop(marks);
        let last = first + (new.len() / self.layout.mark_bytes) as u64 - 1;
        self.unsynced.lock().tables.extend(self.layout.table_of(first)..=self.layout.table_of(last));
        Ok(())
    }

    fn flush_marks(&self) -> io::Result<()> {
        let tables = std::mem::take(&mut self.unsynced.lock().tables);
        for table in tables {
            let start = usize::try_from(table * PAGE).map_err(io::Error::other)?;
            let mut bytes = [0; PAGE_LEN];
            // The last group may have fewer pages than its tables have room for.
            if let Some(marks) = self.marks.read().get(start..) {
                let len = marks.len().min(PAGE_LEN);
                bytes[..len].copy_from_slice(&marks[..len]);
            }
            self.pace.with_room(|| self.file.write_at(&bytes, self.layout.place_of_table(table)))?;
        }
        Ok(())
    }
}

impl StorageBackend for SeamBackend {
    fn len(&self) -> Result<u64, io::Error> {
        Ok(self.pages() * PAGE)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), io::Error> {
        for part in parts(offset, out.len()) {
            let out = &mut out[part.start..part.start + part.len];
            if part.is_whole() {
                self.file.read_at(out, self.layout.place_of(part.page))?;
                for (page, bytes) in (part.page..).zip(out.chunks_exact_mut(PAGE_LEN)) {
                    self.check(page, bytes)?;
                }
            } else {
                out.copy_from_slice(&self.read_page(part.page)?[part.skip..part.skip + part.len]);
            }
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> Result<(), io::Error> {
        let pages = len.div_ceil(PAGE);
        let tables = pages.div_ceil(GROUP_PAGES) * self.layout.table_pages();
        self.pace.with_room(|| self.file.set_len(self.layout.len_of(pages)))?;
        let marks = usize::try_from(pages).map_err(io::Error::other)? * self.layout.mark_bytes;
        self.marks.write().resize(marks, 0);
        let mut unsynced = self.unsynced.lock();
        unsynced.tables.retain(|table| *table < tables);
        // A shrunk group must not keep marks of pages that may come back as zeroes.
        unsynced.tables.extend(tables.saturating_sub(self.layout.table_pages())..tables);
        Ok(())
    }

    fn sync_data(&self) -> Result<(), io::Error> {
        self.flush_marks()?;
        self.unsynced.lock().bytes = 0;
        let header = self.front.as_ref().map(Front::count);
        self.file.sync_data()?;
        if let Some((front, count)) = self.front.as_ref().zip(header) {
            front.synced(count);
        }
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), io::Error> {
        for part in parts(offset, data.len()) {
            let data = &data[part.start..part.start + part.len];
            if part.is_whole() {
                self.write_pages(part.page, data)?;
            } else {
                let mut page = self.read_page(part.page)?;
                page[part.skip..part.skip + part.len].copy_from_slice(data);
                self.write_pages(part.page, &page)?;
            }
        }
        let mut unsynced = self.unsynced.lock();
        unsynced.bytes += data.len();
        let is_due = unsynced.bytes >= SLICE_BYTES;
        drop(unsynced);
        if is_due {
            self.sync_data()?;
            self.pace.pause();
        }
        Ok(())
    }
}

impl StorageBackend for SharedBackend {
    fn len(&self) -> Result<u64, io::Error> {
        self.0.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), io::Error> {
        self.0.read(offset, out)
    }

    fn set_len(&self, len: u64) -> Result<(), io::Error> {
        self.0.set_len(len)
    }

    fn sync_data(&self) -> Result<(), io::Error> {
        self.0.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), io::Error> {
        self.0.write(offset, data)
    }
}

/// A stretch of a read or write: whole pages of one group, or a part of one page.
pub(crate) struct Part {
    /// Where it starts in the caller's buffer.
    pub(crate) start: usize,
    pub(crate) len: usize,
    pub(crate) page: u64,
    /// Bytes of the page in front of it.
    pub(crate) skip: usize,
}

impl Part {
    fn is_whole(&self) -> bool {
        self.skip == 0 && self.len.is_multiple_of(PAGE_LEN)
    }
}

pub(crate) fn parts(offset: u64, len: usize) -> impl Iterator<Item = Part> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let left = len - start;
        if left == 0 {
            return None;
        }
        let at = offset + start as u64;
        let (page, skip) = (at / PAGE, usize::try_from(at % PAGE).expect("less than a page"));
        let to_group_end = usize::try_from((GROUP_PAGES - page % GROUP_PAGES) * PAGE).expect("one group");
        let part_len = if skip > 0 || left < PAGE_LEN {
            left.min(PAGE_LEN - skip)
        } else {
            (left - left % PAGE_LEN).min(to_group_end)
        };
        let part = Part { start, len: part_len, page, skip };
        start += part_len;
        Some(part)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_base::fs::{FileSystem, SimulatedFs};
    use cairn_base::{ManualClock, SeededEntropy};
    use cairn_log::{EncryptionKey, LogDir, LogOptions};
    use std::path::Path;

    fn open(file: io::Result<Arc<dyn File>>, sealer: Option<&Arc<Sealer>>) -> SeamBackend {
        SeamBackend::open(file.unwrap(), Arc::default(), sealer.cloned(), Salt(7)).unwrap()
    }

    /// That of a store with a key, and none.
    fn sealers() -> [Option<Arc<Sealer>>; 2] {
        let entropy = Arc::new(SeededEntropy::new(1));
        let options = LogOptions {
            fs: Arc::new(SimulatedFs::new(1)),
            dir: "store".into(),
            clock: Arc::new(ManualClock::new(1)),
            key: Some(EncryptionKey::generate(&*entropy)),
            entropy,
            segment_bytes: 1 << 20,
            reserve_bytes: 0,
            leisurely: false,
        };
        [None, LogDir::open(options).unwrap().log().sealer().cloned()]
    }

    #[test]
    fn any_reads_and_writes_equal_a_plain_buffer_also_after_reopening() {
        for sealer in sealers() {
            let fs = SimulatedFs::new(1);
            let path = Path::new("index");
            let mut backend = open(fs.create(path), sealer.as_ref());
            let pages = GROUP_PAGES + 10;
            backend.set_len(pages * PAGE).unwrap();
            let mut model = vec![0u8; usize::try_from(pages * PAGE).unwrap()];
            let around = GROUP_PAGES * PAGE;
            for (n, (offset, len)) in [
                (0, 320),
                (PAGE, PAGE_LEN),
                (around - 2 * PAGE, 4 * PAGE_LEN),
                (around - 7, 20),
                (5 * PAGE + 1, 9000),
                (0, 3 * PAGE_LEN),
            ]
            .into_iter()
            .enumerate()
            {
                let data = vec![u8::try_from(n + 1).unwrap(); len];
                backend.write(offset, &data).unwrap();
                let at = usize::try_from(offset).unwrap();
                model[at..at + len].copy_from_slice(&data);
            }
            backend.sync_data().unwrap();
            for _ in 0..2 {
                let mut all = vec![0; model.len()];
                backend.read(0, &mut all).unwrap();
                assert!(all == model);
                let mut some = [0; 33];
                backend.read(around - 17, &mut some).unwrap();
                let at = usize::try_from(around - 17).unwrap();
                assert_eq!(some[..], model[at..at + 33]);
                backend = open(fs.open(path), sealer.as_ref());
                assert_eq!(StorageBackend::len(&backend).unwrap(), pages * PAGE);
            }
        }
    }

    #[test]
    fn a_flipped_byte_is_never_served() {
        for sealer in sealers() {
            let fs = SimulatedFs::new(1);
            let path = Path::new("index");
            let backend = open(fs.create(path), sealer.as_ref());
            backend.set_len(4 * PAGE).unwrap();
            backend.write(0, &[7; 4 * PAGE_LEN]).unwrap();
            backend.sync_data().unwrap();
            for page in 1..4 {
                let backend = open(fs.open(path), sealer.as_ref());
                let at = backend.layout.place_of(page) + 1234;
                fs.flip(path, at);
                let backend_now = open(fs.open(path), sealer.as_ref());
                let error = backend_now.read(page * PAGE, &mut [0; PAGE_LEN]).unwrap_err();
                assert_eq!(error.kind(), io::ErrorKind::InvalidData);
                fs.flip(path, at);
                backend.read(page * PAGE, &mut [0; PAGE_LEN]).unwrap();
            }
        }
    }

    #[test]
    fn a_full_disk_is_waited_for_by_who_is_patient_and_only_then() {
        let fs = SimulatedFs::new(1);
        let path = Path::new("index");
        let backend = Arc::new(open(fs.create(path), None));
        backend.set_len(4 * PAGE).unwrap();
        fs.leave_free(0);
        assert!(is_full(&backend.write(PAGE, &[7; PAGE_LEN]).unwrap_err()));
        assert!(backend.pace.gave_up() && !backend.pace.waits());
        backend.pace.set_patient(true);
        let writer = Arc::clone(&backend);
        let waiting = thread::spawn(move || writer.write(PAGE, &[7; PAGE_LEN]));
        while !backend.pace.waits() {
            thread::yield_now();
        }
        assert!(!waiting.is_finished());
        fs.set_capacity(None);
        waiting.join().unwrap().unwrap();
        assert!(!backend.pace.waits());
        let mut page = [0; PAGE_LEN];
        backend.read(PAGE, &mut page).unwrap();
        assert_eq!(page, [7; PAGE_LEN]);
        // Whoever stops waits no longer.
        fs.leave_free(0);
        let writer = Arc::clone(&backend);
        let waiting = thread::spawn(move || writer.write(2 * PAGE, &[8; PAGE_LEN]));
        while !backend.pace.waits() {
            thread::yield_now();
        }
        backend.pace.set_patient(false);
        assert!(is_full(&waiting.join().unwrap().unwrap_err()));
    }

    #[test]
    fn a_sealed_header_that_was_synced_survives_any_power_cut_while_it_is_written_again() {
        let [_, sealer] = sealers();
        for seed in 0..200 {
            let fs = SimulatedFs::new(seed);
            let path = Path::new("index");
            let backend = open(fs.create(path), sealer.as_ref());
            fs.sync_dir(Path::new("")).unwrap();
            backend.set_len(4 * PAGE).unwrap();
            backend.write(0, &[1; 320]).unwrap();
            backend.sync_data().unwrap();
            backend.write(0, &[2; 320]).unwrap();
            backend.write(0, &[3; 320]).unwrap();
            drop(backend);
            // A process that reads it in between makes it durable before it writes.
            let last = if seed % 2 == 0 {
                fs.process_kill();
                open(fs.open(path), sealer.as_ref()).write(0, &[4; 320]).unwrap();
                3
            } else {
                1
            };
            fs.power_cycle();
            let mut header = [0; 320];
            open(fs.open(path), sealer.as_ref()).read(0, &mut header).unwrap();
            assert!((last..=4).any(|version| header == [version; 320]), "seed {seed}: {:?}", &header[..4]);
        }
    }
}
