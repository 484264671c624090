//! Blobs of a memory store, large ones included.

use std::any::Any;
use std::sync::Arc;

use cairn_base::ContentHash;

use super::table::Bytes;
use crate::{Blob, Sha256, StoreError, Upload, limits};

/// An upload into memory.
#[derive(Debug, Default)]
pub(super) struct MemoryUpload(Vec<u8>);

impl Upload for MemoryUpload {
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        let (bytes_now, max) = ((self.0.len() + bytes.len()) as u64, limits::BLOB_BYTES_MAX);
        if bytes_now > max {
            return Err(StoreError::BlobTooLarge { bytes: bytes_now, max });
        }
        self.0.extend_from_slice(bytes);
        Ok(())
    }

    fn finish(self: Box<Self>) -> Result<Blob, StoreError> {
        let bytes = self.0;
        if bytes.len() <= limits::BLOB_IN_COMMIT_BYTES_MAX {
            return Ok(Blob::new(bytes)?.with_sha256());
        }
        let (hash, sha256, len) = (ContentHash::of(&bytes), Sha256::of(&bytes), bytes.len() as u64);
        Ok(Blob::staged(hash, sha256, len, Arc::new(Bytes::from(bytes))))
    }
}

/// The bytes of a blob that was uploaded to this kind of store.
pub(super) fn staged_bytes(handle: Option<&Arc<dyn Any + Send + Sync>>) -> Option<Bytes> {
    handle?.downcast_ref::<Bytes>().cloned()
}

/// A blob and its last upload.
#[derive(Debug, Clone)]
pub(super) struct StoredBlob {
    /// `None` once it was removed.
    pub(super) bytes: Option<Bytes>,
    pub(super) uploaded_ms: u64,
}

/// The bytes of a blob that may be there.
pub(super) fn present(found: Option<StoredBlob>, hash: &ContentHash) -> Result<Option<Bytes>, StoreError> {
    match found {
        None => Ok(None),
        Some(blob) => blob.bytes.ok_or(StoreError::BlobGone { hash: *hash }).map(Some),
    }
}

/// The same for one that is to be read at once, and must be small enough for that.
pub(super) fn in_one_piece(
    found: Option<StoredBlob>,
    hash: &ContentHash,
) -> Result<Option<Bytes>, StoreError> {
    let max = limits::BLOB_IN_COMMIT_BYTES_MAX;
    match present(found, hash)? {
        Some(bytes) if bytes.len() > max => {
            Err(StoreError::BlobTooLarge { bytes: bytes.len() as u64, max: max as u64 })
        }
        found => Ok(found),
    }
}
