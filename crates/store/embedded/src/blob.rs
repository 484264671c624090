//! Blobs of any size, read in pieces.

use cairn_base::{ContentHash, TenantId};
use cairn_log::{BLOB_PLACES, BlobAt, BlobPlace};
use cairn_seam::{BlobReader, StoreError};

use crate::shared::Shared;

impl Shared {
    /// Where the newest published commit says that a blob is.
    pub(crate) fn blob_place(
        &self,
        tenant: TenantId,
        hash: &ContentHash,
    ) -> Result<Option<BlobAt>, StoreError> {
        let name = self.log.hash_key().name(BLOB_PLACES, tenant, hash.as_bytes());
        let place = self.log.hashed_get(&name)?.and_then(|entry| BlobPlace::from_value(&entry.value));
        Ok(place.map(|place| place.at))
    }

    pub(crate) fn open_blob(
        &self,
        tenant: TenantId,
        hash: &ContentHash,
    ) -> Result<Option<Box<dyn BlobReader>>, StoreError> {
        match self.blob_place(tenant, hash)? {
            None => Ok(None),
            Some(BlobAt::Gone) => Err(StoreError::BlobGone { hash: *hash }),
            Some(BlobAt::File { .. }) => self.log.open_blob_file(tenant, hash).map(Some),
            Some(BlobAt::Log { position, body_bytes }) => {
                let bytes = self.log.read_blob(position, body_bytes, hash, <[u8]>::to_vec)?;
                Ok(Some(Box::new(SmallBlob(bytes))))
            }
        }
    }
}

/// A verified blob that came out of a commit.
struct SmallBlob(Vec<u8>);

impl BlobReader for SmallBlob {
    fn len(&self) -> u64 {
        self.0.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, StoreError> {
        let rest = usize::try_from(offset).ok().and_then(|offset| self.0.get(offset..)).unwrap_or_default();
        let bytes = rest.len().min(buffer.len());
        buffer[..bytes].copy_from_slice(&rest[..bytes]);
        Ok(bytes)
    }
}
