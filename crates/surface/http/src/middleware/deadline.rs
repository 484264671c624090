//! An admitted request has so much time, and not more.
//!
//! The gate ends its own work at the same moment and says more about it; this is for what a route does
//! besides.

use std::sync::Arc;

use axum::Extension;
use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use cairn_base::ErrorCode;
use cairn_gate::Admission;
use tokio::time::timeout_at;

use crate::ApiError;

pub(crate) async fn deadline(
    Extension(admission): Extension<Arc<Admission>>,
    request: Request,
    next: Next,
) -> Response {
    timeout_at(admission.deadline(), next.run(request)).await.unwrap_or_else(|_elapsed| {
        ApiError::new(ErrorCode::DeadlineExceeded, "the request was not done within its deadline")
            .into_response()
    })
}
