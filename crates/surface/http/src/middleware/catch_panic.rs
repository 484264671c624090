//! A panic is one request's failure, not the connection's.

use std::any::Any;
use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Poll;

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use cairn_base::ErrorCode;

use crate::ApiError;
use crate::error::FAILED_INSIDE;

pub(crate) async fn catch_panic(request: Request, next: Next) -> Response {
    let mut inner = Box::pin(next.run(request));
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
