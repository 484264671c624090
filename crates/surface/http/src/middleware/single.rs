//! Headers that a request may have only once.
//!
//! Each of them decides who the caller is or what the request does. Of two values a proxy may use one and this
//! server the other, so duplicates are refused even when they are equal. Host and Origin have their own files;
//! hyper checks Content-Length.

use axum::http::header::{
    ACCESS_CONTROL_REQUEST_METHOD, AUTHORIZATION, CONTENT_ENCODING, CONTENT_TYPE, HOST, HeaderName, IF_MATCH,
    IF_RANGE, RANGE,
};
use axum::http::{HeaderMap, HeaderValue};
use cairn_access::AccessCode;
use cairn_base::ErrorCode;

use crate::ApiError;

/// The headers, each with the error for a duplicate.
static SINGLE: [(HeaderName, ErrorCode); 16] = [
    (AUTHORIZATION, AccessCode::TokenMalformed),
    // Refused before by `host.rs`, except on the local owner's socket.
    (HOST, ErrorCode::InvalidRequest),
    (HeaderName::from_static("sec-fetch-site"), ErrorCode::InvalidRequest),
    (HeaderName::from_static("sec-fetch-mode"), ErrorCode::InvalidRequest),
    (HeaderName::from_static("sec-fetch-dest"), ErrorCode::InvalidRequest),
    (ACCESS_CONTROL_REQUEST_METHOD, ErrorCode::InvalidRequest),
    (CONTENT_TYPE, ErrorCode::InvalidRequest),
    (CONTENT_ENCODING, ErrorCode::InvalidRequest),
    (IF_MATCH, ErrorCode::InvalidRequest),
    (IF_RANGE, ErrorCode::InvalidRequest),
    (RANGE, ErrorCode::InvalidRequest),
    (HeaderName::from_static("idempotency-key"), ErrorCode::InvalidRequest),
    (HeaderName::from_static("last-event-id"), ErrorCode::InvalidRequest),
    (HeaderName::from_static("x-cairn-type-id"), ErrorCode::InvalidRequest),
    (HeaderName::from_static("x-cairn-type-version"), ErrorCode::InvalidRequest),
    (HeaderName::from_static("x-content-hash-b3"), ErrorCode::InvalidRequest),
];

/// Refuses a request that has one of them twice.
pub(super) fn check(headers: &HeaderMap<HeaderValue>) -> Result<(), ApiError> {
    let repeated = SINGLE.iter().find(|(name, _)| headers.get_all(name).iter().nth(1).is_some());
    match repeated {
        Some((name, code)) => {
            let message = format!("duplicate header `{name}`; send it once");
            Err(ApiError::new(*code, message).detail("header", name.as_str()))
        }
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_of_them_comes_once() {
        for (name, _) in &SINGLE {
            let mut headers = HeaderMap::new();
            headers.append(name, HeaderValue::from_static("a"));
            assert!(check(&headers).is_ok(), "{name}");
            headers.append(name, HeaderValue::from_static("a"));
            assert!(check(&headers).is_err(), "{name}");
        }
    }

    #[test]
    fn others_may_come_often() {
        let mut headers = HeaderMap::new();
        for _ in 0..3 {
            headers.append("if-none-match", HeaderValue::from_static("a"));
            headers.append("accept", HeaderValue::from_static("a"));
        }
        assert!(check(&headers).is_ok());
    }
}
