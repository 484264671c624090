//! Whole blobs, and uploads.

use cairn_access::Principal;
use cairn_base::{ContentHash, Position, TenantId};
use cairn_seam::{Blob, BlobReader, Store, StoreError, limits};

use super::acts::{reading, writing};
use crate::{Engine, EngineError};

impl Engine {
    /// Makes bytes a blob that a transaction can put; long ones are written to disk here.
    pub fn blob(&self, principal: &Principal, tenant: TenantId, bytes: Vec<u8>) -> Result<Blob, EngineError> {
        self.pipeline.work(principal, &writing(tenant), |store| make_blob(store, tenant, bytes))
    }

    /// A whole blob of at most `bytes_max` bytes; `None` if there is none.
    ///
    /// Before it is read, `begin` hears how long it is, and may refuse; it is appended to the bytes that `begin`
    /// returns, where it is sent from.
    pub fn whole_blob(
        &self,
        principal: &Principal,
        tenant: TenantId,
        hash: &ContentHash,
        bytes_max: u64,
        begin: impl FnOnce(u64) -> Result<Vec<u8>, EngineError>,
    ) -> Result<Option<Vec<u8>>, EngineError> {
        let started = self.clock().monotonic();
        let read = self.pipeline.work(principal, &reading(tenant), |store| {
            if self.is_hidden_blob(principal, tenant, hash)? {
                return Ok(None);
            }
            whole_blob(store, tenant, hash, bytes_max, begin)
        });
        self.memories.turns.blobs.observe(self.clock().monotonic().saturating_sub(started));
        read
    }
}

impl Engine {
    /// Whether a memory keeps a blob from the caller: it belongs to records that the caller may not read.
    pub(super) fn is_hidden_blob(
        &self,
        principal: &Principal,
        tenant: TenantId,
        hash: &ContentHash,
    ) -> Result<bool, EngineError> {
        let snapshot = self.pipeline.store().snapshot(Position::START)?;
        for memory in self.memories.all() {
            if memory.hides_blob(self, &*snapshot, principal, tenant, hash)? {
                return Ok(true);
            }
        }
        Ok(false)
    }
}

/// Makes bytes a blob; long ones are written to disk.
pub(crate) fn make_blob(store: &dyn Store, tenant: TenantId, bytes: Vec<u8>) -> Result<Blob, EngineError> {
    if bytes.len() <= limits::BLOB_IN_COMMIT_BYTES_MAX {
        return Ok(Blob::new(bytes)?);
    }
    let mut upload = store.upload(tenant)?;
    upload.write(&bytes)?;
    Ok(upload.finish()?)
}

/// Reads a blob that a record names: one that cannot be found is damage.
pub(crate) fn named_blob(
    store: &dyn Store,
    tenant: TenantId,
    hash: &ContentHash,
    bytes_max: u64,
) -> Result<Vec<u8>, EngineError> {
    read_whole(&*store.open_named_blob(tenant, hash)?, bytes_max, |_| Ok(Vec::new()))
}

pub(crate) fn whole_blob(
    store: &dyn Store,
    tenant: TenantId,
    hash: &ContentHash,
    bytes_max: u64,
    begin: impl FnOnce(u64) -> Result<Vec<u8>, EngineError>,
) -> Result<Option<Vec<u8>>, EngineError> {
    let Some(reader) = store.open_blob(tenant, hash)? else { return Ok(None) };
    read_whole(&*reader, bytes_max, begin).map(Some)
}

fn read_whole(
    reader: &dyn BlobReader,
    bytes_max: u64,
    begin: impl FnOnce(u64) -> Result<Vec<u8>, EngineError>,
) -> Result<Vec<u8>, EngineError> {
    if reader.len() > bytes_max {
        return Err(StoreError::BlobTooLarge { bytes: reader.len(), max: bytes_max }.into());
    }
    let mut bytes = begin(reader.len())?;
    let (start, length) = (bytes.len(), usize::try_from(reader.len()).unwrap_or(0));
    if start == 0 {
        // The system has zeros at hand, where others are written.
        bytes = vec![0; length];
    } else {
        bytes.resize(start + length, 0);
    }
    reader.read_at(0, &mut bytes[start..])?;
    Ok(bytes)
}
