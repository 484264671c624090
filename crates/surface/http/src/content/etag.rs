//! Entity tags: what a client holds already.

use std::fmt;

use axum::http::header::IF_NONE_MATCH;
use axum::http::{HeaderMap, HeaderValue};
use cairn_base::ContentHash;

/// A strong entity tag: the hash of the content in quotes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Etag(String);

impl Etag {
    /// The tag of content with this hash.
    pub(crate) fn of(hash: &ContentHash) -> Self {
        Etag::of_name(hash)
    }

    /// The tag of content that has a name which never means anything else: a hash, or something made of one.
    pub(crate) fn of_name(name: impl fmt::Display) -> Self {
        Etag(format!("\"{name}\""))
    }

    /// Returns the tag as it stands in headers, with its quotes.
    pub(super) fn as_str(&self) -> &str {
        &self.0
    }

    /// Returns the value of the header `ETag`.
    pub(crate) fn to_header(&self) -> HeaderValue {
        HeaderValue::from_str(&self.0).expect("a hash in quotes is a header")
    }

    /// Returns whether `If-None-Match` names this content. The comparison is weak, as HTTP has it.
    pub(super) fn is_known(&self, headers: &HeaderMap) -> bool {
        let values = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        let mut tags = values.flat_map(|value| value.split(',')).map(str::trim);
        tags.any(|tag| tag == "*" || tag.strip_prefix("W/").unwrap_or(tag) == self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_tag_is_found_in_every_form() {
        let hash = ContentHash::of(b"abc");
        let is_known = |value: &str| {
            let value = HeaderValue::from_str(&value.replace("abc", &hash.to_string())).expect("a header");
            Etag::of(&hash).is_known(&HeaderMap::from_iter([(IF_NONE_MATCH, value)]))
        };
        for value in ["\"abc\"", "*", "W/\"abc\"", "\"x\", \"abc\"", " \"abc\" "] {
            assert!(is_known(value), "{value}");
        }
        for value in ["abc", "\"abcd\"", "", "\"x\",\"y\"", "w/\"abc\""] {
            assert!(!is_known(value), "{value}");
        }
        assert!(!Etag::of(&hash).is_known(&HeaderMap::new()));
    }
}
