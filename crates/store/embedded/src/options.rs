//! How an embedded store is opened.

use std::fmt;
use std::path::Path;
use std::sync::Arc;

use cairn_base::fs::{FileSystem, SystemFs};
use cairn_base::{Clock, Entropy, SystemClock, SystemEntropy};
use cairn_log::{EncryptionKey, Progress};
use cairn_seam::StoreError;

use crate::limits;

/// Who does the work that no caller waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Background {
    /// Threads of the store.
    Threads,
    /// Nobody until `upkeep` is called: every operation on the disk happens in the calling thread, in
    /// an order that depends on nothing else. For simulations.
    Manual,
}

/// Told how far a long opening is: a stage in words, and bytes done of bytes in all.
pub type ProgressFn = Arc<dyn Fn(&str, Progress) + Send + Sync>;

/// How to open an embedded store. `Default` is right for a server.
#[derive(Clone)]
pub struct EmbeddedOptions {
    /// The disk.
    pub fs: Arc<dyn FileSystem>,
    /// Time.
    pub clock: Arc<dyn Clock>,
    /// Randomness.
    pub entropy: Arc<dyn Entropy>,
    /// Size of a log segment.
    pub segment_bytes: u64,
    /// Writing stops when less than this is free on the disk.
    pub reserve_bytes: u64,
    /// Length of the reserve file, which pays for deletions and revocations then; 0 for none.
    pub reserve_file_bytes: u64,
    /// Memory for pages of the index.
    pub cache_bytes: usize,
    /// The applier starts at the latest when this much is not in the index yet.
    pub apply_bytes: u64,
    /// Writers wait when this much is not in the index yet.
    pub unapplied_bytes_max: u64,
    /// An image is written when the log has grown by this much since the last one.
    pub image_every_bytes: u64,
    /// Compacting writes an image when the log has grown by this much since the last one.
    pub compact_image_bytes: u64,
    /// The key of a sealed store. A store that is made with one is sealed for ever.
    pub key: Option<EncryptionKey>,
    /// Open what is before damage instead of refusing.
    pub accept_loss: bool,
    /// Who works in the background.
    pub background: Background,
    /// Told about long openings.
    pub progress: Option<ProgressFn>,
}

impl Default for EmbeddedOptions {
    fn default() -> Self {
        EmbeddedOptions {
            fs: Arc::new(SystemFs),
            clock: Arc::new(SystemClock),
            entropy: Arc::new(SystemEntropy),
            segment_bytes: limits::SEGMENT_BYTES_DEFAULT,
            reserve_bytes: limits::DISK_RESERVE_BYTES_DEFAULT,
            reserve_file_bytes: limits::RESERVE_FILE_BYTES_DEFAULT,
            cache_bytes: 64 << 20,
            apply_bytes: limits::APPLY_BYTES as u64,
            unapplied_bytes_max: limits::UNAPPLIED_BYTES_MAX as u64,
            image_every_bytes: 4 << 30,
            compact_image_bytes: 64 << 20,
            key: None,
            accept_loss: false,
            background: Background::Threads,
            progress: None,
        }
    }
}

impl EmbeddedOptions {
    /// Whether the disk that holds `dir` has room for so many bytes and the reserve.
    pub(crate) fn check_room(&self, dir: &Path, bytes: u64) -> Result<(), StoreError> {
        let failed = |error| StoreError::io(format!("asking for free space in {}", dir.display()), error);
        let free_bytes = self.fs.free_bytes(dir).map_err(failed)?;
        let reserve_bytes = self.reserve_bytes.saturating_add(bytes);
        match free_bytes < reserve_bytes {
            true => Err(StoreError::StorageFull { free_bytes, reserve_bytes }),
            false => Ok(()),
        }
    }

    pub(crate) fn report(&self, stage: &str, progress: Progress) {
        if let Some(report) = &self.progress {
            report(stage, progress);
        }
    }
}

impl fmt::Debug for EmbeddedOptions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("EmbeddedOptions")
            .field("segment_bytes", &self.segment_bytes)
            .field("reserve_bytes", &self.reserve_bytes)
            .field("cache_bytes", &self.cache_bytes)
            .field("background", &self.background)
            .finish_non_exhaustive()
    }
}
