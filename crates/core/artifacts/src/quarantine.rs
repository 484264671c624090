//! Quarantine: imported artifacts whose author is not known here. They are stored, and not served.

use std::ops::Bound;

use cairn_access::Scope;
use cairn_seam::{KeyRange, Reader, Visit, WriteTx};

use crate::publish::{Publish, key, put_blobs};
use crate::tables::QUARANTINE;
use crate::{Artifact, ArtifactError, ArtifactId, limits, read, record};

/// An artifact in quarantine.
pub type Quarantined = Artifact;

/// Puts an artifact into quarantine. Returns whether it was not there before.
pub fn quarantine(tx: &mut dyn WriteTx, scope: &Scope, new: &Publish) -> Result<bool, ArtifactError> {
    let place = key(scope, &new.artifact);
    if read::artifact(tx, scope, new.artifact.id)?.is_some() {
        return Err(ArtifactError::Duplicate(new.artifact.id));
    }
    if cairn_seam::get(tx, QUARANTINE, &place)?.is_some() {
        return Ok(false);
    }
    put_blobs(tx, new)?;
    tx.put(QUARANTINE, &place, &record::encode(&new.artifact))?;
    Ok(true)
}

/// Whether the quarantine has room for `more` artifacts. Asked once for several that are put there together.
pub fn check_quarantine<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    more: usize,
) -> Result<(), ArtifactError> {
    let mut count = more;
    let everything = KeyRange::prefix(&scope.key()).limit(limits::QUARANTINE_MAX);
    reader.multi_scan(QUARANTINE, &[everything], &mut |_, _, _| {
        count += 1;
        Visit::Continue
    })?;
    if count > limits::QUARANTINE_MAX { Err(ArtifactError::QuarantineFull) } else { Ok(()) }
}

/// Artifacts in quarantine after an id, at most `limit`.
pub fn quarantined<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    after: Option<ArtifactId>,
    limit: usize,
) -> Result<Vec<Quarantined>, ArtifactError> {
    let mut range = KeyRange::prefix(&scope.key()).limit(limit);
    if let Some(id) = after {
        range.low = Bound::Excluded(scope.key().fixed(id.as_bytes()).into_vec());
    }
    let mut found = Vec::new();
    reader.multi_scan(QUARANTINE, &[range], &mut |_, key, value| {
        if let Some(id) = key.last_chunk() {
            found.push(record::decode(ArtifactId::from_bytes(*id), value));
        }
        Visit::Continue
    })?;
    found.into_iter().collect()
}

/// Removes an artifact from quarantine without publishing it. Returns whether it was there.
pub fn release(tx: &mut dyn WriteTx, scope: &Scope, id: ArtifactId) -> Result<bool, ArtifactError> {
    let place = scope.key().fixed(id.as_bytes());
    let is_there = cairn_seam::get(tx, QUARANTINE, &place)?.is_some();
    if is_there {
        tx.delete(QUARANTINE, &place)?;
    }
    Ok(is_there)
}
