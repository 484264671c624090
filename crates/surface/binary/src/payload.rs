//! From what was sent to plain bytes that are what they should be.

use std::borrow::Cow;

use cairn_engine::limits;

use crate::error::WireError;

/// The number of no compression.
pub(crate) const NONE: u32 = 0;
/// The number of zstd.
pub(crate) const ZSTD: u32 = 1;

/// Undoes the compression of a payload; never more than said, and never more than allowed.
pub(crate) fn plain<'a>(
    compression: u32,
    sent: impl Into<Cow<'a, [u8]>>,
    said: u32,
) -> Result<Vec<u8>, WireError> {
    let sent = sent.into();
    let room = usize::try_from(said).unwrap_or(usize::MAX);
    if room > limits::BINARY_BLOB_BYTES_MAX {
        return Err(WireError::ContentTooLarge { bytes: u64::from(said) });
    }
    let bytes = match compression {
        NONE => sent.into_owned(),
        // More than there is room for is an error, as is what is no such stream.
        ZSTD => zstd::bulk::decompress(&sent, room).map_err(|_| WireError::BadZstd(said))?,
        other => return Err(WireError::UnknownCompression(other)),
    };
    if bytes.len() == room {
        Ok(bytes)
    } else {
        Err(WireError::WrongLength { found: bytes.len() as u64, said })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn payloads_are_what_they_say_or_refused() {
        assert_eq!(plain(0, &b"hello"[..], 5).unwrap(), b"hello");
        assert!(matches!(plain(0, &b"hello"[..], 4), Err(WireError::WrongLength { found: 5, said: 4 })));
        assert!(matches!(plain(2, &b"hello"[..], 5), Err(WireError::UnknownCompression(2))));
        let packed = zstd::bulk::compress(&[7; 100_000], 1).unwrap();
        assert_eq!(plain(1, &packed, 100_000).unwrap(), [7; 100_000]);
        assert!(matches!(plain(1, &packed, 99_999), Err(WireError::BadZstd(_))), "no room for more");
        assert!(matches!(plain(1, &packed, 100_001), Err(WireError::WrongLength { .. })));
        assert!(matches!(plain(1, &b"hello"[..], 5), Err(WireError::BadZstd(5))));
        assert!(matches!(plain(1, &packed, u32::MAX), Err(WireError::ContentTooLarge { .. })));
        let max = u32::try_from(limits::BINARY_BLOB_BYTES_MAX).unwrap();
        assert!(matches!(plain(0, &b""[..], max + 1), Err(WireError::ContentTooLarge { .. })));
        assert!(matches!(plain(0, &b""[..], max), Err(WireError::WrongLength { .. })));
    }
}
