//! Responses: the checks of the head, and a body within its limit.

use cairn_base::Harmless;
use http_body_util::BodyExt as _;
use hyper::HeaderMap;
use hyper::Response;
use hyper::body::{Body as _, Incoming};
use hyper::header::{CONTENT_ENCODING, CONTENT_TYPE, HeaderName, TRANSFER_ENCODING};

use crate::OutboundError;

/// Characters of a header that an error shows.
const SHOWN_CHARS: usize = 80;

/// Checks status, type and encodings of a response, in this order.
pub(crate) fn check<B>(response: &Response<B>, expected: &'static str) -> Result<(), OutboundError> {
    let status = response.status();
    if status.is_redirection() {
        return Err(OutboundError::Redirect { status: status.as_u16() });
    }
    if status.as_u16() != 200 {
        return Err(OutboundError::Status { status: status.as_u16() });
    }
    let headers = response.headers();
    let is_expected = |value: &str| {
        let media = value.split(';').next().unwrap_or_default().trim();
        media.eq_ignore_ascii_case(expected)
    };
    if !only(headers, &CONTENT_TYPE).is_some_and(is_expected) {
        return Err(OutboundError::ContentType { found: shown(headers, &CONTENT_TYPE), expected });
    }
    for (name, harmless) in [(CONTENT_ENCODING, "identity"), (TRANSFER_ENCODING, "chunked")] {
        let is_plain = only(headers, &name).is_some_and(|value| value.trim().eq_ignore_ascii_case(harmless));
        if headers.contains_key(&name) && !is_plain {
            return Err(OutboundError::Encoding { found: shown(headers, &name) });
        }
    }
    Ok(())
}

/// Reads a body to its end.
pub(crate) async fn read(mut body: Incoming, max: usize) -> Result<Vec<u8>, OutboundError> {
    if body.size_hint().lower() > max as u64 {
        return Err(OutboundError::TooLarge { max });
    }
    let mut bytes = Vec::new();
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(|error| broken(&error))?.into_data() else { continue };
        if data.len() > max - bytes.len() {
            return Err(OutboundError::TooLarge { max });
        }
        bytes.extend_from_slice(&data);
    }
    Ok(bytes)
}

pub(crate) fn broken(error: &hyper::Error) -> OutboundError {
    OutboundError::Broken { cause: error.to_string() }
}

/// The value of a header that stands once.
fn only<'a>(headers: &'a HeaderMap, name: &HeaderName) -> Option<&'a str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    if values.next().is_some() { None } else { first.to_str().ok() }
}

/// The values of a header for a message.
fn shown(headers: &HeaderMap, name: &HeaderName) -> String {
    let values: Vec<_> = headers.get_all(name).iter().map(|value| value.to_str().unwrap_or("?")).collect();
    if values.is_empty() {
        return "none".to_owned();
    }
    let all: String = values.join(", ").chars().take(SHOWN_CHARS).collect();
    format!("{:?}", Harmless(&all).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    const JSON: &str = "application/json";

    fn refusal(status: u16, headers: &[(&str, &str)]) -> String {
        let mut response = Response::builder().status(status);
        for (name, value) in headers {
            response = response.header(*name, *value);
        }
        check(&response.body(()).expect("a response"), JSON)
            .err()
            .map(|error| error.to_string())
            .unwrap_or_default()
    }

    #[test]
    fn heads_are_what_was_asked_for() {
        let long = "x".repeat(200);
        for (status, headers, part) in [
            (200, &[("content-type", JSON)][..], ""),
            (200, &[("content-type", "Application/JSON ; charset=utf-8")], ""),
            (200, &[("content-type", JSON), ("content-encoding", "Identity")], ""),
            (200, &[("content-type", JSON), ("transfer-encoding", "chunked")], ""),
            (200, &[("content-type", "text/html")], "content type \"text/html\"; application/json is needed"),
            (200, &[("content-type", "application/json-seq")], "content type \"application/json-seq\""),
            (200, &[], "content type none"),
            (200, &[("content-type", JSON), ("content-type", JSON)], "content type \"application/json, "),
            (200, &[("content-type", long.as_str())], &format!("content type \"{}\"", &long[..SHOWN_CHARS])),
            (200, &[("content-type", JSON), ("content-encoding", "gzip")], "encoding \"gzip\""),
            (
                200,
                &[("content-type", JSON), ("transfer-encoding", "gzip, chunked")],
                "encoding \"gzip, chunked\"",
            ),
            (204, &[("content-type", JSON)], "status 204"),
            (301, &[("content-type", JSON)], "redirect (301), and redirects are refused"),
            (304, &[], "redirect (304)"),
            (308, &[("location", "http://127.0.0.1/")], "redirect (308)"),
            (401, &[("content-type", JSON)], "status 401"),
            (500, &[("content-type", JSON)], "status 500"),
        ] {
            let found = refusal(status, headers);
            assert_eq!(found.is_empty(), part.is_empty(), "{status} {headers:?}: {found}");
            assert!(found.contains(part), "{status} {headers:?}: {found}");
        }
    }
}
