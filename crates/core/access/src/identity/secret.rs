//! Text and bytes that nobody else may see.

use std::fmt;

use cairn_base::from_hex;
use zeroize::Zeroizing;

/// A recovery phrase, passphrase or password. Wiped from memory when dropped, and never shown.
#[derive(Clone, Default)]
pub struct SecretText(Zeroizing<String>);

impl SecretText {
    /// Takes over a text.
    pub fn new(text: String) -> Self {
        SecretText(Zeroizing::new(text))
    }

    /// The text, for whoever has a reason to see it.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Whether it has no characters.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl fmt::Debug for SecretText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretText(secret)")
    }
}

/// Hexadecimal digits of a secret, in a text that does not grow: growing would leave copies behind.
pub(super) fn hex(bytes: &[u8]) -> Zeroizing<String> {
    let mut text = Zeroizing::new(String::with_capacity(2 * bytes.len()));
    for byte in bytes {
        for half in [byte >> 4, byte & 15] {
            text.push(char::from(b"0123456789abcdef"[usize::from(half)]));
        }
    }
    text
}

/// Secret bytes from as many pairs of hexadecimal digits, of either case; `None` for anything else.
pub(super) fn unhex<const BYTES: usize>(digits: &[u8]) -> Option<Zeroizing<[u8; BYTES]>> {
    from_hex(std::str::from_utf8(digits).ok()?).map(Zeroizing::new)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_goes_both_ways_and_secrets_are_not_shown() {
        assert_eq!(*hex(&[0, 0x9a, 0xff]), "009aff");
        assert_eq!(unhex::<3>(b"009AfF").as_deref(), Some(&[0, 0x9a, 0xff]));
        for bad in [&b""[..], b"009af", b"009aff0", b"009afg", b"+09aff", "é9aff".as_bytes()] {
            assert_eq!(unhex::<3>(bad), None);
        }
        assert_eq!(format!("{:?}", SecretText::new("open sesame".to_owned())), "SecretText(secret)");
    }
}
