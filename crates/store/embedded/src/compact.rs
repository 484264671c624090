//! Compaction: blobs that nothing refers to go, and segments that are mostly dead are written anew.

use std::collections::{BTreeMap, HashSet};

use cairn_base::{ContentHash, TenantId, limits};
use cairn_log::{BLOB_PLACES, BlobAt, BlobInSegment, BlobPlace};
use cairn_seam::{Aborted, MaintenanceReport, OnStage, References, Stage, StoreError};

use crate::shared::Shared;

/// Blobs removed in one transaction: small enough not to hold up others.
const REMOVED_AT_ONCE: usize = 500;

#[derive(Default)]
struct Done {
    removed: u64,
    files: u64,
    packed: u64,
    freed: u64,
}

/// What decides whether a blob stays.
struct Rule {
    /// Marks of the names of all blobs in use, sorted. Now and then a mark stands for two blobs, and one
    /// of them stays for nothing.
    in_use: Vec<u64>,
    /// Blobs uploaded before this time need a reference.
    before_ms: u64,
}

impl Rule {
    fn lets_go(&self, mark: u64, place: BlobPlace) -> bool {
        u64::from(place.uploaded_s) * 1000 < self.before_ms && self.in_use.binary_search(&mark).is_err()
    }
}

impl Shared {
    pub(crate) fn compact(
        &self,
        references: &dyn References,
        on_stage: OnStage<'_>,
    ) -> Result<MaintenanceReport, StoreError> {
        let _one_at_a_time = self.compacting.lock();
        let rule = self.mark(references)?;
        let segments = self.log.sealed_segments();
        let total = segments.iter().map(|segment| segment.frames_end()).sum();
        let mut stage = Stage { name: "looking for dead blobs", done: 0, total };
        let mut done = Done::default();
        for segment in segments {
            go_on(on_stage, stage)?;
            let mut blobs = Vec::new();
            self.log.blobs_of(segment.number, |blob| blobs.push(blob))?;
            self.sweep_segment(&rule, &blobs, &mut done)?;
            let (dead, dead_bytes) = self.dead(&blobs)?;
            if dead_bytes * 2 >= segment.frames_end() {
                self.check_space_for(segment.frames_end() - dead_bytes)?;
                done.freed += self.log.pack(segment.number, &|position| dead.contains(&position))?;
                done.packed += 1;
            }
            stage.done += segment.frames_end();
        }
        self.sweep_files(&rule, on_stage, &mut done)?;
        let figures = vec![
            ("blobs_removed", done.removed),
            ("blob_files_removed", done.files),
            ("segments_rewritten", done.packed),
            ("bytes_freed", done.freed),
        ];
        Ok(MaintenanceReport { figures, findings: Vec::new() })
    }

    fn mark(&self, references: &dyn References) -> Result<Rule, StoreError> {
        let mut in_use = Vec::new();
        references.visit(&mut |tenant, hash| {
            in_use.push(self.log.hash_key().name(BLOB_PLACES, tenant, hash.as_bytes()).mark());
        })?;
        in_use.sort_unstable();
        in_use.dedup();
        let grace_ms = u64::try_from(limits::BLOB_GRACE.as_millis()).unwrap_or(u64::MAX);
        Ok(Rule { in_use, before_ms: self.options.clock.now_ms().saturating_sub(grace_ms) })
    }

    fn sweep_segment(&self, rule: &Rule, blobs: &[BlobInSegment], done: &mut Done) -> Result<(), StoreError> {
        let mut going: BTreeMap<TenantId, Vec<ContentHash>> = BTreeMap::new();
        for blob in blobs {
            let name = self.log.hash_key().name(BLOB_PLACES, blob.tenant, blob.hash.as_bytes());
            let place = self.log.hashed_get(&name)?.and_then(|entry| BlobPlace::from_value(&entry.value));
            let is_here = |place: &BlobPlace| matches!(place.at, BlobAt::Log { position, .. } if position == blob.position);
            if place.filter(is_here).is_some_and(|place| rule.lets_go(name.mark(), place)) {
                going.entry(blob.tenant).or_default().push(blob.hash);
            }
        }
        for (tenant, hashes) in going {
            for hashes in hashes.chunks(REMOVED_AT_ONCE) {
                done.removed += self.remove(tenant, hashes.to_vec(), rule.before_ms)?;
            }
        }
        Ok(())
    }

    /// Removes blobs, except for those that were uploaded again in this moment.
    fn remove(&self, tenant: TenantId, hashes: Vec<ContentHash>, before_ms: u64) -> Result<u64, StoreError> {
        let count = std::sync::Arc::new(std::sync::atomic::AtomicU64::new(0));
        let counted = std::sync::Arc::clone(&count);
        let body = move |tx: &mut dyn cairn_seam::WriteTx| {
            let mut removed = 0;
            for hash in &hashes {
                removed += u64::from(tx.remove_blob(hash, before_ms).map_err(|_| Aborted)?);
            }
            counted.store(removed, std::sync::atomic::Ordering::Relaxed);
            Ok(())
        };
        self.write(tenant, Box::new(body))?;
        Ok(count.load(std::sync::atomic::Ordering::Relaxed))
    }

    /// Positions of frames that hold no blob any more, and their bytes.
    fn dead(&self, blobs: &[BlobInSegment]) -> Result<(HashSet<u64>, u64), StoreError> {
        let mut dead = HashSet::new();
        let mut bytes = 0;
        for blob in blobs {
            let place = self.blob_place(blob.tenant, &blob.hash)?;
            if !matches!(place, Some(BlobAt::Log { position, .. }) if position == blob.position) {
                dead.insert(blob.position);
                bytes += blob.stored_bytes;
            }
        }
        Ok((dead, bytes))
    }

    fn sweep_files(&self, rule: &Rule, on_stage: OnStage<'_>, done: &mut Done) -> Result<(), StoreError> {
        let names = self.log.blob_files()?;
        let total = names.len() as u64;
        for (at, name) in names.into_iter().enumerate() {
            go_on(on_stage, Stage { name: "looking at large blobs", done: at as u64, total })?;
            let place = self.log.hashed_get(&name)?.and_then(|entry| BlobPlace::from_value(&entry.value));
            let Some(place) = place.filter(|place| rule.lets_go(name.mark(), *place)) else { continue };
            let BlobAt::File { bytes } = place.at else {
                // Somebody else removed the blob, or the file could not be removed with it.
                done.files += u64::from(self.log.remove_blob_file(&name)?);
                continue;
            };
            let (tenant, hash) = self.log.blob_of_file(&name)?;
            if self.remove(tenant, vec![hash], rule.before_ms)? > 0 {
                done.removed += 1;
                if self.log.remove_blob_file(&name)? {
                    done.files += 1;
                    done.freed += bytes;
                }
            }
        }
        Ok(())
    }
}

fn go_on(on_stage: OnStage<'_>, stage: Stage<'_>) -> Result<(), StoreError> {
    if on_stage(stage) { Ok(()) } else { Err(StoreError::Stopped) }
}
