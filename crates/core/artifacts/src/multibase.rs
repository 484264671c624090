//! Multibase: bytes as text whose first character names the base.
//!
//! Bases 58 and 36 take time quadratic in their length, so text is limited to [`MULTIBASE_CHARS_MAX`].

use cairn_base::from_base64_url;

use crate::limits::MULTIBASE_CHARS_MAX;

const BASE32: &[u8] = b"abcdefghijklmnopqrstuvwxyz234567";
const BASE36: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyz";
const BASE58: &[u8] = b"123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";

/// Writes base32 with its prefix `b`: lower case, without padding.
pub(crate) fn to_base32(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(1 + (bytes.len() * 8).div_ceil(5));
    out.push('b');
    let (mut bits, mut count) = (0_u32, 0);
    for byte in bytes {
        bits = bits << 8 | u32::from(*byte);
        count += 8;
        while count >= 5 {
            count -= 5;
            out.push(digit(BASE32, bits >> count & 31));
        }
        bits &= (1 << count) - 1;
    }
    if count > 0 {
        out.push(digit(BASE32, bits << (5 - count) & 31));
    }
    out
}

/// Writes base58btc with its prefix `z`.
pub(crate) fn to_base58(bytes: &[u8]) -> String {
    format!("z{}", to_positional(bytes, BASE58))
}

/// Reads text of base 16, 32, 36, 58 or 64 for URLs; `None` for other bases, other lengths and second spellings.
pub(crate) fn from_multibase(text: &str) -> Option<Vec<u8>> {
    if text.len() > MULTIBASE_CHARS_MAX || !text.is_ascii() {
        return None;
    }
    let (base, digits) = text.split_at_checked(1)?;
    let has = |unwanted: fn(&u8) -> bool| digits.as_bytes().iter().any(unwanted);
    let lower = digits.to_ascii_lowercase();
    match base {
        "b" | "f" | "k" if has(u8::is_ascii_uppercase) => None,
        "B" | "F" | "K" if has(u8::is_ascii_lowercase) => None,
        "b" | "B" => from_base32(&lower),
        "f" | "F" => from_base16(&lower),
        "k" | "K" => from_positional(&lower, BASE36),
        "z" => from_positional(digits, BASE58),
        "u" => from_base64_url(digits),
        _ => None,
    }
}

/// Reads base58btc without a prefix.
pub(crate) fn from_base58(digits: &str) -> Option<Vec<u8>> {
    if digits.len() > MULTIBASE_CHARS_MAX { None } else { from_positional(digits, BASE58) }
}

fn from_base32(digits: &str) -> Option<Vec<u8>> {
    let mut out = Vec::with_capacity(digits.len() * 5 / 8);
    let (mut bits, mut count) = (0_u32, 0);
    for character in digits.bytes() {
        bits = bits << 5 | value(BASE32, character)?;
        count += 5;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count).to_le_bytes()[0]);
            bits &= (1 << count) - 1;
        }
    }
    // A whole digit too many, or bits that no byte has: a second spelling.
    (count < 5 && bits == 0).then_some(out)
}

fn from_base16(digits: &str) -> Option<Vec<u8>> {
    let pairs = digits.as_bytes().chunks(2);
    let byte = |pair: &[u8]| match pair {
        [high, low] => {
            let bits = char::from(*high).to_digit(16)? << 4 | char::from(*low).to_digit(16)?;
            u8::try_from(bits).ok()
        }
        _ => None,
    };
    pairs.map(byte).collect()
}

/// Writes bytes as one large number; each leading zero byte is one leading zero digit.
fn to_positional(bytes: &[u8], alphabet: &[u8]) -> String {
    let base = alphabet.len() as u32;
    // Digits with the least significant one first.
    let mut digits: Vec<u32> = Vec::new();
    for byte in bytes {
        let mut carry = u32::from(*byte);
        for digit in &mut digits {
            carry += *digit << 8;
            (*digit, carry) = (carry % base, carry / base);
        }
        while carry > 0 {
            digits.push(carry % base);
            carry /= base;
        }
    }
    let zeroes = bytes.iter().take_while(|byte| **byte == 0).map(|_| 0);
    zeroes.chain(digits.iter().rev().copied()).map(|value| digit(alphabet, value)).collect()
}

fn from_positional(digits: &str, alphabet: &[u8]) -> Option<Vec<u8>> {
    let base = alphabet.len() as u32;
    // Bytes with the least significant one first.
    let mut bytes: Vec<u8> = Vec::new();
    for character in digits.bytes() {
        let mut carry = value(alphabet, character)?;
        for byte in &mut bytes {
            carry += u32::from(*byte) * base;
            (*byte, carry) = (carry.to_le_bytes()[0], carry >> 8);
        }
        while carry > 0 {
            bytes.push(carry.to_le_bytes()[0]);
            carry >>= 8;
        }
    }
    let zero = alphabet.first().copied();
    let zeroes = digits.bytes().take_while(|character| Some(*character) == zero).count();
    bytes.resize(bytes.len() + zeroes, 0);
    bytes.reverse();
    Some(bytes)
}

fn digit(alphabet: &[u8], value: u32) -> char {
    alphabet.get(value as usize).map_or('?', |character| char::from(*character))
}

fn value(alphabet: &[u8], character: u8) -> Option<u32> {
    let at = alphabet.iter().position(|digit| *digit == character)?;
    u32::try_from(at).ok()
}

#[cfg(test)]
mod tests {
    use cairn_base::Hex;
    use proptest::prelude::*;

    use super::*;

    fn to_base16(bytes: &[u8]) -> String {
        format!("f{}", Hex(bytes))
    }

    #[test]
    fn known_answers() {
        for (bytes, base32, base58) in [
            (&b""[..], "b", "z"),
            (b"f", "bmy", "z2m"),
            (b"foobar", "bmzxw6ytboi", "zt1Zv2yaZ"),
            (b"\0\0yes mani !", "baaahszltebwwc3tjeaqq", "z117paNL19xttacUY"),
        ] {
            assert_eq!((to_base32(bytes).as_str(), to_base58(bytes).as_str()), (base32, base58));
            for text in [base32.to_owned(), base32.to_uppercase(), base58.to_owned(), to_base16(bytes)] {
                assert_eq!(from_multibase(&text).as_deref(), Some(bytes), "{text}");
            }
        }
        assert_eq!(from_multibase("k2lcpzo5yikidynfl").as_deref(), Some(&b"yes mani !"[..]));
    }

    #[test]
    fn second_spellings_and_other_bases_are_refused() {
        for bad in
            ["", "x00", "bMY", "Bmy", "bm", "bmz", "bmy======", "f0", "fF0", "z0", "zé", "é", "u=", "k-"]
        {
            assert_eq!(from_multibase(bad), None, "{bad}");
        }
        assert_eq!(from_multibase(&format!("z{}", "1".repeat(MULTIBASE_CHARS_MAX))), None);
    }

    proptest! {
        #[test]
        fn bytes_come_back(bytes in prop::collection::vec(any::<u8>(), 0..120)) {
            for text in [to_base32(&bytes), to_base58(&bytes), to_base16(&bytes)] {
                prop_assert_eq!(from_multibase(&text), Some(bytes.clone()));
            }
        }

        #[test]
        fn no_text_panics(text in ".{0,40}", digits in "[bBfFkKzu][0-9a-zA-Z]{0,60}") {
            let _ = from_multibase(&text);
            if let Some(bytes) = from_multibase(&digits) && digits.starts_with('z') {
                prop_assert_eq!(to_base58(&bytes), digits);
            }
        }
    }
}
