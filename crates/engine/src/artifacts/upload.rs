//! Content that is uploaded before the artifact that names it.

use cairn_access::{Action, Principal, Resource};
use cairn_artifacts::{ArtifactError, Content, tables::UPLOADS};
use cairn_base::{ContentHash, TenantId, put_varint, take_varint};
use cairn_seam::{Blob, Reader, Sha256, Upload, limits};

use crate::{Act, Engine, EngineError, Prepared};

/// Content on its way in.
pub struct ContentUpload {
    upload: Box<dyn Upload>,
    said: Sha256,
}

impl std::fmt::Debug for ContentUpload {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ContentUpload").field("sha256", &self.said).finish_non_exhaustive()
    }
}

impl ContentUpload {
    /// Takes the next bytes.
    pub fn write(&mut self, bytes: &[u8]) -> Result<(), EngineError> {
        Ok(self.upload.write(bytes)?)
    }

    /// Ends the upload. Fails if the content has another hash.
    pub fn finish(self) -> Result<Blob, EngineError> {
        let blob = self.upload.finish()?.with_sha256();
        check(&blob, self.said)?;
        Ok(blob)
    }
}

/// Fails if content does not have the hash that the client names.
pub(super) fn check(blob: &Blob, said: Sha256) -> Result<(), EngineError> {
    let found = blob.sha256().unwrap_or(Sha256::from_bytes([0; 32]));
    if found == said {
        return Ok(());
    }
    Err(ArtifactError::HashMismatch { said: format!("{said:?}"), found: format!("{found:?}") }.into())
}

pub(super) fn publishing(tenant: TenantId) -> Act {
    Act::new(Action::ArtifactPublish, Resource::tenant(tenant))
}

impl Engine {
    /// Begins to take content whose SHA-256 the client names.
    pub fn begin_content(&self, principal: &Principal, said: Sha256) -> Result<ContentUpload, EngineError> {
        let tenant = principal.tenant();
        self.pipeline.work(principal, &publishing(tenant), |store| {
            Ok(ContentUpload { upload: store.upload(tenant)?, said })
        })
    }

    /// Prepares to keep uploaded content for its uploader, who can name it in a publish within a day. The outcome is
    /// whether it is new.
    pub fn keep_content(&self, principal: &Principal, blob: Blob) -> Prepared<bool> {
        let tenant = principal.tenant();
        let (key, value, expires_at_ms) = upload_entry(self, principal, &blob);
        Prepared::new(principal, publishing(tenant), move |tx, _| {
            // New for this uploader: whether others have the same content is not for it to know.
            let mut is_new = true;
            tx.hashed_get(UPLOADS, tenant, &[&key], &mut |_, value| is_new = value.is_none())?;
            tx.put_blob(&blob)?;
            tx.hashed_put(UPLOADS, &key, &value, Some(expires_at_ms))?;
            Ok(is_new)
        })
    }

    /// Content that a principal uploaded within the last day.
    pub(super) fn uploaded<R: Reader + ?Sized>(
        &self,
        reader: &R,
        principal: &Principal,
        tenant: TenantId,
        sha256: Sha256,
    ) -> Result<Option<Content>, EngineError> {
        let mut found = None;
        reader.hashed_get(UPLOADS, tenant, &[&upload_key(principal, sha256)], &mut |_, value| {
            found = value.and_then(|value| {
                let (hash, mut rest) = value.split_first_chunk::<32>()?;
                Some(Content { hash: ContentHash::from_bytes(*hash), bytes: take_varint(&mut rest)? })
            });
        })?;
        Ok(found)
    }
}

/// The entry by which an upload is remembered: its key, its value, and when it expires.
pub(super) fn upload_entry(engine: &Engine, principal: &Principal, blob: &Blob) -> (Vec<u8>, Vec<u8>, u64) {
    let key = upload_key(principal, blob.sha256().unwrap_or(Sha256::from_bytes([0; 32])));
    let mut value = blob.hash().as_bytes().to_vec();
    put_varint(&mut value, blob.len());
    let grace = u64::try_from(limits::BLOB_GRACE.as_millis()).unwrap_or(u64::MAX);
    (key, value, engine.clock().now_ms().saturating_add(grace))
}

/// Knowing the hash of somebody's content must not be enough to publish it: uploads are remembered by their uploader.
fn upload_key(principal: &Principal, sha256: Sha256) -> Vec<u8> {
    let mut key = sha256.as_bytes().to_vec();
    key.extend_from_slice(blake3::hash(principal.user_id().as_bytes()).as_bytes());
    key
}
