//! A blob inside the log.
//!
//! ```text
//! hash 32 | plain bytes u32 | uploaded u32, Unix seconds | packing u8 | reserved 7 | stored bytes
//! ```
//!
//! Packing 0 stores plain bytes, 1 a zstd frame.

use cairn_base::ContentHash;
use cairn_seam::{Blob, limits, unpack};

use crate::frame::u32_at;

const HEADER_BYTES: usize = 48;
const PLAIN: u8 = 0;
const ZSTD: u8 = 1;

/// The header of a blob and the bytes behind it. `None` for one with a file of its own.
pub(crate) fn encode(blob: &Blob, uploaded_s: u32) -> Option<([u8; HEADER_BYTES], &[u8])> {
    let plain = blob.bytes()?;
    let (packing, stored) = match blob.packed() {
        Some(packed) => (ZSTD, packed),
        None => (PLAIN, plain),
    };
    let mut header = [0; HEADER_BYTES];
    header[..32].copy_from_slice(blob.hash().as_bytes());
    header[32..36].copy_from_slice(&u32::try_from(plain.len()).ok()?.to_le_bytes());
    header[36..40].copy_from_slice(&uploaded_s.to_le_bytes());
    header[40] = packing;
    Some((header, stored))
}

/// A blob frame's body, taken apart.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BlobFrame<'a> {
    pub(crate) hash: ContentHash,
    pub(crate) uploaded_s: u32,
    plain_bytes: usize,
    packing: u8,
    stored: &'a [u8],
}

impl<'a> BlobFrame<'a> {
    /// Takes a body apart; `None` when it makes no sense.
    pub(crate) fn decode(body: &'a [u8]) -> Option<Self> {
        let (header, stored) = body.split_at_checked(HEADER_BYTES)?;
        let plain_bytes = u32_at(header, 32) as usize;
        let fits = plain_bytes <= limits::BLOB_IN_COMMIT_BYTES_MAX
            && matches!(header[40], PLAIN | ZSTD)
            && (header[40] != PLAIN || plain_bytes == stored.len());
        fits.then(|| BlobFrame {
            hash: ContentHash::from_bytes(std::array::from_fn(|at| header[at])),
            uploaded_s: u32_at(header, 36),
            plain_bytes,
            packing: header[40],
            stored,
        })
    }

    /// Hands out the plain bytes; `None` when they are not what the hash says.
    pub(crate) fn with_plain<T>(&self, visit: impl FnOnce(&[u8]) -> T) -> Option<T> {
        let unpacked;
        let plain = if self.packing == ZSTD {
            unpacked = unpack(self.stored, self.plain_bytes)?;
            &unpacked
        } else {
            self.stored
        };
        (ContentHash::of(plain) == self.hash).then(|| visit(plain))
    }
}
