//! Tools that read traces: the matrix, the impact of a change, suspect links.

use axum::body::Bytes;
use axum::http::HeaderMap;
use cairn_kb::tools::{ImpactInput, ImpactOutput, MatrixInput, MatrixOutput, SuspectInput, SuspectOutput};

use super::run::{BranchPath, input, read, target};
use crate::ApiError;
use crate::call::Call;
use crate::error::ErrorBody;
use crate::held::HeldJson;
use crate::params::Params;

/// Traceability matrix
///
/// Returns the scenarios, tests and symbols of requirements, or the rows of another type, with what is missing.
#[utoipa::path(
    post,
    path = "/v1/kb/{workspace}/{branch}/matrix",
    tag = "kb",
    params(BranchPath),
    request_body(content = Option<MatrixInput>, description = "Nothing stands for `{}`"),
    responses(
        (status = 200, description = "The output of `kb_matrix`", body = MatrixOutput),
        (status = 404, description = "The branch has no KB", body = ErrorBody),
    )
)]
pub(super) async fn matrix(
    call: Call,
    params: Params,
    headers: HeaderMap,
    body: Bytes,
) -> Result<HeldJson, ApiError> {
    let (target, input) = (target(&call, &params), input::<MatrixInput>(&call, &headers, body).await?);
    read(&call, move |engine, principal| engine.kb_matrix(principal, &target, &input)).await
}

/// Impact of a change
///
/// Returns the entities that rest on those that change, and those that they rest on, with the shortest way to each.
#[utoipa::path(
    post,
    path = "/v1/kb/{workspace}/{branch}/impact",
    tag = "kb",
    params(BranchPath),
    request_body(content = ImpactInput),
    responses(
        (status = 200, description = "The output of `kb_impact`", body = ImpactOutput),
        (status = 404, description = "The branch has no KB", body = ErrorBody),
    )
)]
pub(super) async fn impact(
    call: Call,
    params: Params,
    headers: HeaderMap,
    body: Bytes,
) -> Result<HeldJson, ApiError> {
    let (target, input) = (target(&call, &params), input::<ImpactInput>(&call, &headers, body).await?);
    read(&call, move |engine, principal| engine.kb_impact(principal, &target, &input)).await
}

/// Suspect links
///
/// Returns links whose ends changed after they were made, or after their ends were accepted.
#[utoipa::path(
    post,
    path = "/v1/kb/{workspace}/{branch}/suspect",
    tag = "kb",
    params(BranchPath),
    request_body(content = Option<SuspectInput>, description = "Nothing stands for `{}`"),
    responses(
        (status = 200, description = "The output of `kb_suspect`", body = SuspectOutput),
        (status = 404, description = "The branch has no KB", body = ErrorBody),
    )
)]
pub(super) async fn suspect(
    call: Call,
    params: Params,
    headers: HeaderMap,
    body: Bytes,
) -> Result<HeldJson, ApiError> {
    let (target, input) = (target(&call, &params), input::<SuspectInput>(&call, &headers, body).await?);
    read(&call, move |engine, principal| engine.kb_suspect(principal, &target, &input)).await
}
