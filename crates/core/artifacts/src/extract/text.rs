//! Bytes that are hoped to be UTF-8.

/// One invalid sequence among so many bytes is tolerated: text with a few characters of another encoding.
const BYTES_PER_INVALID: usize = 8;
/// Bytes of a character that a cut can leave at the end.
const CUT_BYTES_MAX: usize = 3;

/// Decodes UTF-8, with U+FFFD for what is not; `None` if the bytes are not text.
pub(super) fn decode(bytes: &[u8]) -> Option<String> {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    if bytes.contains(&0) {
        return None;
    }
    let mut out = String::with_capacity(bytes.len());
    let mut invalid = 0;
    let mut at = 0;
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        at += chunk.valid().len() + chunk.invalid().len();
        if chunk.invalid().is_empty() || (at == bytes.len() && chunk.invalid().len() <= CUT_BYTES_MAX) {
            // The last character may have been cut off.
            continue;
        }
        invalid += 1;
        out.push(char::REPLACEMENT_CHARACTER);
    }
    (invalid <= bytes.len() / BYTES_PER_INVALID).then_some(out)
}

/// Cuts text to so many bytes, at the start of a character.
pub(super) fn cut(text: &mut String, bytes_max: usize) {
    text.truncate(text.floor_char_boundary(bytes_max));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn most_bytes_have_to_be_text() {
        for (bytes, expected) in [
            (&b""[..], Some("")),
            ("\u{feff}ä".as_bytes(), Some("ä")),
            (b"caf\xe9 au lait", Some("caf\u{fffd} au lait")),
            (b"abc\xe2\x82", Some("abc")),
            (b"\xff\xfe\xfd\xfc", None),
            (b"a\0", None),
        ] {
            assert_eq!(decode(bytes).as_deref(), expected, "{bytes:?}");
        }
    }

    #[test]
    fn text_is_cut_between_characters() {
        for (bytes, expected) in [(0, ""), (1, "a"), (2, "a"), (3, "aä"), (9, "aäb")] {
            let mut text = "aäb".to_owned();
            cut(&mut text, bytes);
            assert_eq!(text, expected);
        }
    }
}
