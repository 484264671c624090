//! What a client says its body is.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use utoipa::ToSchema;

use crate::ApiError;
use crate::params::invalid;

/// The media type without its parameters, in lower case; empty if there is none.
pub(crate) fn media_type(headers: &HeaderMap) -> String {
    let value = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    value.split(';').next().unwrap_or("").trim().to_ascii_lowercase()
}

/// Names for MessagePack that are in use.
const MSGPACK: [&str; 3] = ["application/msgpack", "application/vnd.msgpack", "application/x-msgpack"];

/// Whether a media type is MessagePack.
pub(crate) fn is_msgpack(media_type: &str) -> bool {
    MSGPACK.contains(&media_type)
}

/// Whether a media type is JSON, or something more exact that is JSON too.
pub(crate) fn is_json(media_type: &str) -> bool {
    media_type == "application/json"
        || (media_type.starts_with("application/") && media_type.ends_with("+json"))
}

/// Bytes, whatever they are.
#[derive(Debug, ToSchema)]
#[schema(value_type = String, format = Binary)]
pub(crate) struct RawBytes(pub(crate) Bytes);

impl<S: Send + Sync> FromRequest<S> for RawBytes {
    type Rejection = ApiError;

    /// Takes the body, which the frame has read already, within its limit.
    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        let body = Bytes::from_request(request, state).await;
        body.map(RawBytes).map_err(|error| invalid(error.body_text()))
    }
}
