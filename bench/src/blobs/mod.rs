//! `blobs`: the figures of blobs, encryption, backup and compaction.

mod absent;
mod compaction;
mod durable;
mod jobs;
mod kill;
pub(crate) mod large;
pub(crate) mod memory;
mod sealed;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use anyhow::Result;
use cairn_base::{ContentHash, SystemEntropy, TenantId};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore, EncryptionKey};
use cairn_seam::{Blob, References, Store, StoreError, write};

use crate::measure::{Measurement, row};
use crate::random::Random;

/// Everything here is in one tenant.
const TENANT: TenantId = TenantId(7);
const KIB_64: usize = 64 << 10;

/// Every measurement, in the order they run.
pub(crate) const MEASUREMENTS: &[Measurement] = &[
    row("durable", "64 KiB blobs: durable writes against a raw file, and hot reads", durable::run),
    row("absent", "looking up a hash that is not among 5,000,000", absent::run),
    row("sealed", "writes and point reads with AES against without", sealed::run),
    row("jobs", "backup and doctor over a log of blobs and records", jobs::run),
    row("compaction", "a half-dead log, and appends meanwhile", compaction::run),
    row("large", "blobs of 63 MiB and 1 GiB, streamed: memory and rates", large::run),
    row("kill", "100 rounds of kill -9 in the middle of everything", kill::run),
    Measurement {
        name: "memory",
        about: "memory with a log of 20 GB, which takes as much room for a while",
        by_default: false,
        run: memory::run,
    },
];

fn open(dir: &Path, is_sealed: bool) -> Result<EmbeddedStore> {
    let key = is_sealed.then(|| EncryptionKey::generate(&SystemEntropy));
    Ok(EmbeddedStore::open(dir, EmbeddedOptions { key, ..EmbeddedOptions::default() })?)
}

/// Bytes that do not compress, other ones for every number.
fn noise(number: u64, bytes: usize) -> Vec<u8> {
    Random::new(number).bytes(bytes)
}

fn put(store: &dyn Store, number: u64, bytes: usize) -> Result<ContentHash> {
    let blob = Blob::new(noise(number, bytes))?;
    let hash = blob.hash();
    write::<_, StoreError>(store, TENANT, move |tx| tx.put_blob(&blob))?;
    Ok(hash)
}

/// Numbers that were never given before.
fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// References to some hashes.
struct Live(Arc<Vec<ContentHash>>);

impl References for Live {
    fn visit(&self, visit: &mut dyn FnMut(TenantId, &ContentHash)) -> Result<(), StoreError> {
        self.0.iter().for_each(|hash| visit(TENANT, hash));
        Ok(())
    }
}
