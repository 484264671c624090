//! What a request says beside its body: in its path, its query and its headers.

use axum::extract::{FromRequestParts, Query, RawPathParams};
use axum::http::HeaderMap;
use axum::http::request::Parts;
use cairn_base::{ContentHash, ContextId, ErrorCode, TurnId, most_alike};
use cairn_turns::query::parse_time;

use crate::ApiError;

/// The parts of a path and the parameters of a query, percent-decoded.
#[derive(Debug)]
pub(crate) struct Params {
    path: Vec<(String, String)>,
    query: Vec<(String, String)>,
}

impl<S: Send + Sync> FromRequestParts<S> for Params {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        let path = RawPathParams::from_request_parts(parts, state).await;
        let path = path.map_err(|_| invalid("the path is not UTF-8 when its percent signs are decoded"))?;
        let path = path.iter().map(|(name, value)| (name.to_owned(), value.to_owned())).collect();
        let Query(query) = Query::try_from_uri(&parts.uri)
            .map_err(|error| invalid(format!("the query cannot be read: {error}")))?;
        Ok(Params { path, query })
    }
}

impl Params {
    /// A part of the path.
    pub(crate) fn in_path(&self, name: &str) -> &str {
        self.path.iter().find(|(known, _)| known == name).map_or("", |(_, value)| value)
    }

    /// The part `id` of the path, a context.
    pub(crate) fn context_id(&self) -> Result<ContextId, ApiError> {
        number("the id of a context", self.in_path("id")).map(ContextId)
    }

    /// The part `id` of the path, a turn.
    pub(crate) fn turn_id(&self) -> Result<TurnId, ApiError> {
        number("the id of a turn", self.in_path("id")).map(TurnId)
    }

    /// The part `hash` of the path, a blob.
    pub(crate) fn hash(&self) -> Result<ContentHash, ApiError> {
        hash("the name of a blob", self.in_path("hash"))
    }

    /// The part `type_version` of the path.
    pub(crate) fn version(&self) -> Result<u32, ApiError> {
        let version = number("the version of a type", self.in_path("type_version"))?;
        u32::try_from(version).map_err(|_| invalid(format!("the version of a type is at most {}", u32::MAX)))
    }

    /// Refuses what is none of the parameters that a route knows: what was misspelt would be as if it were not
    /// there, and do what nobody asked for.
    pub(crate) fn only(&self, known: &[&str]) -> Result<(), ApiError> {
        let Some((name, _)) = self.query.iter().find(|(name, _)| !known.contains(&name.as_str())) else {
            return Ok(());
        };
        let hint = match most_alike(name, known.iter().copied()) {
            Some(near) => format!("did you mean {near}?"),
            None => format!("known are {}", known.join(", ")),
        };
        let message = format!("there is no parameter {name:?}");
        Err(invalid(message).detail("parameter", name.as_str()).detail("hint", hint))
    }

    /// A parameter of the query.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&str>, ApiError> {
        let mut values = self.query.iter().filter(|(known, _)| known == name);
        let value = values.next().map(|(_, value)| value.as_str());
        if values.next().is_some() {
            return Err(invalid(format!("{name} is given twice")).detail("parameter", name));
        }
        Ok(value)
    }

    /// A parameter that is a number.
    pub(crate) fn number(&self, name: &str) -> Result<Option<u64>, ApiError> {
        let read = |text| number(name, text).map_err(|error| error.detail("parameter", name));
        self.text(name)?.map(read).transpose()
    }

    /// A parameter that is a small number.
    pub(crate) fn small_number(&self, name: &str) -> Result<Option<u32>, ApiError> {
        let Some(found) = self.number(name)? else { return Ok(None) };
        u32::try_from(found).map(Some).map_err(|_| {
            invalid(format!("{name} is at most {}", u32::MAX))
                .detail("parameter", name)
                .detail("max", u32::MAX)
        })
    }

    /// A parameter that names a turn; 0 stands for none.
    pub(crate) fn turn(&self, name: &str) -> Result<Option<TurnId>, ApiError> {
        Ok(self.number(name)?.map(TurnId).filter(|turn| *turn != TurnId::NONE))
    }

    /// How many things a page is to have: 1 to `max`.
    pub(crate) fn limit(&self, default: u64, max: u64) -> Result<usize, ApiError> {
        let limit = self.number("limit")?.unwrap_or(default);
        if !(1..=max).contains(&limit) {
            let error = invalid(format!("limit is {limit}, and must be 1 to {max}"));
            return Err(error.detail("parameter", "limit").detail("max", max));
        }
        Ok(usize::try_from(limit).unwrap_or(usize::MAX))
    }

    /// A parameter that is a time: Unix milliseconds, or in words.
    pub(crate) fn time(&self, name: &str, now_ms: u64) -> Result<Option<i64>, ApiError> {
        let Some(text) = self.text(name)? else { return Ok(None) };
        let ms = number(name, text).ok().and_then(|ms| i64::try_from(ms).ok());
        let time = ms.or_else(|| parse_time(text, now_ms));
        time.map(Some).ok_or_else(|| {
            let message = format!(
                "{name} is Unix milliseconds, a time as in 2026-01-31T12:00:00Z, a day, or one of -7d, -24h and -30m"
            );
            invalid(message).detail("parameter", name)
        })
    }

    /// A parameter that is one of a few words; the first of them if it is missing.
    pub(crate) fn choice<T: Copy>(&self, name: &str, words: &[(&str, T)]) -> Result<T, ApiError> {
        let default = words.first().map(|(word, _)| *word).unwrap_or_default();
        let word = self.text(name)?.unwrap_or(default);
        let found = words.iter().find(|(known, _)| *known == word);
        found.map(|(_, meaning)| *meaning).ok_or_else(|| {
            let known: Vec<_> = words.iter().map(|(known, _)| *known).collect();
            invalid(format!("{name} is one of {}", known.join(", "))).detail("parameter", name)
        })
    }
}

