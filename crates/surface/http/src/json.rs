//! JSON bodies, with errors of our shape.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use cairn_base::ErrorCode;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

use crate::content_type::{is_json, media_type};
use crate::{ApiError, HttpCode};

/// The body of a request, decoded from JSON.
#[derive(Debug)]
pub struct ApiJson<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for ApiJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        if !is_json(&media_type(request.headers())) {
            let message = "the content type must be application/json";
            return Err(ApiError::new(HttpCode::UnsupportedMediaType, message));
        }
        // The frame has read the body already, within its limit.
        let body = Bytes::from_request(request, state).await.map_err(|error| {
            ApiError::new(
                ErrorCode::InvalidRequest,
                format!("the body could not be read: {}", error.body_text()),
            )
        })?;
        decode(&body).map(ApiJson)
    }
}

/// A body that is JSON.
pub(crate) fn decode<T: DeserializeOwned>(body: &[u8]) -> Result<T, ApiError> {
    serde_json::from_slice(body).map_err(|error| refusal(&error))
}

fn refusal(error: &serde_json::Error) -> ApiError {
    let code = match error.classify() {
        Category::Data => ErrorCode::InvalidRequest,
        Category::Io | Category::Syntax | Category::Eof => ErrorCode::MalformedJson,
    };
    let message = format!("the body is not what was expected: {error}");
    ApiError::new(code, message).detail("line", error.line()).detail("column", error.column())
}
