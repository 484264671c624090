//! `POST /v1/kb/{workspace}/{branch}/export`.

use axum::body::Bytes;
use axum::http::HeaderMap;
use cairn_kb::sync::{ExportInput, ExportOutput};

use super::run::{BranchPath, input, read, target};
use crate::ApiError;
use crate::call::Call;
use crate::error::ErrorBody;
use crate::held::HeldJson;
use crate::params::Params;

/// Export entities
///
/// Returns entities with all relationships that start at them and with the metadata of these, ordered by id, in pages.
#[utoipa::path(
    post,
    path = "/v1/kb/{workspace}/{branch}/export",
    tag = "kb",
    params(BranchPath),
    request_body(content = Option<ExportInput>, description = "Nothing stands for `{}`, which selects no entity"),
    responses(
        (status = 200, description = "A page of entities", body = ExportOutput),
        (status = 404, description = "The branch has no KB", body = ErrorBody),
    )
)]
pub(super) async fn export(
    call: Call,
    params: Params,
    headers: HeaderMap,
    body: Bytes,
) -> Result<HeldJson, ApiError> {
    let (target, input) = (target(&call, &params), input::<ExportInput>(&call, &headers, body).await?);
    read(&call, move |engine, principal| engine.kb_export(principal, &target, &input)).await
}
