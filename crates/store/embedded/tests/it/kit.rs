//! Stores to try things on.

use std::path::Path;
use std::sync::Arc;

use cairn_base::fs::{FileSystem, SimulatedFs};
use cairn_base::{ManualClock, SeededEntropy};
use cairn_embedded::{Background, EmbeddedOptions, EmbeddedStore, EncryptionKey};
use cairn_seam::StoreError;

/// Where stores live on simulated disks.
pub(crate) const DIR: &str = "data/store";

/// Small segments and quick applies, so that a short test sees many of both.
pub(crate) fn small_options(fs: Arc<dyn FileSystem>, seed: u64) -> EmbeddedOptions {
    EmbeddedOptions {
        fs,
        clock: Arc::new(ManualClock::new(1_700_000_000_000)),
        entropy: Arc::new(SeededEntropy::new(seed)),
        segment_bytes: 16 << 10,
        reserve_bytes: 0,
        reserve_file_bytes: 0,
        cache_bytes: 1 << 20,
        apply_bytes: 8 << 10,
        unapplied_bytes_max: 64 << 10,
        background: Background::Manual,
        ..EmbeddedOptions::default()
    }
}

/// Opens a store on a simulated disk that does nothing by itself.
pub(crate) fn open_simulated(fs: &SimulatedFs, seed: u64) -> Result<EmbeddedStore, StoreError> {
    EmbeddedStore::open(Path::new(DIR), small_options(Arc::new(fs.clone()), seed))
}

/// A key that follows from a number.
pub(crate) fn key(number: u64) -> EncryptionKey {
    EncryptionKey::generate(&SeededEntropy::new(number))
}

/// The same for a store that is sealed with key 1.
pub(crate) fn open_sealed(fs: &SimulatedFs, seed: u64) -> Result<EmbeddedStore, StoreError> {
    let options = EmbeddedOptions { key: Some(key(1)), ..small_options(Arc::new(fs.clone()), seed) };
    EmbeddedStore::open(Path::new(DIR), options)
}
