//! Public keys: names that prove themselves.

use std::fmt;
use std::str::FromStr;

use cairn_base::{Hex, from_hex};
use ed25519_dalek::VerifyingKey;

use super::Signature;

/// An Ed25519 public key. Its 64 hexadecimal digits are the node id.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct PublicKey(VerifyingKey);

/// The text is not the public key of anybody.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a public key is 64 hexadecimal digits that a private key belongs to")]
pub struct NotAPublicKey;

impl PublicKey {
    /// Takes 32 bytes, unless no private key can belong to them or there is another way to write the same key.
    pub fn from_bytes(bytes: &[u8; 32]) -> Result<Self, NotAPublicKey> {
        let key = VerifyingKey::from_bytes(bytes).map_err(|_| NotAPublicKey)?;
        if key.is_weak() || !is_reduced(bytes) { Err(NotAPublicKey) } else { Ok(PublicKey(key)) }
    }

    pub(super) fn of(key: VerifyingKey) -> Self {
        PublicKey(key)
    }

    /// Its bytes.
    pub fn as_bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// Eight digits to recognise it by; they prove nothing.
    pub fn fingerprint(&self) -> String {
        Hex(&self.as_bytes()[..4]).to_string()
    }

    /// Whether the private key signed exactly these bytes. Strict: there is one signature that fits, not several.
    pub fn has_signed(&self, bytes: &[u8], signature: &Signature) -> bool {
        let signature = ed25519_dalek::Signature::from_bytes(signature.as_bytes());
        self.0.verify_strict(bytes, &signature).is_ok()
    }
}

/// Whether the number in the bytes is below the prime 2^255 - 19; the highest bit is a sign.
fn is_reduced(bytes: &[u8; 32]) -> bool {
    bytes[31] & 0x7f != 0x7f || bytes[1..31].iter().any(|byte| *byte != 0xff) || bytes[0] < 0xed
}

impl FromStr for PublicKey {
    type Err = NotAPublicKey;

    fn from_str(text: &str) -> Result<Self, NotAPublicKey> {
        let bytes = from_hex(text).ok_or(NotAPublicKey)?;
        PublicKey::from_bytes(&bytes)
    }
}

impl fmt::Display for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Hex(self.as_bytes()).fmt(f)
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weak_keys_and_second_spellings_are_refused() {
        let good = "c5785e1865b708938aff8161d573006496663b1aa10834e396dc566869a2c66a";
        let key: PublicKey = good.to_uppercase().parse().expect("a key");
        assert_eq!((key.to_string().as_str(), key.fingerprint().as_str()), (good, "c5785e18"));
        assert_eq!(format!("{key:?}"), format!("PublicKey({good})"));
        let neutral = format!("01{}", "00".repeat(31));
        // Numbers from the prime on stand for those from 0 on: each of the 19 has a shorter spelling.
        let beyond = |low: u8, high: &str| format!("{low:02x}{}{high}", "ff".repeat(30));
        let mut bad = vec![String::new(), good[1..].to_owned(), neutral, "00".repeat(32)];
        for low in 0xed..=0xff {
            bad.extend([beyond(low, "7f"), beyond(low, "ff")]);
        }
        for bad in bad {
            assert_eq!(bad.parse::<PublicKey>(), Err(NotAPublicKey), "{bad}");
        }
        let reduced = (0..0xed).filter(|low| beyond(*low, "7f").parse::<PublicKey>().is_ok()).count();
        assert!(reduced > 50, "half of all numbers are of a point: {reduced}");
    }
}
