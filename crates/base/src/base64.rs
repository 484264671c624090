//! Bytes as text: base64 of RFC 4648, with padding or for URLs, and hexadecimal digits.

use std::fmt;

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Bytes that are shown as base64.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Base64<'a>(pub &'a [u8]);

/// Bytes that are shown as base64 for URLs: with `-` and `_`, and without padding.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Base64Url<'a>(pub &'a [u8]);

/// Bytes that are shown as lower-case hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hex<'a>(pub &'a [u8]);

impl fmt::Display for Base64<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Written in runs: a formatter is called for each, and payloads have millions of bytes.
        let mut run = [0; 1024];
        for bytes in self.0.chunks(768) {
            let mut end = 0;
            for group in bytes.chunks(3) {
                run[end..end + 4].copy_from_slice(&quad(group));
                end += 4;
            }
            f.write_str(std::str::from_utf8(&run[..end]).map_err(|_| fmt::Error)?)?;
        }
        Ok(())
    }
}

impl fmt::Display for Base64Url<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.chunks(3).try_for_each(|group| {
            let characters = quad(group).map(|character| match character {
                b'+' => b'-',
                b'/' => b'_',
                other => other,
            });
            f.write_str(std::str::from_utf8(&characters[..=group.len()]).map_err(|_| fmt::Error)?)
        })
    }
}

/// Four characters for up to three bytes.
fn quad(group: &[u8]) -> [u8; 4] {
    let byte = |at: usize| u32::from(group.get(at).copied().unwrap_or(0));
    let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
    let mut out = [b'='; 4];
    for (at, character) in out.iter_mut().enumerate().take(group.len() + 1) {
        *character = ALPHABET[(bits >> (18 - 6 * at) & 0x3f) as usize];
    }
    out
}

/// Reads what [`Base64`] writes; `None` for anything else.
pub fn from_base64(text: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(text.len() / 4 * 3);
    let mut groups = text.as_bytes().chunks(4).peekable();
    while let Some(group) = groups.next() {
        let padding = group.iter().rev().take_while(|character| **character == b'=').count();
        if group.len() != 4 || padding > 2 || (padding > 0 && groups.peek().is_some()) {
            return None;
        }
        let mut bits = 0;
        for character in &group[..4 - padding] {
            bits = bits << 6 | value(*character)?;
        }
        bits <<= 6 * padding;
        let bytes = bits.to_be_bytes();
        // Bits that belong to no byte are zero: one text for the same bytes.
        if bytes[4 - padding..].iter().any(|byte| *byte != 0) {
            return None;
        }
        out.extend_from_slice(&bytes[1..4 - padding]);
    }
    Some(out)
}

/// Reads what [`Base64Url`] writes; `None` for anything else.
pub fn from_base64_url(text: &str) -> Option<Vec<u8>> {
    if text.contains(['+', '/', '=']) {
        return None;
    }
    let mut padded = text.replace('-', "+").replace('_', "/");
    padded.extend(std::iter::repeat_n('=', (4 - text.len() % 4) % 4));
    from_base64(&padded)
}

/// Reads hexadecimal digits, in upper or lower case, of exactly so many bytes; `None` for anything else.
pub fn from_hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    if text.len() != 2 * N {
        return None;
    }
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(text.as_bytes().chunks_exact(2)) {
        let [high, low] = [pair[0], pair[1]].map(|digit| char::from(digit).to_digit(16));
        *byte = u8::try_from(high? << 4 | low?).ok()?;
    }
    Some(bytes)
}

fn value(character: u8) -> Option<u32> {
    Some(u32::from(match character {
        b'A'..=b'Z' => character - b'A',
        b'a'..=b'z' => character - b'a' + 26,
        b'0'..=b'9' => character - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    }))
}

impl fmt::Display for Hex<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        let mut run = [0; 1024];
        for bytes in self.0.chunks(512) {
            for (pair, byte) in run.chunks_exact_mut(2).zip(bytes) {
                pair.copy_from_slice(&[DIGITS[usize::from(byte >> 4)], DIGITS[usize::from(byte & 15)]]);
            }
            f.write_str(std::str::from_utf8(&run[..2 * bytes.len()]).map_err(|_| fmt::Error)?)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_answers() {
        // The vectors of RFC 4648.
        for (plain, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(Base64(plain.as_bytes()).to_string(), text);
            assert_eq!(from_base64(text).as_deref(), Some(plain.as_bytes()));
        }
        assert_eq!(Base64(&[0xfb, 0xff]).to_string(), "+/8=");
        assert_eq!(Hex(&[0, 0x1f, 0xff]).to_string(), "001fff");
    }

    #[test]
    fn what_is_no_base64_is_refused() {
        for bad in ["Z", "Zg", "Zg=", "Z===", "====", "Zg==Zg==", "Zh==", "Zm9=", "Zm 9", "Zm9-", "Zäg="] {
            assert_eq!(from_base64(bad), None, "{bad}");
        }
    }

    #[test]
    fn text_for_urls_has_no_padding_and_one_form() {
        assert_eq!(Base64Url(&[0xfb, 0xff]).to_string(), "-_8");
        for bad in ["-_8=", "+/8", "-_9", "A", "-_8A-", "ä"] {
            assert_eq!(from_base64_url(bad), None, "{bad}");
        }
        assert_eq!(from_hex("00aFff"), Some([0, 0xaf, 0xff]));
        for bad in ["", "00a", "00aFf", "00aFfff0", "00ag00", "+1+1+1", "0é0"] {
            assert_eq!(from_hex::<3>(bad), None, "{bad}");
        }
    }

    proptest! {
        #[test]
        fn bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..3000)) {
            prop_assert_eq!(from_base64_url(&Base64Url(&bytes).to_string()), Some(bytes.clone()));
            prop_assert_eq!(from_base64(&Base64(&bytes).to_string()), Some(bytes.clone()));
            prop_assert_eq!(Hex(&bytes).to_string().len(), 2 * bytes.len());
        }

        #[test]
        fn no_text_panics(text: String) {
            let _ = from_base64(&text);
            let _ = from_base64_url(&text);
            let _ = from_hex::<2>(&text);
        }
    }
}
