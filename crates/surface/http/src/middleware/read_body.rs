//! Reads the whole body, up to the limit, before anything else is done for the request.
//!
//! Before admission, so that a client that sends slowly holds its own connection and nobody's turn. It
//! has as long to send as the request then has to be answered.

use axum::body::Body;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use cairn_base::ErrorCode;
use http_body_util::{BodyExt, LengthLimitError, Limited};
use hyper::body::Body as _;
use tokio::time::timeout;

use crate::ApiError;
use crate::app::AppState;

pub(crate) async fn read_body(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let bytes_max = app.config.body_bytes_max;
    let (parts, body) = request.into_parts();
    match timeout(app.gate.config().deadline, read(body, bytes_max)).await {
        Ok(Ok(body)) => next.run(Request::from_parts(parts, body)).await,
        Ok(Err(error)) => error.into_response(),
        Err(_elapsed) => {
            ApiError::new(ErrorCode::DeadlineExceeded, "the body did not arrive in time").into_response()
        }
    }
}

async fn read(body: Body, bytes_max: usize) -> Result<Body, ApiError> {
    // A length that is announced is refused before a byte of it is read.
    if body.size_hint().lower() > bytes_max as u64 {
        return Err(too_large(bytes_max));
    }
    match Limited::new(body, bytes_max).collect().await {
        Ok(collected) => Ok(Body::from(collected.to_bytes())),
        Err(error) if error.is::<LengthLimitError>() => Err(too_large(bytes_max)),
        Err(error) => {
            Err(ApiError::new(ErrorCode::InvalidRequest, format!("the body could not be read: {error}")))
        }
    }
}

fn too_large(bytes_max: usize) -> ApiError {
    let message = format!("the body has more than {bytes_max} bytes");
    ApiError::new(ErrorCode::TooLarge, message).detail("body_bytes_max", bytes_max)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn the_limit_is_the_last_length_that_passes() {
        assert!(read(Body::from("12345"), 5).await.is_ok());
        assert!(read(Body::from("123456"), 5).await.is_err());
        assert!(read(Body::empty(), 0).await.is_ok());
    }
}
