//! Blobs of any size, read in pieces.

use cairn_base::{ContentHash, TenantId};
use cairn_log::{BLOB_PLACES, BlobAt, BlobPlace};
use cairn_seam::{BlobInMemory, BlobReader, StoreError};

use crate::shared::Shared;
use crate::tx::not_in_the_log;

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

    /// Reads a blob that fits into a commit.
    pub(crate) fn read_blob(
        &self,
        tenant: TenantId,
        hash: &ContentHash,
        visit: &mut dyn FnMut(Option<&[u8]>),
    ) -> Result<(), StoreError> {
        loop {
            let place = self.blob_place(tenant, hash)?;
            let Some(at) = place else {
                visit(None);
                return Ok(());
            };
            let BlobAt::Log { position, body_bytes } = at else { return Err(not_in_the_log(at, hash)) };
            match self.log.read_blob(position, body_bytes, hash, |bytes| visit(Some(bytes))) {
                // It was removed, and its frame taken out, since we looked.
                Err(StoreError::Damaged(_)) if self.blob_place(tenant, hash)? != place => {}
                read => return read,
            }
        }
    }

    pub(crate) fn open_blob(
        &self,
        tenant: TenantId,
        hash: &ContentHash,
    ) -> Result<Option<Box<dyn BlobReader>>, StoreError> {
        let place = self.blob_place(tenant, hash)?;
        if let Some(BlobAt::File { .. }) = place {
            return match self.log.open_blob_file(tenant, hash) {
                Err(StoreError::Damaged(_)) if self.blob_place(tenant, hash)? != place => {
                    Err(StoreError::BlobGone { hash: *hash })
                }
                opened => opened.map(Some),
            };
        }
        let mut found: Option<Box<dyn BlobReader>> = None;
        self.read_blob(tenant, hash, &mut |bytes| {
            found = bytes.map(|bytes| Box::new(BlobInMemory::new(bytes.into())) as Box<dyn BlobReader>);
        })?;
        Ok(found)
    }
}
