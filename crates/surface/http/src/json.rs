//! JSON bodies, with errors of our shape.

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::header::CONTENT_TYPE;
use cairn_base::ErrorCode;
use serde::de::DeserializeOwned;
use serde_json::error::Category;

use crate::ApiError;

/// The body of a request, decoded from JSON.
#[derive(Debug)]
pub struct ApiJson<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for ApiJson<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &S) -> Result<Self, ApiError> {
        if !is_json(&request) {
            let message = "the content type must be application/json";
            return Err(ApiError::new(ErrorCode::UnsupportedMediaType, message));
        }
        // The frame has read the body already, within its limit.
        let body = Bytes::from_request(request, state).await.map_err(|error| {
            ApiError::new(
                ErrorCode::InvalidRequest,
                format!("the body could not be read: {}", error.body_text()),
            )
        })?;
        serde_json::from_slice(&body).map(ApiJson).map_err(|error| refusal(&error))
    }
}

fn is_json(request: &Request) -> bool {
    let value = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or("");
    let media_type = value.split(';').next().unwrap_or("").trim().to_ascii_lowercase();
    media_type == "application/json"
        || (media_type.starts_with("application/") && media_type.ends_with("+json"))
}

fn refusal(error: &serde_json::Error) -> ApiError {
    let code = match error.classify() {
        Category::Data => ErrorCode::InvalidRequest,
        Category::Io | Category::Syntax | Category::Eof => ErrorCode::MalformedJson,
    };
    let message = format!("the body is not what was expected: {error}");
    ApiError::new(code, message).detail("line", error.line()).detail("column", error.column())
}
