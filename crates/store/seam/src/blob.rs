//! Blobs made ready outside the transaction.

use cairn_base::{ContentHash, limits};

use crate::StoreError;

/// Plain bytes with their hash, computed before the transaction is queued.
#[derive(Debug, Clone)]
pub struct Blob {
    hash: ContentHash,
    bytes: Vec<u8>,
}

impl Blob {
    /// Hashes bytes that fit inside a commit.
    pub fn new(bytes: Vec<u8>) -> Result<Self, StoreError> {
        if bytes.len() > limits::BLOB_IN_COMMIT_BYTES_MAX {
            return Err(StoreError::BlobTooLarge { bytes: bytes.len() as u64 });
        }
        Ok(Blob { hash: ContentHash::of(&bytes), bytes })
    }

    /// The blob's name.
    pub fn hash(&self) -> ContentHash {
        self.hash
    }

    /// The plain bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }
}
