//! Ids and titles of generated entities.

use sha2::{Digest, Sha256};

/// Bytes of the readable part of an id.
const SLUG_BYTES_MAX: usize = 96;
/// Hexadecimal digits that tell ids apart whose readable parts are equal.
const DIGITS: usize = 8;

/// Returns `PREFIX-SLUG` for a key, in capitals. Keys that would not come out of their slug again get some digits of
/// their hash.
pub(crate) fn generated_id(prefix: &str, key: &str) -> String {
    let mut slug = String::with_capacity(key.len().min(SLUG_BYTES_MAX));
    let mut is_exact = !key.is_empty();
    for letter in key.chars() {
        if slug.len() >= SLUG_BYTES_MAX {
            is_exact = false;
            break;
        }
        if letter.is_ascii_alphanumeric() {
            is_exact &= !letter.is_ascii_uppercase();
            slug.push(letter.to_ascii_uppercase());
        } else {
            is_exact &= letter == '.';
            if !slug.ends_with('-') && !slug.is_empty() {
                slug.push('-');
            } else {
                is_exact = false;
            }
        }
    }
    let trimmed = slug.trim_end_matches('-');
    if is_exact && trimmed.len() == slug.len() {
        return format!("{prefix}-{trimmed}");
    }
    let digest = Sha256::digest(key.as_bytes());
    let digits: String = digest.iter().map(|byte| format!("{byte:02X}")).collect();
    let separator = if trimmed.is_empty() { "" } else { "-" };
    format!("{prefix}-{trimmed}{separator}{}", &digits[..DIGITS])
}

/// Returns the first characters of a text, with an ellipsis if there are more.
pub(crate) fn shortened(text: &str, chars_max: usize) -> String {
    match text.char_indices().nth(chars_max) {
        None => text.to_owned(),
        Some(_) => text.chars().take(chars_max.saturating_sub(1)).chain(['…']).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_readable_and_tell_keys_apart() {
        for (key, expected) in [("package.json", "P-PACKAGE-JSON"), ("src", "P-SRC"), ("a1.b", "P-A1-B")] {
            assert_eq!(generated_id("P", key), expected);
        }
        let keys = [
            "a/b",
            "a-b",
            "a b",
            "A.B",
            "a.b",
            "a.b.",
            ".a.b",
            "…",
            "",
            "a..b",
            &"x".repeat(200),
            &"x".repeat(300),
        ];
        let ids: std::collections::BTreeSet<String> = keys.iter().map(|key| generated_id("P", key)).collect();
        assert_eq!(ids.len(), keys.len(), "{ids:?}");
        assert!(ids.iter().all(|id| id.len() <= SLUG_BYTES_MAX + 12 && !id.ends_with('-')), "{ids:?}");
    }

    #[test]
    fn a_long_text_is_shortened() {
        assert_eq!(shortened("abcd", 4), "abcd");
        assert_eq!(shortened("abcde", 4), "abc…");
        assert_eq!(shortened("äöüß", 2), "ä…");
    }
}
