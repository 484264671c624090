//! redb's file, through the file-system seam, with a checksum for every page.
//!
//! redb checks its pages only when it repairs a file; a byte flipped since would be served. Here every
//! page that comes from the disk is checked. The file is made of groups:
//!
//! ```text
//! | checksums of 1024 pages, u32 each | 1024 pages of 4096 bytes | checksums … | pages … |
//! ```
//!
//! A checksum of 0 stands for a page that was never written. Page 0 is redb's own header, which it
//! rewrites in place and protects itself; all other pages are written to free places, so that a power
//! cut between a page and its checksum can only hit pages that nothing refers to.

use std::collections::BTreeSet;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use cairn_base::fs::File;
use parking_lot::{Mutex, RwLock};
use redb::StorageBackend;

pub(crate) const PAGE: u64 = 4096;
pub(crate) const PAGE_LEN: usize = 4096;
pub(crate) const GROUP_PAGES: u64 = 1024;
pub(crate) const GROUP_BYTES: u64 = (GROUP_PAGES + 1) * PAGE;
/// Bytes written between two syncs at the most.
///
/// An index commit writes many pages and then syncs them. Left alone, that one sync keeps the disk busy
/// for tens of milliseconds, and every commit to the log waits behind it. Syncing in slices costs the
/// applier a little and bounds the wait.
const SLICE_BYTES: usize = 256 << 10;
/// How long the disk is left to others between two slices when there is time.
const PAUSE: Duration = Duration::from_millis(3);

#[derive(Debug)]
pub(crate) struct SeamBackend {
    pub(crate) file: Arc<dyn File>,
    pub(crate) checksums: RwLock<Vec<u32>>,
    pub(crate) unsynced: Mutex<Unsynced>,
    pace: Arc<Pace>,
}

/// Whether the index is written as fast as the disk allows, or with pauses that leave it to others.
#[derive(Debug, Default)]
pub(crate) struct Pace(AtomicBool);

impl Pace {
    /// Chooses: pauses are for an applier that has time.
    pub(crate) fn set_leisurely(&self, leisurely: bool) {
        self.0.store(leisurely, Ordering::Relaxed);
    }

    fn pause(&self) {
        if self.0.load(Ordering::Relaxed) {
            thread::sleep(PAUSE);
        }
    }
}

/// The backend as redb owns it; the index keeps a reference, to verify pages.
#[derive(Debug)]
pub(crate) struct SharedBackend(pub(crate) Arc<SeamBackend>);

#[derive(Debug, Default)]
pub(crate) struct Unsynced {
    bytes: usize,
    /// Groups whose checksums are not in the file yet.
    pub(crate) groups: BTreeSet<u64>,
}

impl SeamBackend {
    /// Takes over a file, empty or written by this backend.
    pub(crate) fn open(file: Arc<dyn File>, pace: Arc<Pace>) -> io::Result<Self> {
        let pages = pages_of(file.len()?);
        let mut checksums = Vec::new();
        let mut bytes = [0; PAGE_LEN];
        for group in 0..pages.div_ceil(GROUP_PAGES) {
            file.read_at(&mut bytes, group * GROUP_BYTES)?;
            checksums.extend(
                bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]])),
            );
        }
        checksums.truncate(usize::try_from(pages).map_err(io::Error::other)?);
        Ok(SeamBackend { file, checksums: RwLock::new(checksums), unsynced: Mutex::default(), pace })
    }

    fn check(&self, page: u64, bytes: &[u8]) -> io::Result<()> {
        let expected = usize::try_from(page).ok().and_then(|page| self.checksums.read().get(page).copied());
        match expected {
            Some(0) => Ok(()),
            Some(expected) if expected == checksum(bytes) => Ok(()),
            Some(_) => Err(io::Error::new(io::ErrorKind::InvalidData, format!("page {page} is damaged"))),
            None => {
                Err(io::Error::new(io::ErrorKind::UnexpectedEof, format!("page {page} is behind the end")))
            }
        }
    }

    fn read_page(&self, page: u64) -> io::Result<[u8; PAGE_LEN]> {
        let mut bytes = [0; PAGE_LEN];
        self.file.read_at(&mut bytes, place_of(page))?;
        self.check(page, &bytes)?;
        Ok(bytes)
    }

    /// Writes whole pages that lie in one group.
    fn write_pages(&self, first: u64, bytes: &[u8]) -> io::Result<()> {
        self.file.write_at(bytes, place_of(first))?;
        let mut checksums = self.checksums.write();
        for (page, bytes) in (first..).zip(bytes.chunks_exact(PAGE_LEN)) {
            let slot = usize::try_from(page).ok().and_then(|page| checksums.get_mut(page));
            let slot = slot.ok_or_else(|| io::Error::other(format!("page {page} is behind the end")))?;
            *slot = if page == 0 { 0 } else { checksum(bytes) };
        }
        drop(checksums);
        self.unsynced.lock().groups.insert(first / GROUP_PAGES);
        Ok(())
    }

    fn flush_checksums(&self) -> io::Result<()> {
        let groups = std::mem::take(&mut self.unsynced.lock().groups);
        for group in groups {
            let start = usize::try_from(group * GROUP_PAGES).map_err(io::Error::other)?;
            let mut bytes = [0; PAGE_LEN];
            for (word, checksum) in bytes.chunks_exact_mut(4).zip(&self.checksums.read()[start..]) {
                word.copy_from_slice(&checksum.to_le_bytes());
            }
            self.file.write_at(&bytes, group * GROUP_BYTES)?;
        }
        Ok(())
    }
}

