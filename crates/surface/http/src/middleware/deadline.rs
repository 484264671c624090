//! An admitted request has so much time, and not more.
//!
//! The gate ends its own work at the same moment and says more about it; this is for what a route does
//! besides.

use axum::response::Response;
use cairn_base::ErrorCode;
use cairn_gate::Admission;
use tokio::time::timeout_at;

use crate::ApiError;

/// Runs the handler of a request until the deadline of its admission.
pub(super) async fn within(
    admission: &Admission,
    handler: impl Future<Output = Response>,
) -> Result<Response, ApiError> {
    timeout_at(admission.deadline(), handler).await.map_err(|_elapsed| {
        ApiError::new(ErrorCode::DeadlineExceeded, "the request was not done within its deadline")
    })
}
