//! Which bytes a client asks for.

use std::ops::Range;

use axum::http::HeaderMap;
use axum::http::header::{IF_RANGE, RANGE};

/// What of some content is to be sent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Wanted {
    /// All of it.
    Whole,
    /// These bytes, and at least one.
    Part(Range<u64>),
    /// Bytes that it does not have.
    Nothing,
}

/// Reads `Range`. What is not understood, and several ranges at once, stand for everything, as HTTP
/// allows; so does a range of other content than the client has, which `If-Range` says.
pub(super) fn wanted(headers: &HeaderMap, etag: &str, length: u64) -> Wanted {
    let text = |name| headers.get(name).and_then(|value: &axum::http::HeaderValue| value.to_str().ok());
    if headers.contains_key(IF_RANGE) && text(IF_RANGE) != Some(etag) {
        return Wanted::Whole;
    }
    let range = text(RANGE).and_then(|value| value.trim().strip_prefix("bytes="));
    range.and_then(|range| one(range.trim(), length)).unwrap_or(Wanted::Whole)
}

/// `a-b`, `a-` or `-n`; `None` if it is none of these.
fn one(range: &str, length: u64) -> Option<Wanted> {
    let (first, last) = range.split_once('-')?;
    let part = match (number(first)?, number(last)?) {
        (None, None) => return None,
        (None, Some(count)) => length.saturating_sub(count)..length,
        (Some(first), None) => first..length,
        (Some(first), Some(last)) if first <= last => first..length.min(last.saturating_add(1)),
        (Some(_), Some(_)) => return None,
    };
    Some(if part.start < part.end { Wanted::Part(part) } else { Wanted::Nothing })
}

/// A number, or nothing at all; `None` if it is neither. What is too large for us is beyond every end.
fn number(text: &str) -> Option<Option<u64>> {
    let all_digits = text.bytes().all(|byte| byte.is_ascii_digit());
    all_digits.then(|| (!text.is_empty()).then(|| text.parse().unwrap_or(u64::MAX)))
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    fn check(range: &str, length: u64, expected: &Wanted) {
        let mut headers = HeaderMap::new();
        headers.insert(RANGE, HeaderValue::from_str(range).expect("a header"));
        assert_eq!(&wanted(&headers, "\"e\"", length), expected, "{range} of {length}");
    }

    #[test]
    fn one_range_is_understood() {
        for (range, part) in [
            ("bytes=0-0", 0..1),
            ("bytes=2-5", 2..6),
            ("bytes=2-99", 2..10),
            ("bytes=9-", 9..10),
            ("bytes=-3", 7..10),
            ("bytes=-99", 0..10),
            ("bytes=0-99999999999999999999999", 0..10),
        ] {
            check(range, 10, &Wanted::Part(part));
        }
    }

    #[test]
    fn what_is_not_there_is_nothing() {
        for range in ["bytes=10-", "bytes=10-20", "bytes=-0", "bytes=99999999999999999999-"] {
            check(range, 10, &Wanted::Nothing);
        }
        check("bytes=0-", 0, &Wanted::Nothing);
    }

    #[test]
    fn anything_else_is_everything() {
        for range in
            ["bytes=-", "bytes=5-2", "bytes=0-1,3-4", "lines=1-2", "bytes=a-b", "bytes=+1-2", "bytes"]
        {
            check(range, 10, &Wanted::Whole);
        }
        assert_eq!(wanted(&HeaderMap::new(), "\"e\"", 10), Wanted::Whole);
    }

    #[test]
    fn a_range_of_something_else_is_everything() {
        let mut headers = HeaderMap::new();
        headers.insert(RANGE, HeaderValue::from_static("bytes=1-2"));
        headers.insert(IF_RANGE, HeaderValue::from_static("\"other\""));
        assert_eq!(wanted(&headers, "\"e\"", 10), Wanted::Whole);
        headers.insert(IF_RANGE, HeaderValue::from_static("\"e\""));
        assert_eq!(wanted(&headers, "\"e\"", 10), Wanted::Part(1..3));
    }
}
