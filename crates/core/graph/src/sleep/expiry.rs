//! Whether the time of an element is over.

use cairn_base::{Value, from_iso};

/// Characters that are shown of a time that is none.
const SHOWN_CHARS_MAX: usize = 64;

/// What `metadata.expires_at` says, at some time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Expiry {
    /// Nothing, or a time to come.
    Stays,
    /// It is over.
    Past(String),
    /// Something that is no time.
    Unreadable(String),
}

/// The key of metadata.
pub(super) const KEY: &str = "expires_at";

impl Expiry {
    /// What a value says; what expires now has expired.
    pub(super) fn of(value: Option<&Value>, now_ms: u64) -> Self {
        match value {
            None | Some(Value::Null) => Expiry::Stays,
            Some(Value::String(text)) => match is_past(text, now_ms) {
                Some(true) => Expiry::Past(text.clone()),
                Some(false) => Expiry::Stays,
                None => Expiry::Unreadable(shown(text)),
            },
            Some(other) => Expiry::Unreadable(shown(&other.to_json())),
        }
    }

    pub(super) fn is_past(&self) -> bool {
        matches!(self, Expiry::Past(_))
    }
}

fn is_past(text: &str, now_ms: u64) -> Option<bool> {
    let ms = from_iso(text)?;
    let now = i64::try_from(now_ms).unwrap_or(i64::MAX);
    // Clocks here have milliseconds, and texts may have more.
    let fraction = text.split_once('.').map_or("", |(_, fraction)| fraction);
    let digits = fraction.split(|digit: char| !digit.is_ascii_digit()).next().unwrap_or_default();
    let is_later = digits.get(3..).is_some_and(|finer| finer.bytes().any(|digit| digit != b'0'));
    Some(ms < now || (ms == now && !is_later))
}

fn shown(text: &str) -> String {
    match text.char_indices().nth(SHOWN_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_is_over_from_the_instant_on() {
        // 2023-11-14T22:13:20Z
        let now_ms = 1_700_000_000_000;
        for (text, expected) in [
            ("2023-11-14T22:13:20Z", Some(true)),
            ("2023-11-14T22:13:20.000Z", Some(true)),
            ("2023-11-14T22:13:20.000000Z", Some(true)),
            ("2023-11-14T22:13:19.999Z", Some(true)),
            ("2023-11-14T23:13:20+01:00", Some(true)),
            ("2023-11-14T22:13:20.0001Z", Some(false)),
            ("2023-11-14T22:13:20.001Z", Some(false)),
            ("2023-11-14T22:13:20-01:00", Some(false)),
            ("1969-01-01T00:00:00Z", Some(true)),
            ("9999-12-31T23:59:59Z", Some(false)),
            ("2023-11-14", None),
            ("tomorrow", None),
            ("", None),
        ] {
            assert_eq!(is_past(text, now_ms), expected, "{text}");
        }
    }

    #[test]
    fn what_is_no_text_is_no_time() {
        assert_eq!(Expiry::of(None, 5), Expiry::Stays);
        assert_eq!(Expiry::of(Some(&Value::Null), 5), Expiry::Stays);
        assert_eq!(Expiry::of(Some(&Value::from(3u64)), 5), Expiry::Unreadable("3".to_owned()));
        let long = Expiry::of(Some(&Value::from("ä".repeat(100))), 5);
        assert_eq!(long, Expiry::Unreadable("ä".repeat(SHOWN_CHARS_MAX) + "…"));
    }
}
