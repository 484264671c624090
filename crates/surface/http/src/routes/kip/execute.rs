//! `POST /v1/kip`.

use axum::body::Bytes;
use axum::http::HeaderMap;
use cairn_wire::kip::{KipBody, KipResponse};

use super::perform::{Asked, Method, perform};
use super::wire::body;
use crate::ApiError;
use crate::call::Call;
use crate::held::HeldJson;

/// Execute commands of KIP
///
/// Takes one command or a batch of them, as the function `execute_kip` does, and answers what it answers.
/// Errors of KIP have status 200 as well and stand in `error`. A batch answers one response for each
/// command; the first one that fails to change something ends it.
#[utoipa::path(
    post,
    path = "/v1/kip",
    tag = "kip",
    request_body(content = KipBody, description = "`command` or `commands`, at most 17 MiB in all"),
    responses((status = 200, description = "What KIP answers", body = KipResponse))
)]
pub(super) async fn execute(call: Call, headers: HeaderMap, bytes: Bytes) -> Result<HeldJson, ApiError> {
    let params = body(&call, &headers, bytes).await?;
    Ok(perform(&call, Asked { method: Method::Execute, params }).await?.into())
}
