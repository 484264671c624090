//! Blobs made ready outside the transaction.

mod pack;
mod sha256;

use std::any::Any;
use std::sync::Arc;

use cairn_base::{ContentHash, TenantId};

use crate::{HashedKeyspace, Reader, StoreError, WriteTx, limits};
pub use pack::{Packer, unpack};
pub use sha256::{Sha256, Sha256Hasher};

/// The second names of blobs: SHA-256 → content hash.
const ALIASES: HashedKeyspace = HashedKeyspace::new(1, "blob-aliases");

/// The hashed keyspaces of the seam itself. Number 0 is the embedded store's own.
pub const HASHED_KEYSPACES: &[HashedKeyspace] = &[ALIASES];

/// Plain bytes with their hash, computed before the transaction is queued.
///
/// Up to `limits::BLOB_IN_COMMIT_BYTES_MAX` bytes travel inside the commit. More come from an
/// [`Upload`], and are in a place of their own by the time the transaction names them.
#[derive(Debug, Clone)]
pub struct Blob {
    hash: ContentHash,
    sha256: Option<Sha256>,
    content: Content,
}

#[derive(Debug, Clone)]
enum Content {
    Bytes { plain: Arc<[u8]>, packed: Option<Arc<[u8]>> },
    Staged { bytes: u64, handle: Arc<dyn Any + Send + Sync> },
}

impl Blob {
    /// Hashes bytes that fit inside a commit, and compresses them where it pays.
    pub fn new(bytes: Vec<u8>) -> Result<Self, StoreError> {
        if bytes.len() > limits::BLOB_IN_COMMIT_BYTES_MAX {
            let max = limits::BLOB_IN_COMMIT_BYTES_MAX as u64;
            return Err(StoreError::BlobTooLarge { bytes: bytes.len() as u64, max });
        }
        let hash = ContentHash::of(&bytes);
        let packed = pack::with_thread_packer(|packer| packer.pack(&bytes).map(Arc::from));
        Ok(Blob { hash, sha256: None, content: Content::Bytes { plain: bytes.into(), packed } })
    }

    /// A blob that a store has put somewhere already; only that store understands `handle`.
    pub fn staged(hash: ContentHash, sha256: Sha256, bytes: u64, handle: Arc<dyn Any + Send + Sync>) -> Self {
        Blob { hash, sha256: Some(sha256), content: Content::Staged { bytes, handle } }
    }

    /// The same blob, to be found by its SHA-256 too. An upload always is.
    #[must_use]
    pub fn with_sha256(mut self) -> Self {
        if let Content::Bytes { plain, .. } = &self.content {
            self.sha256.get_or_insert_with(|| Sha256::of(plain));
        }
        self
    }

    /// The blob's name.
    pub fn hash(&self) -> ContentHash {
        self.hash
    }

    /// Its second name, if it is to have one.
    pub fn sha256(&self) -> Option<Sha256> {
        self.sha256
    }

    /// Length of the plain bytes.
    pub fn len(&self) -> u64 {
        match &self.content {
            Content::Bytes { plain, .. } => plain.len() as u64,
            Content::Staged { bytes, .. } => *bytes,
        }
    }

    /// Whether there is not a single byte.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The plain bytes, if they travel inside the commit.
    pub fn bytes(&self) -> Option<&[u8]> {
        match &self.content {
            Content::Bytes { plain, .. } => Some(plain),
            Content::Staged { .. } => None,
        }
    }

    /// The compressed bytes, if they travel inside the commit and compression pays.
    pub fn packed(&self) -> Option<&[u8]> {
        match &self.content {
            Content::Bytes { packed, .. } => packed.as_deref(),
            Content::Staged { .. } => None,
        }
    }

    /// What the store needs to know about a blob that it has put somewhere already.
    pub fn handle(&self) -> Option<&Arc<dyn Any + Send + Sync>> {
        match &self.content {
            Content::Bytes { .. } => None,
            Content::Staged { handle, .. } => Some(handle),
        }
    }
}

/// A blob on its way in, piece by piece, outside of any transaction. Dropped, it leaves nothing.
pub trait Upload: Send {
    /// Takes the next bytes; fails beyond `limits::BLOB_BYTES_MAX`.
    fn write(&mut self, bytes: &[u8]) -> Result<(), StoreError>;

    /// Ends the upload. The blob stays only if a transaction puts it before it is dropped.
    fn finish(self: Box<Self>) -> Result<Blob, StoreError>;
}

/// A blob on its way out, piece by piece. It stays readable until dropped.
pub trait BlobReader: Send + Sync {
    /// Length of the plain bytes.
    fn len(&self) -> u64;

    /// Whether there is not a single byte.
    fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Fills `buffer` from `offset` on, verified against the blob's hash; says how many bytes there
    /// were, fewer than asked for only at the end.
    fn read_at(&self, offset: u64, buffer: &mut [u8]) -> Result<usize, StoreError>;
}

/// A verified blob whose bytes are at hand.
#[derive(Debug)]
pub struct BlobInMemory(Arc<[u8]>);

impl BlobInMemory {
    /// Takes bytes that were verified.
    pub fn new(bytes: Arc<[u8]>) -> Self {
        BlobInMemory(bytes)
    }
}

impl BlobReader for BlobInMemory {
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

/// Finds a blob by its second name.
pub fn blob_by_sha256<R: Reader + ?Sized>(
    reader: &R,
    tenant: TenantId,
    sha256: &Sha256,
) -> Result<Option<ContentHash>, StoreError> {
    let mut found = None;
    reader.hashed_get(ALIASES, tenant, &[sha256.as_bytes()], &mut |_, value| {
        found = value.and_then(|value| value.try_into().ok()).map(ContentHash::from_bytes);
    })?;
    Ok(found)
}

/// Writes down a blob's second name, if it has one. Stores call it when they put a blob.
pub fn put_sha256(tx: &mut dyn WriteTx, blob: &Blob) -> Result<(), StoreError> {
    let Some(sha256) = blob.sha256() else { return Ok(()) };
    let tenant = tx.tenant();
    if blob_by_sha256(tx, tenant, &sha256)?.is_some() {
        return Ok(());
    }
    tx.hashed_put(ALIASES, sha256.as_bytes(), blob.hash().as_bytes(), None)
}
