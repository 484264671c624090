//! Normalised spellings: texts that mean the same give the same key.

use cairn_seam::Sha256;

/// A source as a part of a key and of tags: `docs/Auth.md` is `docs-auth-md`.
pub(super) fn source_key(text: &str) -> String {
    runs(text, '-', |letter| letter.is_ascii_alphanumeric())
}

/// A subject: `Customer/Data set` is `customer.data_set`.
pub(super) fn subject_key(text: &str) -> String {
    let dotted: String =
        text.chars().map(|letter| if matches!(letter, '/' | '\\') { '.' } else { letter }).collect();
    let key = runs(&dotted, '_', |letter| letter.is_ascii_alphanumeric() || letter == '.');
    let parts = key.split('.').map(|part| part.trim_matches('_')).filter(|part| !part.is_empty());
    parts.collect::<Vec<_>>().join(".")
}

/// A property: `Retention (years)` is `retention_years`.
pub(super) fn property_key(text: &str) -> String {
    runs(text, '_', |letter| letter.is_ascii_alphanumeric())
}

/// A value that is a string. One with letters outside of ASCII, which would be lost, ends with a hash of the whole.
pub(super) fn value_key(text: &str) -> String {
    let kept = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_' | '-');
    let key = runs(text, '_', kept);
    let key = if key.is_empty() { "empty".to_owned() } else { key };
    if text.chars().all(|letter| letter.is_ascii() || !letter.is_alphanumeric()) {
        return key;
    }
    let hash = format!("{:?}", Sha256::of(text.to_lowercase().as_bytes()));
    format!("{key}-{}", &hash[..8])
}

/// Whether keys of a text leave out characters that tell it from others: letters outside of ASCII, signs such as those
/// of `C++`, `C#`, `-5` and `<5`.
pub(super) fn is_lossy(text: &str) -> bool {
    let is_sign = |(at, letter): (usize, char)| match letter {
        '+' | '#' | '<' | '>' | '=' | '%' | '$' | '^' | '~' => true,
        '-' => {
            let is_free = !text[..at].chars().next_back().is_some_and(char::is_alphanumeric);
            is_free && text[at + 1..].starts_with(|next: char| next.is_ascii_digit())
        }
        _ => false,
    };
    // Dashes, quotation marks and blanks of typography tell nothing.
    let is_type = |letter: char| {
        letter.is_whitespace() || matches!(letter, '\u{2000}'..='\u{206f}' | '«' | '»' | '·' | '¡' | '¿')
    };
    text.chars().any(|letter| !letter.is_ascii() && !is_type(letter)) || text.char_indices().any(is_sign)
}

/// Lowercases a text and replaces each run of other characters by one `between`; none is left at the ends.
fn runs(text: &str, between: char, is_kept: impl Fn(char) -> bool) -> String {
    let mut key = String::with_capacity(text.len());
    for letter in text.chars().flat_map(char::to_lowercase) {
        if is_kept(letter) && letter != between {
            key.push(letter);
        } else if !key.is_empty() && !key.ends_with(between) {
            key.push(between);
        }
    }
    key.truncate(key.trim_end_matches(between).len());
    key
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys() {
        let check =
            |of: fn(&str) -> String, text: &str, expected: &str| assert_eq!(of(text), expected, "{text:?}");
        check(
            source_key,
            "documentation/requirements/customer-retention.md",
            "documentation-requirements-customer-retention-md",
        );
        check(source_key, "mcp://cairn/model-requirement", "mcp-cairn-model-requirement");
        check(source_key, "--Docs//A.md#L12--", "docs-a-md-l12");
        check(source_key, "требования", "");
        check(subject_key, "Customer.Data", "customer.data");
        check(subject_key, "audit trail", "audit_trail");
        check(subject_key, "Customer data", "customer_data");
        check(subject_key, "a/b\\c", "a.b.c");
        check(subject_key, " ..A - b.. _c_ ", "a_b.c");
        check(subject_key, "!!", "");
        check(property_key, "Retention Years", "retention_years");
        check(property_key, "p95.latency (ms)", "p95_latency_ms");
        check(property_key, "_x_", "x");
        check(value_key, "AES-256 GCM", "aes-256_gcm");
        check(value_key, " a  b ", "a_b");
        check(value_key, "a.b_c-d", "a.b_c-d");
        check(value_key, "a|b", "a_b");
        check(value_key, "!", "empty");
    }

    #[test]
    fn signs_and_letters_that_keys_leave_out() {
        for text in
            ["C++", "C#", "be -5", "be <5", "Größe", "注文", "be −5", "cover 50%", "cost €5", "look ✅"]
        {
            assert!(is_lossy(text), "{text}");
        }
        for text in [
            "use AES-256",
            "read/write",
            "the “fast” mode — soon",
            "be 5-10",
            "user’s name (full)",
            "p95.latency",
        ] {
            assert!(!is_lossy(text), "{text}");
        }
    }

    #[test]
    fn values_outside_of_ascii_stay_apart() {
        let texts = ["Größe", "Gräße", "да", "нет", "7 лет", "7 дней"];
        let keys: std::collections::BTreeSet<_> = texts.iter().map(|text| value_key(text)).collect();
        assert_eq!(keys.len(), texts.len(), "{keys:?}");
        assert_eq!(value_key("größe"), value_key("GRÖßE"));
        assert_eq!(value_key("a → b"), "a_b");
    }
}
