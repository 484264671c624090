//! redb's file, through the file-system seam.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cairn_base::fs::File;
use redb::StorageBackend;

/// Bytes written between two syncs at the most.
///
/// An index commit writes many pages and then syncs them. Left alone, that one sync keeps the disk busy
/// for tens of milliseconds, and every commit to the log waits behind it. Syncing in slices costs the
/// applier a little and bounds the wait.
const SLICE_BYTES: u64 = 256 << 10;

#[derive(Debug)]
pub(crate) struct SeamBackend {
    file: Arc<dyn File>,
    unsynced: AtomicU64,
}

impl SeamBackend {
    pub(crate) fn new(file: Arc<dyn File>) -> Self {
        SeamBackend { file, unsynced: AtomicU64::new(0) }
    }
}

impl StorageBackend for SeamBackend {
    fn len(&self) -> Result<u64, io::Error> {
        self.file.len()
    }

    fn read(&self, offset: u64, out: &mut [u8]) -> Result<(), io::Error> {
        self.file.read_at(out, offset)
    }

    fn set_len(&self, len: u64) -> Result<(), io::Error> {
        self.file.set_len(len)
    }

    fn sync_data(&self) -> Result<(), io::Error> {
        self.unsynced.store(0, Ordering::Relaxed);
        self.file.sync_data()
    }

    fn write(&self, offset: u64, data: &[u8]) -> Result<(), io::Error> {
        self.file.write_at(data, offset)?;
        let unsynced = self.unsynced.fetch_add(data.len() as u64, Ordering::Relaxed) + data.len() as u64;
        if unsynced >= SLICE_BYTES {
            self.unsynced.store(0, Ordering::Relaxed);
            self.file.sync_data()?;
        }
        Ok(())
    }
}
