//! Turmoil: a process that does everything a store can do at once, until it is killed; and its parent, which
//! kills it and looks at what is left.
//!
//! Used by the tests beside it and by the benchmark `blobs`, which takes more rounds.

mod check;
mod clock;
mod record;
mod unowned;
mod watch;
mod work;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cairn_base::SeededEntropy;
use cairn_embedded::{EmbeddedOptions, EmbeddedStore, EncryptionKey};
use cairn_seam::StoreError;

pub(crate) use check::{Tally, check};
pub(crate) use unowned::unowned;
pub(crate) use watch::watch_and_kill;
pub(crate) use work::work_until_killed;

/// What a process is told.
#[derive(Debug, Clone)]
pub(crate) struct Orders {
    /// The folder that holds the store and its backups.
    pub(crate) place: PathBuf,
    /// The number of this life; what it writes has names of its own.
    pub(crate) life: u32,
    /// When time began to run fast.
    pub(crate) epoch_ms: u64,
    /// The number of the store's key; 0 for a store in the open.
    pub(crate) key: u64,
    /// What its random decisions follow from.
    pub(crate) seed: u64,
}

impl Orders {
    /// As arguments of a process.
    pub(crate) fn to_text(&self) -> String {
        let Orders { place, life, epoch_ms, key, seed } = self;
        format!("{life} {epoch_ms} {key} {seed} {}", place.display())
    }

    /// Undoes [`Orders::to_text`].
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let mut words = text.splitn(5, ' ');
        let mut number = || words.next()?.parse::<u64>().ok();
        let (life, epoch_ms, key, seed) = (number()?, number()?, number()?, number()?);
        let place = PathBuf::from(words.next()?);
        Some(Orders { place, life: u32::try_from(life).ok()?, epoch_ms, key, seed })
    }

    fn store(&self) -> PathBuf {
        self.place.join("store")
    }

    fn options(&self, key: u64) -> EmbeddedOptions {
        EmbeddedOptions {
            clock: Arc::new(clock::Hasty { epoch_ms: self.epoch_ms }),
            // Small, so that many are complete within a second.
            segment_bytes: 2 << 20,
            reserve_bytes: 0,
            key: (key > 0).then(|| numbered(key)),
            ..EmbeddedOptions::default()
        }
    }

    fn open(&self, dir: &Path, key: u64) -> Result<EmbeddedStore, StoreError> {
        EmbeddedStore::open(dir, self.options(key))
    }
}

/// A key that follows from its number.
fn numbered(key: u64) -> EncryptionKey {
    EncryptionKey::generate(&SeededEntropy::new(key))
}
