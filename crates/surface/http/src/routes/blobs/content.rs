//! Sending content: conditional, in part, and large content piece by piece.

use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use cairn_base::{ContentHash, ErrorCode};
use cairn_seam::BlobReader;

use super::range::{Wanted, wanted};
use super::{not_found, stream};
use crate::ApiError;
use crate::call::Call;

/// Whoever stored it, no script in it runs with the rights of this server's own pages.
const SANDBOX: HeaderValue = HeaderValue::from_static("sandbox; default-src 'none'; frame-ancestors 'none'");

/// What is to be sent, and as what.
#[derive(Debug)]
pub(crate) struct Content {
    hash: ContentHash,
    media_type: &'static str,
    cache: &'static str,
    more: Vec<(HeaderName, HeaderValue)>,
}

impl Content {
    /// A blob under its own name, which never means anything else.
    pub(crate) fn of_blob(hash: ContentHash) -> Self {
        let cache = "private, max-age=31536000, immutable";
        Content { hash, media_type: "application/octet-stream", cache, more: Vec::new() }
    }

    /// A file, whose name may mean something else tomorrow.
    pub(crate) fn of_file(hash: ContentHash, media_type: &'static str) -> Self {
        Content { hash, media_type, cache: "private, no-cache", more: Vec::new() }
    }

    /// The same with one more header.
    #[must_use]
    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        // Only hashes and modes get here; what is no header would be left out.
        self.more
            .extend(HeaderValue::from_str(value).ok().map(|value| (HeaderName::from_static(name), value)));
        self
    }

    /// Answers a GET or HEAD.
    pub(crate) async fn answer(
        self,
        call: &Call,
        method: &Method,
        headers: &HeaderMap,
    ) -> Result<Response, ApiError> {
        let hash = self.hash;
        let found = call
            .read(move |engine, principal| engine.open_blob(principal, principal.tenant(), &hash))
            .await?;
        let reader: Arc<dyn BlobReader> = found.map(Arc::from).ok_or_else(|| not_found(&hash))?;
        let (etag, length) = (format!("\"{hash}\""), reader.len());
        if is_known(headers, &etag) {
            return Ok(self.dress(StatusCode::NOT_MODIFIED, Body::empty()));
        }
        if method == Method::HEAD {
            let mut answer = self.dress(StatusCode::OK, Body::empty());
            answer.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(length));
            return Ok(answer);
        }
        let (status, range) = match wanted(headers, &etag, length) {
            Wanted::Whole => (StatusCode::OK, 0..length),
            Wanted::Part(range) => (StatusCode::PARTIAL_CONTENT, range),
            Wanted::Nothing => return Ok(unsatisfiable(length)),
        };
        let content_range = format!("bytes {}-{}/{length}", range.start, range.end.saturating_sub(1));
        let bytes = range.end - range.start;
        let body = if bytes <= stream::PIECE_BYTES {
            let read = move |_: &_, _: &_| {
                let mut bytes = vec![0; usize::try_from(bytes).unwrap_or(0)];
                reader.read_at(range.start, &mut bytes)?;
                Ok(bytes)
            };
            Body::from(call.read(read).await?)
        } else {
            let place = stream::place(&call.app)?;
            stream::body(call, reader, range, place)
        };
        let mut answer = self.dress(status, body);
        if status == StatusCode::PARTIAL_CONTENT {
            let content_range = HeaderValue::from_str(&content_range).expect("digits are a header");
            answer.headers_mut().insert(CONTENT_RANGE, content_range);
        }
        Ok(answer)
    }

    fn dress(self, status: StatusCode, body: Body) -> Response {
        let mut answer = (status, body).into_response();
        let headers = answer.headers_mut();
        let etag = HeaderValue::from_str(&format!("\"{}\"", self.hash)).expect("a hash is a header");
        headers.extend([
            (CONTENT_TYPE, HeaderValue::from_static(self.media_type)),
            (CACHE_CONTROL, HeaderValue::from_static(self.cache)),
            (ACCEPT_RANGES, HeaderValue::from_static("bytes")),
            (CONTENT_SECURITY_POLICY, SANDBOX),
            (ETAG, etag),
        ]);
        headers.extend(self.more);
        answer
    }
}

/// Whether `If-None-Match` names what we would send.
pub(crate) fn is_known(headers: &HeaderMap, etag: &str) -> bool {
    let values = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
    let mut names = values.flat_map(|value| value.split(',')).map(str::trim);
    names.any(|name| name == "*" || name.strip_prefix("W/").unwrap_or(name) == etag)
}

fn unsatisfiable(length: u64) -> Response {
    let error = ApiError::new(ErrorCode::InvalidRequest, format!("the content has only {length} bytes"))
        .status(StatusCode::RANGE_NOT_SATISFIABLE)
        .detail("bytes", length);
    let mut answer = error.into_response();
    let all = HeaderValue::from_str(&format!("bytes */{length}")).expect("digits are a header");
    answer.headers_mut().insert(CONTENT_RANGE, all);
    answer
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_name_is_found_in_every_form() {
        let known = |value: &'static str| {
            let headers = HeaderMap::from_iter([(IF_NONE_MATCH, HeaderValue::from_static(value))]);
            is_known(&headers, "\"abc\"")
        };
        for value in ["\"abc\"", "*", "W/\"abc\"", "\"x\", \"abc\"", " \"abc\" "] {
            assert!(known(value), "{value}");
        }
        for value in ["abc", "\"abcd\"", "", "\"x\",\"y\"", "w/\"abc\""] {
            assert!(!known(value), "{value}");
        }
        assert!(!is_known(&HeaderMap::new(), "\"abc\""));
    }
}
