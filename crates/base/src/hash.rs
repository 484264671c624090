//! Content hashes.

use std::fmt;
use std::str::FromStr;

use crate::from_hex;

/// BLAKE3-256 of a blob's plain bytes: its name everywhere in cairn.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ContentHash([u8; 32]);

impl ContentHash {
    /// Hashes plain bytes.
    pub fn of(bytes: &[u8]) -> Self {
        ContentHash(*blake3::hash(bytes).as_bytes())
    }

    /// Takes over a hash computed elsewhere.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        ContentHash(bytes)
    }

    /// The 32 bytes.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

/// The text is not 64 hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a content hash is 64 hexadecimal digits")]
pub struct HashParseError;

impl FromStr for ContentHash {
    type Err = HashParseError;

    fn from_str(text: &str) -> Result<Self, HashParseError> {
        from_hex(text).map(ContentHash).ok_or(HashParseError)
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for ContentHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "ContentHash({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_round_trips_in_either_case_and_refuses_the_rest() {
        let hash = ContentHash::of(b"cairn");
        assert_eq!(hash.to_string().parse(), Ok(hash));
        assert_eq!(hash.to_string().to_uppercase().parse(), Ok(hash));
        for bad in ["", "00", &"0".repeat(63), &"0".repeat(65), &"g".repeat(64), &"é".repeat(32)] {
            assert_eq!(bad.parse::<ContentHash>(), Err(HashParseError), "{bad}");
        }
    }
}