/// A header that may be there once, as text.
pub(crate) fn header<'a>(headers: &'a HeaderMap, name: &str) -> Result<Option<&'a str>, ApiError> {
    let mut values = headers.get_all(name).iter();
    let Some(value) = values.next() else { return Ok(None) };
    if values.next().is_some() {
        return Err(invalid(format!("the header {name} is given twice")).detail("header", name));
    }
    let text = std::str::from_utf8(value.as_bytes());
    text.map(Some).map_err(|_| invalid(format!("the header {name} is not UTF-8")).detail("header", name))
}

/// A number in decimal digits, and nothing but digits.
pub(crate) fn number(what: &str, text: &str) -> Result<u64, ApiError> {
    let all_digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = text.parse().ok().filter(|_| all_digits);
    number.ok_or_else(|| invalid(format!("{what} is a number of decimal digits below 2^64")))
}

/// A content hash in hexadecimal digits.
pub(crate) fn hash(what: &str, text: &str) -> Result<ContentHash, ApiError> {
    text.parse().map_err(|_| invalid(format!("{what} is a BLAKE3 hash: 64 hexadecimal digits")))
}

/// What is wrong with a request.
pub(crate) fn invalid(message: impl Into<String>) -> ApiError {
    ApiError::new(ErrorCode::InvalidRequest, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn params(query: &[(&str, &str)]) -> Params {
        let query = query.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Params { path: Vec::new(), query }
    }

    #[test]
    fn numbers_are_digits_and_fit() {
        for (text, expected) in
            [("0", Some(0)), ("007", Some(7)), ("18446744073709551615", Some(u64::MAX)), ("", None)]
        {
            assert_eq!(number("x", text).ok(), expected, "{text}");
        }
        for bad in ["+7", "-7", "7 ", "0x7", "7.0", "18446744073709551616", "٧"] {
            assert!(number("x", bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn limits_hold_at_both_ends() {
        let limit = |text| params(&[("limit", text)]).limit(20, 1000).ok();
        assert_eq!([limit("1"), limit("1000"), limit("0"), limit("1001")], [Some(1), Some(1000), None, None]);
        assert_eq!(params(&[]).limit(20, 1000).ok(), Some(20));
        assert!(params(&[("limit", "1"), ("limit", "1")]).limit(20, 1000).is_err(), "given twice");
    }

    #[test]
    fn a_name_that_is_not_known_is_refused_with_the_nearest() {
        let hint = |name: &str| {
            let refused = params(&[("space", "x"), (name, "true")]).only(&["space", "dry_run", "restart"]);
            refused.map_err(|error| serde_json::to_value(error.into_body()).expect("plain data"))
        };
        assert!(hint("dry_run").is_ok());
        let hint = |name| hint(name).expect_err("refused")["error"]["details"]["hint"].clone();
        assert_eq!(hint("dry-run"), "did you mean dry_run?");
        assert_eq!(hint("Restart"), "did you mean restart?");
        assert_eq!(hint("q"), "known are space, dry_run, restart");
    }

    #[test]
    fn words_are_known_or_refused() {
        let words = [("a", 1), ("b", 2)];
        assert_eq!(params(&[]).choice("x", &words).ok(), Some(1));
        assert_eq!(params(&[("x", "b")]).choice("x", &words).ok(), Some(2));
        assert!(params(&[("x", "c")]).choice("x", &words).is_err());
        assert!(params(&[("x", "")]).choice("x", &words).is_err());
    }
}
