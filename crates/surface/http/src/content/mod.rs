//! Content in responses: conditional, in part, and large content piece by piece.
//!
//! Every response with an `ETag` is made here, and every header with conditions (`If-None-Match`, `Range`,
//! `If-Range`) is read here: [`Content`] for blobs, [`json`] for JSON that is small and changes.

mod etag;
mod json;
mod range;
mod stream;

use std::ops::Range;
use std::sync::Arc;

use axum::body::Body;
use axum::http::header::{
    ACCEPT_RANGES, CACHE_CONTROL, CONTENT_LENGTH, CONTENT_RANGE, CONTENT_SECURITY_POLICY, CONTENT_TYPE, ETAG,
    IF_NONE_MATCH, RANGE,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use cairn_base::{ContentHash, ErrorCode};
use cairn_engine::EngineError;
use cairn_seam::BlobReader;

pub(crate) use self::etag::Etag;
pub(crate) use self::json::json;
use self::range::{Wanted, wanted};
use crate::ApiError;
use crate::call::Call;

/// Whoever stored it, no script in it runs with the rights of this server's own pages.
const SANDBOX: HeaderValue = HeaderValue::from_static("sandbox; default-src 'none'; frame-ancestors 'none'");

/// `Cache-Control` of content whose name may mean something else tomorrow.
const REVALIDATED: &str = "private, no-cache";

/// What is to be sent, and as what.
#[derive(Debug)]
pub(crate) struct Content {
    etag: Etag,
    media_type: &'static str,
    cache: &'static str,
    more: Vec<(HeaderName, HeaderValue)>,
}

impl Content {
    /// A blob under its own name, which never means anything else.
    pub(crate) fn of_blob(hash: ContentHash) -> Self {
        let cache = "private, max-age=31536000, immutable";
        Content { cache, ..Content::of_file(hash, "application/octet-stream") }
    }

    /// A file, whose name may mean something else tomorrow.
    pub(crate) fn of_file(hash: ContentHash, media_type: &'static str) -> Self {
        Content::of_named(Etag::of(&hash), media_type)
    }

    /// Content with a tag of its own, under a name that may mean something else tomorrow.
    pub(crate) fn of_named(etag: Etag, media_type: &'static str) -> Self {
        Content { etag, media_type, cache: REVALIDATED, more: Vec::new() }
    }

    /// The same content for caches of anybody, for as long as they like.
    #[must_use]
    pub(crate) fn for_everyone(self) -> Self {
        Content { cache: "public, max-age=29030400, immutable", ..self }
    }

    /// The same with one more header.
    #[must_use]
    pub(crate) fn header(mut self, name: &'static str, value: &str) -> Self {
        // Only hashes, ids and modes get here; what is no header would be left out.
        self.more
            .extend(HeaderValue::from_str(value).ok().map(|value| (HeaderName::from_static(name), value)));
        self
    }

    /// Answers a GET or HEAD with a blob of the caller's tenant.
    pub(crate) async fn answer_blob(
        self,
        hash: ContentHash,
        call: &Call,
        method: &Method,
        headers: &HeaderMap,
    ) -> Result<Response, ApiError> {
        let asked = Asked::of(method, headers);
        let found = call.read(move |engine, principal| {
            let reader = engine.open_blob(principal, principal.tenant(), &hash)?;
            reader.map(|reader| asked.open(reader.into())).transpose()
        });
        let opened = found.await?.ok_or_else(|| not_found(&hash))?;
        self.answer(call, method, headers, opened).await
    }

    /// Answers a GET or HEAD with content that was opened.
    pub(crate) async fn answer(
        self,
        call: &Call,
        method: &Method,
        headers: &HeaderMap,
        Opened { reader, whole }: Opened,
    ) -> Result<Response, ApiError> {
        if let Some(whole) = whole {
            return Ok(self.dress(StatusCode::OK, Body::from(whole)));
        }
        let (etag, length) = (self.etag.clone(), reader.len());
        if etag.is_known(headers) {
            return Ok(self.dress(StatusCode::NOT_MODIFIED, Body::empty()));
        }
        if method == Method::HEAD {
            let mut answer = self.dress(StatusCode::OK, Body::empty());
            answer.headers_mut().insert(CONTENT_LENGTH, HeaderValue::from(length));
            return Ok(answer);
        }
        let (status, range) = match wanted(headers, etag.as_str(), length) {
            Wanted::Whole => (StatusCode::OK, 0..length),
            Wanted::Part(range) => (StatusCode::PARTIAL_CONTENT, range),
            Wanted::Nothing => return Ok(unsatisfiable(length)),
        };
        let content_range = format!("bytes {}-{}/{length}", range.start, range.end.saturating_sub(1));
        let bytes = range.end - range.start;
        let body = if bytes <= stream::PIECE_BYTES {
            Body::from(call.read(move |_, _| read_part(&*reader, range)).await?)
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
        headers.extend([
            (CONTENT_TYPE, HeaderValue::from_static(self.media_type)),
            (CACHE_CONTROL, HeaderValue::from_static(self.cache)),
            (ACCEPT_RANGES, HeaderValue::from_static("bytes")),
            (CONTENT_SECURITY_POLICY, SANDBOX),
            (ETAG, self.etag.to_header()),
        ]);
        headers.extend(self.more);
        answer
    }
}

/// What is known of a request for content before the content is opened.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    /// Whether it is for the whole content, unconditionally.
    is_plain: bool,
}

impl Asked {
    pub(crate) fn of(method: &Method, headers: &HeaderMap) -> Self {
        let has_conditions = [IF_NONE_MATCH, RANGE].iter().any(|name| headers.contains_key(name));
        Asked { is_plain: method == Method::GET && !has_conditions }
    }

    /// Takes content that was just opened. Short content that is wanted as it is, is read here: a thread has one turn
    /// with it.
    pub(crate) fn open(self, reader: Arc<dyn BlobReader>) -> Result<Opened, EngineError> {
        let at_once = self.is_plain && reader.len() <= stream::PIECE_BYTES;
        let whole = at_once.then(|| read_part(&*reader, 0..reader.len())).transpose()?;
        Ok(Opened { reader, whole })
    }
}

/// Content that was opened for a request.
pub(crate) struct Opened {
    reader: Arc<dyn BlobReader>,
    /// All of it, if it is short and wanted as it is.
    whole: Option<Vec<u8>>,
}

pub(crate) fn read_part(reader: &dyn BlobReader, range: Range<u64>) -> Result<Vec<u8>, EngineError> {
    let mut bytes = vec![0; usize::try_from(range.end - range.start).unwrap_or(0)];
    reader.read_at(range.start, &mut bytes)?;
    Ok(bytes)
}

fn not_found(hash: &ContentHash) -> ApiError {
    ApiError::new(ErrorCode::NotFound, format!("there is no blob {hash}"))
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
