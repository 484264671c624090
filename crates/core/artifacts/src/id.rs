//! Ids of artifacts.

use std::fmt;
use std::str::FromStr;

use cairn_base::{Entropy, Hex};

/// The id of an artifact: a random UUID (version 4), written in lower case with hyphens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ArtifactId([u8; 16]);

/// The text is not an id of an artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an artifact id is a UUID of version 4 in lower case, like 550e8400-e29b-41d4-a716-446655440000")]
pub struct NotAnArtifactId;

/// Bytes before which a hyphen stands.
const HYPHENS: [usize; 4] = [4, 6, 8, 10];

impl ArtifactId {
    /// A new id.
    pub fn random(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; 16];
        entropy.fill(&mut bytes);
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        ArtifactId(bytes)
    }

    /// Takes over the bytes of a stored id.
    pub const fn from_bytes(bytes: [u8; 16]) -> Self {
        ArtifactId(bytes)
    }

    /// Its bytes.
    pub const fn as_bytes(&self) -> &[u8; 16] {
        &self.0
    }
}

impl FromStr for ArtifactId {
    type Err = NotAnArtifactId;

    fn from_str(text: &str) -> Result<Self, NotAnArtifactId> {
        let digits: Vec<u8> = text.bytes().filter(|byte| *byte != b'-').collect();
        let is_lower = |byte: &u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(byte);
        if text.len() != 36 || digits.len() != 32 || !digits.iter().all(is_lower) {
            return Err(NotAnArtifactId);
        }
        let digits = std::str::from_utf8(&digits).map_err(|_| NotAnArtifactId)?;
        let id = cairn_base::from_hex(digits).map(ArtifactId).ok_or(NotAnArtifactId)?;
        let is_random = id.0[6] >> 4 == 4 && id.0[8] >> 6 == 2;
        // Written again it has its hyphens where they belong.
        if is_random && id.to_string() == text { Ok(id) } else { Err(NotAnArtifactId) }
    }
}

impl fmt::Display for ArtifactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut start = 0;
        for end in HYPHENS {
            write!(f, "{}-", Hex(&self.0[start..end]))?;
            start = end;
        }
        write!(f, "{}", Hex(&self.0[start..]))
    }
}

impl fmt::Debug for ArtifactId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use cairn_base::SeededEntropy;

    use super::*;

    #[test]
    fn an_id_is_a_random_uuid_in_lower_case() {
        let text = "550e8400-e29b-41d4-a716-446655440000";
        assert_eq!(text.parse::<ArtifactId>().map(|id| id.to_string()).as_deref(), Ok(text));
        let made = ArtifactId::random(&SeededEntropy::new(3));
        assert_eq!(made.to_string().parse(), Ok(made));
        for bad in [
            "",
            "550E8400-e29b-41d4-a716-446655440000",
            "550e8400e29b41d4a716446655440000",
            "550e8400-e29b-11d4-a716-446655440000",
            "550e8400-e29b-41d4-c716-446655440000",
            "550e840-0e29b-41d4-a716-446655440000",
            "../../../etc/passwd-aaaaaaaaaaaaaaaa",
        ] {
            assert_eq!(bad.parse::<ArtifactId>(), Err(NotAnArtifactId), "{bad}");
        }
    }
}
