//! Errors under `/kcp/v1` and `/ipfs` have the codes and statuses of the artifact protocol, whoever made them: a
//! route, or the frame around it.

use axum::extract::Request;
use axum::middleware::Next;
use axum::response::Response;

use crate::dialect::Dialect;
use crate::error::translated;

pub(crate) async fn dialect(request: Request, next: Next) -> Response {
    let dialect = Dialect::of(request.uri().path());
    let response = next.run(request).await;
    match dialect {
        Dialect::Cairn => response,
        Dialect::Kcp => translated(response, dialect),
    }
}
