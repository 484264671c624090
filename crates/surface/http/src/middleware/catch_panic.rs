//! A panic is one request's failure, not the connection's.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;

use axum::response::{IntoResponse, Response};
use cairn_base::ErrorCode;

use crate::ApiError;
use crate::error::FAILED_INSIDE;

/// Runs a request; a panic of it is answered as an internal error.
pub(super) async fn catch_panic(inner: impl Future<Output = Response>) -> Response {
    let mut inner = pin!(inner);
    // After a panic the inner future is not polled again, so that nobody sees it half-way.
    let outcome = poll_fn(|context| match catch_unwind(AssertUnwindSafe(|| inner.as_mut().poll(context))) {
        Ok(poll) => poll.map(Ok),
        Err(panic) => Poll::Ready(Err(panic)),
    });
    outcome.await.unwrap_or_else(|panic| {
        tracing::error!(panic = message(&*panic), "a request panicked");
        ApiError::new(ErrorCode::Internal, FAILED_INSIDE).into_response()
    })
}

fn message(panic: &(dyn Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("without a message")
}
