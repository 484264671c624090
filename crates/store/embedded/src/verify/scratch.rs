//! A second look at the index through redb's eyes, on a copy that keeps writes in memory.

use std::collections::{BTreeSet, HashMap};
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use parking_lot::Mutex;
use redb::{Database, StorageBackend};

use crate::alarm::Alarm;
use crate::backend::{SeamBackend, parts};
use crate::guard::{PAGE, PAGE_LEN};
use crate::index::{Applied, read_meta};

const CACHE_BYTES: usize = 4 << 20;

/// What redb found.
pub(super) struct Inspected {
    /// How far the index on disk follows the log, or why it cannot be opened.
    pub(super) applied: Result<Applied, String>,
    /// Whether redb reads any of the suspects when it walks over everything it needs.
    pub(super) needs_suspects: bool,
}

/// Opens what is on disk as the next opening would. The file must stay as it is meanwhile.
pub(super) fn inspect(
    pages: &Arc<SeamBackend>,
    store_id: [u8; 16],
    suspects: &[u64],
    alarm: &Arc<Alarm>,
) -> Inspected {
    let scratch = Scratch::new(pages, suspects, alarm);
    let reads = Arc::clone(&scratch.reads);
    // redb asserts what it believes about its file; damage may prove it wrong.
    let applied = catch_unwind(AssertUnwindSafe(|| {
        let db = Database::builder().set_cache_size(CACHE_BYTES).create_with_backend(scratch);
        let mut db = db.map_err(|error| error.to_string())?;
        let applied = read_meta(&db, store_id);
        if !reads.suspects.is_empty() {
            // What it says does not matter here: what it read does.
            let _ = db.check_integrity();
        }
        applied
    }));
    let applied = applied.unwrap_or_else(|_| Err("redb cannot make sense of it".into()));
    Inspected { applied, needs_suspects: reads.seen.load(Ordering::Relaxed) }
}

/// Which reads to watch for.
#[derive(Debug)]
struct Reads {
    suspects: BTreeSet<u64>,
    seen: AtomicBool,
}

/// The pages on disk except for suspects, with what was written since in memory.
#[derive(Debug)]
pub(crate) struct Scratch {
    pages: Arc<SeamBackend>,
    written: Mutex<HashMap<u64, Box<[u8; PAGE_LEN]>>>,
    len: AtomicU64,
    reads: Arc<Reads>,
    /// Says when the store closes: nobody waits for the end then.
    alarm: Arc<Alarm>,
}

impl Scratch {
    pub(crate) fn new(pages: &Arc<SeamBackend>, suspects: &[u64], alarm: &Arc<Alarm>) -> Self {
        let suspects = suspects.iter().copied().collect();
        let reads = Arc::new(Reads { suspects, seen: AtomicBool::new(false) });
        let len = AtomicU64::new(pages.pages() * PAGE);
        Scratch { pages: Arc::clone(pages), written: Mutex::default(), len, reads, alarm: Arc::clone(alarm) }
    }

    fn page(&self, page: u64) -> io::Result<[u8; PAGE_LEN]> {
        if let Some(bytes) = self.written.lock().get(&page) {
            return Ok(**bytes);
        }
        if page >= self.pages.pages() {
            return Ok([0; PAGE_LEN]);
        }
        if self.alarm.is_stopped() {
            return Err(io::Error::other("the store closes"));
        }
        if self.reads.suspects.contains(&page) {
            self.reads.seen.store(true, Ordering::Relaxed);
            return Err(io::Error::new(io::ErrorKind::InvalidData, format!("page {page} is damaged")));
        }
        self.pages.stored_page(page)
    }

    /// The pages that a stretch of bytes touches: (page, bytes to skip in it, where in the buffer).
    fn touched(offset: u64, len: usize) -> impl Iterator<Item = (u64, usize, std::ops::Range<usize>)> {
        parts(offset, len).flat_map(|part| {
            let first = (PAGE_LEN - part.skip).min(part.len);
            let rest = (part.len - first).div_ceil(PAGE_LEN);
            let head = (part.page, part.skip, part.start..part.start + first);
            let tail = (0..rest).map(move |at| {
                let start = part.start + first + at * PAGE_LEN;
                (part.page + 1 + at as u64, 0, start..(start + PAGE_LEN).min(part.start + part.len))
            });
            std::iter::once(head).chain(tail)
        })
    }
}

impl StorageBackend for Scratch {
    fn len(&self) -> Result<u64, io::Error> {
        Ok(self.len.load(Ordering::Relaxed))
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), io::Error> {
        for (page, skip, range) in Self::touched(offset, out.len()) {
            let bytes = self.page(page)?;
            let len = range.len();
            out[range].copy_from_slice(&bytes[skip..skip + len]);
        }
        Ok(())
    }

    fn set_len(&self, len: u64) -> Result<(), io::Error> {
        self.len.store(len, Ordering::Relaxed);
        Ok(())
    }

    fn sync_data(&self) -> Result<(), io::Error> {
        Ok(())
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), io::Error> {
        for (page, skip, range) in Self::touched(offset, data.len()) {
            let mut bytes = if range.len() == PAGE_LEN { [0; PAGE_LEN] } else { self.page(page)? };
            bytes[skip..skip + range.len()].copy_from_slice(&data[range]);
            self.written.lock().insert(page, Box::new(bytes));
        }
        Ok(())
    }
}
