//! Where a blob is.
//!
//! ```text
//! tag u8 | uploaded u32 | …
//! 1 in the log:          … position u64 | body bytes u32
//! 2 in a file of its own: … plain bytes u64
//! 3 swept                …
//! ```

use crate::frame::{u32_at, u64_at};
use crate::hashed::HashedEntry;

/// Where a blob is, and since when.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BlobPlace {
    /// Unix time of the last upload, in seconds.
    pub uploaded_s: u32,
    /// Where.
    pub at: BlobAt,
}

/// Where a blob is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BlobAt {
    /// In a frame of the log.
    Log {
        /// Position of the frame.
        position: u64,
        /// Length of the frame's body.
        body_bytes: u32,
    },
    /// In a file of its own.
    File {
        /// Length of the plain bytes.
        bytes: u64,
    },
    /// Nowhere: nothing referred to it any more.
    Gone,
}

impl BlobPlace {
    /// As the value of a [`HashedEntry`].
    pub fn to_entry(self) -> HashedEntry {
        let mut value = Vec::with_capacity(17);
        let mut head = |tag: u8| {
            value.push(tag);
            value.extend_from_slice(&self.uploaded_s.to_le_bytes());
        };
        match self.at {
            BlobAt::Log { position, body_bytes } => {
                head(1);
                value.extend_from_slice(&position.to_le_bytes());
                value.extend_from_slice(&body_bytes.to_le_bytes());
            }
            BlobAt::File { bytes } => {
                head(2);
                value.extend_from_slice(&bytes.to_le_bytes());
            }
            BlobAt::Gone => head(3),
        }
        HashedEntry { expires_at_ms: 0, value: value.into() }
    }

    /// From the value of an entry; `None` when it is not a place.
    pub fn from_value(value: &[u8]) -> Option<Self> {
        let at = match (value.first()?, value.len()) {
            (1, 17) => BlobAt::Log { position: u64_at(value, 5), body_bytes: u32_at(value, 13) },
            (2, 13) => BlobAt::File { bytes: u64_at(value, 5) },
            (3, 5) => BlobAt::Gone,
            _ => return None,
        };
        Some(BlobPlace { uploaded_s: u32_at(value, 1), at })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_read_back_and_nothing_else_does() {
        let all = [
            BlobAt::Log { position: u64::MAX, body_bytes: 7 },
            BlobAt::File { bytes: 1 << 40 },
            BlobAt::Gone,
        ];
        for at in all {
            let place = BlobPlace { uploaded_s: 1_700_000_000, at };
            let value = place.to_entry().value;
            assert_eq!(BlobPlace::from_value(&value), Some(place));
            assert_eq!(BlobPlace::from_value(&value[..value.len() - 1]), None);
        }
        assert_eq!(BlobPlace::from_value(&[]), None);
    }
}
