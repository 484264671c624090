//! Sweeping: blobs that nothing refers to, and that nobody uploaded lately, are removed.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cairn_base::{ContentHash, TenantId};
use cairn_log::{BLOB_PLACES, BlobAt, BlobInSegment, BlobPlace, HashedName};
use cairn_seam::{Aborted, OnStage, References, Stage, StoreError, WriteClass, WriteTx, limits};

use super::{Done, go_on};
use crate::shared::Shared;

/// Blobs removed in one transaction: small enough not to hold up others.
const REMOVED_AT_ONCE: usize = 500;

/// What decides whether a blob stays.
pub(super) struct Sweep<'a> {
    shared: &'a Shared,
    /// Marks of the names of all blobs in use, sorted. Now and then a mark stands for two blobs, and one
    /// of them stays for nothing.
    in_use: Vec<u64>,
    /// Blobs uploaded before this time need a reference.
    before_ms: u64,
}

/// What is to become of a blob.
#[derive(PartialEq, Eq)]
enum Verdict {
    Stays,
    /// Nothing refers to it, but it was uploaded a short while ago.
    Waits,
    Goes,
}

impl<'a> Sweep<'a> {
    pub(super) fn new(shared: &'a Shared, references: &dyn References) -> Result<Self, StoreError> {
        let mut in_use = Vec::new();
        references.visit(&mut |tenant, hash| {
            in_use.push(shared.log.hash_key().name(BLOB_PLACES, tenant, hash.as_bytes()).mark());
        })?;
        in_use.sort_unstable();
        in_use.dedup();
        let grace_ms = u64::try_from(limits::BLOB_GRACE.as_millis()).unwrap_or(u64::MAX);
        let before_ms = shared.options.clock.now_ms().saturating_sub(grace_ms);
        Ok(Sweep { shared, in_use, before_ms })
    }

    /// Whether a record names a blob.
    pub(super) fn is_in_use(&self, tenant: TenantId, hash: &ContentHash) -> bool {
        let mark = self.shared.log.hash_key().name(BLOB_PLACES, tenant, hash.as_bytes()).mark();
        self.in_use.binary_search(&mark).is_ok()
    }

    fn judge(&self, mark: u64, place: BlobPlace) -> Verdict {
        if self.in_use.binary_search(&mark).is_ok() {
            Verdict::Stays
        } else if u64::from(place.uploaded_s) * 1000 < self.before_ms {
            Verdict::Goes
        } else {
            Verdict::Waits
        }
    }

    fn place(&self, name: &HashedName) -> Result<Option<BlobPlace>, StoreError> {
        Ok(self.shared.log.hashed_get(name)?.and_then(|entry| BlobPlace::from_value(&entry.value)))
    }

    /// Removes blobs of a segment.
    pub(super) fn segment(&self, blobs: &[BlobInSegment], done: &mut Done) -> Result<(), StoreError> {
        let mut going: BTreeMap<TenantId, Vec<ContentHash>> = BTreeMap::new();
        for blob in blobs {
            let name = self.shared.log.hash_key().name(BLOB_PLACES, blob.tenant, blob.hash.as_bytes());
            let is_here = |place: &BlobPlace| matches!(place.at, BlobAt::Log { position, .. } if position == blob.position);
            let Some(place) = self.place(&name)?.filter(is_here) else { continue };
            match self.judge(name.mark(), place) {
                Verdict::Stays => {}
                Verdict::Waits => done.waiting += 1,
                Verdict::Goes => going.entry(blob.tenant).or_default().push(blob.hash),
            }
        }
        for (tenant, hashes) in going {
            for hashes in hashes.chunks(REMOVED_AT_ONCE) {
                done.removed += self.remove(tenant, hashes.to_vec())?;
            }
        }
        Ok(())
    }

    /// Removes blobs that have files of their own.
    pub(super) fn files(&self, on_stage: OnStage<'_>, done: &mut Done) -> Result<(), StoreError> {
        let names = self.shared.log.blob_files()?;
        let total = names.len() as u64;
        for (at, name) in names.into_iter().enumerate() {
            go_on(on_stage, Stage { name: "looking at large blobs", done: at as u64, total })?;
            let Some(place) = self.place(&name)? else { continue };
            match self.judge(name.mark(), place) {
                Verdict::Stays => {}
                Verdict::Waits => done.waiting += u64::from(place.at != BlobAt::Gone),
                Verdict::Goes => self.file(&name, place, done)?,
            }
        }
        Ok(())
    }

    fn file(&self, name: &HashedName, place: BlobPlace, done: &mut Done) -> Result<(), StoreError> {
        let BlobAt::File { bytes } = place.at else {
            // Somebody else removed the blob, or the file could not be removed with it.
            done.files += u64::from(self.shared.log.remove_blob_file(name)?);
            return Ok(());
        };
        let (tenant, hash) = match self.shared.log.blob_of_file(name) {
            // Whose it is cannot be read: it stays for whoever repairs it.
            Err(StoreError::Damaged(_)) => return Ok(()),
            owner => owner?,
        };
        if self.shared.log.hash_key().name(BLOB_PLACES, tenant, hash.as_bytes()) != *name {
            // The file of another blob stands in its place; that one may be in use.
            return Ok(());
        }
        if self.remove(tenant, vec![hash])? > 0 {
            done.removed += 1;
            if self.shared.log.remove_blob_file(name)? {
                done.files += 1;
                done.freed += bytes;
            }
        }
        Ok(())
    }

    /// Removes blobs, except for those that were uploaded again in this moment.
    fn remove(&self, tenant: TenantId, hashes: Vec<ContentHash>) -> Result<u64, StoreError> {
        let before_ms = self.before_ms;
        let count = Arc::new(AtomicU64::new(0));
        let counted = Arc::clone(&count);
        let body = move |tx: &mut dyn WriteTx| {
            let mut removed = 0;
            for hash in &hashes {
                removed += u64::from(tx.remove_blob(hash, before_ms).map_err(|_| Aborted)?);
            }
            counted.store(removed, Ordering::Relaxed);
            Ok(())
        };
        self.shared.write_as(tenant, WriteClass::Reserve, Box::new(body))?;
        Ok(count.load(Ordering::Relaxed))
    }
}