impl StorageBackend for SeamBackend {
    fn len(&self) -> Result<u64, io::Error> {
        Ok(self.checksums.read().len() as u64 * PAGE)
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), io::Error> {
        for part in parts(offset, out.len()) {
            let out = &mut out[part.start..part.start + part.len];
            if part.is_whole() {
                self.file.read_at(out, place_of(part.page))?;
                for (page, bytes) in (part.page..).zip(out.chunks_exact(PAGE_LEN)) {
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
        let groups = pages.div_ceil(GROUP_PAGES);
        self.file.set_len((pages + groups) * PAGE)?;
        self.checksums.write().resize(usize::try_from(pages).map_err(io::Error::other)?, 0);
        let mut unsynced = self.unsynced.lock();
        unsynced.groups.retain(|group| *group < groups);
        // A shrunk group must not keep checksums of pages that may come back as zeroes.
        unsynced.groups.extend(groups.checked_sub(1));
        Ok(())
    }

    fn sync_data(&self) -> Result<(), io::Error> {
        self.flush_checksums()?;
        self.unsynced.lock().bytes = 0;
        self.file.sync_data()
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

/// Where a page stands in the file.
pub(crate) fn place_of(page: u64) -> u64 {
    (page / GROUP_PAGES) * GROUP_BYTES + (1 + page % GROUP_PAGES) * PAGE
}

/// How many whole pages a file of this length holds.
fn pages_of(len: u64) -> u64 {
    let rest = (len % GROUP_BYTES) / PAGE;
    (len / GROUP_BYTES) * GROUP_PAGES + rest.saturating_sub(1)
}

pub(crate) fn checksum(page: &[u8]) -> u32 {
    crc32c::crc32c(page).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_base::fs::{FileSystem, SimulatedFs};
    use std::path::Path;

    fn open(file: io::Result<Arc<dyn File>>) -> SeamBackend {
        SeamBackend::open(file.unwrap(), Arc::default()).unwrap()
    }

    #[test]
    fn any_reads_and_writes_equal_a_plain_buffer_also_after_reopening() {
        let fs = SimulatedFs::new(1);
        let path = Path::new("index");
        let mut backend = open(fs.create(path));
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
            backend = open(fs.open(path));
            assert_eq!(StorageBackend::len(&backend).unwrap(), pages * PAGE);
        }
    }

    #[test]
    fn a_flipped_byte_is_never_served() {
        let fs = SimulatedFs::new(1);
        let path = Path::new("index");
        let backend = open(fs.create(path));
        backend.set_len(4 * PAGE).unwrap();
        backend.write(0, &[7; 4 * PAGE_LEN]).unwrap();
        backend.sync_data().unwrap();
        for page in 1..4 {
            let backend = open(fs.open(path));
            let at = place_of(page) + 1234;
            fs.flip(path, at);
            let backend_now = open(fs.open(path));
            let error = backend_now.read(page * PAGE, &mut [0; PAGE_LEN]).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData);
            fs.flip(path, at);
            backend.read(page * PAGE, &mut [0; PAGE_LEN]).unwrap();
        }
    }
}
