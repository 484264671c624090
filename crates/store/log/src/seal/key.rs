//! The user's key.

use cairn_base::Entropy;
use zeroize::Zeroizing;

const BYTES: usize = 32;

/// The key that a store is opened with. It is wiped from memory when dropped, and never shown.
#[derive(Clone)]
pub struct EncryptionKey(pub(super) Zeroizing<[u8; BYTES]>);

impl EncryptionKey {
    /// From the content of a key file: 32 bytes, or 64 hex digits and perhaps a newline; `None` when it
    /// is neither.
    pub fn parse(content: &[u8]) -> Option<Self> {
        let mut key = Zeroizing::new([0; BYTES]);
        if content.len() == BYTES {
            key.copy_from_slice(content);
            return Some(EncryptionKey(key));
        }
        let digits = content.strip_suffix(b"\n").unwrap_or(content);
        let digits = digits.strip_suffix(b"\r").unwrap_or(digits);
        if digits.len() != 2 * BYTES {
            return None;
        }
        for (byte, pair) in key.iter_mut().zip(digits.chunks_exact(2)) {
            *byte = digit(pair[0])? << 4 | digit(pair[1])?;
        }
        Some(EncryptionKey(key))
    }

    /// A new key.
    pub fn generate(entropy: &dyn Entropy) -> Self {
        let mut key = Zeroizing::new([0; BYTES]);
        entropy.fill(&mut *key);
        EncryptionKey(key)
    }

    /// As a key file holds it: 64 hex digits and a newline.
    pub fn to_file(&self) -> Zeroizing<String> {
        // Sized at once: growing would leave copies behind.
        let mut text = Zeroizing::new(String::with_capacity(2 * BYTES + 1));
        for byte in *self.0 {
            for half in [byte >> 4, byte & 15] {
                text.push(char::from(b"0123456789abcdef"[usize::from(half)]));
            }
        }
        text.push('\n');
        text
    }
}

impl std::fmt::Debug for EncryptionKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("EncryptionKey(secret)")
    }
}

fn digit(digit: u8) -> Option<u8> {
    char::from(digit).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_base::SeededEntropy;

    #[test]
    fn key_files_are_raw_or_hex() {
        let key = EncryptionKey::generate(&SeededEntropy::new(1));
        let file = key.to_file();
        assert_eq!(file.len(), 65);
        let same = |content: &[u8]| EncryptionKey::parse(content).is_some_and(|other| other.0 == key.0);
        assert!(same(file.as_bytes()) && same(file.trim_end().as_bytes()) && same(&*key.0));
        assert!(same(file.to_uppercase().as_bytes()) && same(file.replace('\n', "\r\n").as_bytes()));
        for bad in [&file.as_bytes()[1..], &[0; 31], &[0; 33], &[b'g'; 64], b"", &[b'0'; 66]] {
            assert!(EncryptionKey::parse(bad).is_none(), "{bad:?}");
        }
        assert_eq!(format!("{key:?}"), "EncryptionKey(secret)");
    }
}
