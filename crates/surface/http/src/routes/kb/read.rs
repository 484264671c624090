//! Tools that read: `POST /v1/kb/{workspace}/{branch}/TOOL`.

use axum::body::Bytes;
use axum::http::HeaderMap;
use cairn_kb::tools::{
    CheckInput, CheckOutput, CoverageInput, CoverageOutput, FindGapsInput, FindGapsOutput, GraphInput,
    GraphOutput, QueryInput, QueryOutput, SearchInput, SearchOutput, StatusInput, StatusOutput,
    SymbolLinksInput, SymbolLinksOutput,
};

use super::run::{BranchPath, input, read, target};
use crate::ApiError;
use crate::call::Call;
use crate::error::ErrorBody;
use crate::held::HeldJson;
use crate::params::Params;

/// Query entities
///
/// Returns entities by type, id, tags and source, ordered by type and id. All given filters must match.
#[utoipa::path(
    post,
    path = "/v1/kb/{workspace}/{branch}/query",
    tag = "kb",
    params(BranchPath),
    request_body(content = Option<QueryInput>, description = "Nothing stands for `{}`"),
    responses(
        (status = 200, description = "The output of `kb_query`", body = QueryOutput),
        (status = 404, description = "The branch has no KB", body = ErrorBody),
    )
)]
pub(super) async fn query(
    call: Call,
    params: Params,
    headers: HeaderMap,
    body: Bytes,
) -> Result<HeldJson, ApiError> {
    let (target, input) = (target(&call, &params), input::<QueryInput>(&call, &headers, body).await?);
    read(&call, move |engine, principal| engine.kb_query(principal, &target, &input)).await
}

/// Search a branch
///
/// Finds entities by words of their ids, titles, tags and bodies, the best first, with the reason and a snippet.
#[utoipa::path(
    post,
    path = "/v1/kb/{workspace}/{branch}/search",
    tag = "kb",
    params(BranchPath),
    request_body(content = SearchInput),
    responses(
        (status = 200, description = "The output of `kb_search`", body = SearchOutput),
        (status = 404, description = "The branch has no KB", body = ErrorBody),
    )
)]
pub(super) async fn search(
    call: Call,
    params: Params,
    headers: HeaderMap,
    body: Bytes,
) -> Result<HeldJson, ApiError> {
    let (target, input) = (target(&call, &params), input::<SearchInput>(&call, &headers, body).await?);
    read(&call, move |engine, principal| engine.kb_search(principal, &target, &input)).await
}

/// Status of a branch
///
/// The same as `GET /v1/kb/{workspace}/{branch}`, for a branch of any name.
#[utoipa::path(
    post,
    path = "/v1/kb/{workspace}/{branch}/status",
    tag = "kb",
    params(BranchPath),
    request_body(content = Option<StatusInput>, description = "Nothing stands for `{}`"),
    responses(
        (status = 200, description = "The output of `kb_status`", body = StatusOutput),
        (status = 404, description = "The branch has no KB", body = ErrorBody),
    )
)]
pub(super) async fn status(
    call: Call,
    params: Params,
    headers: HeaderMap,
    body: Bytes,
) -> Result<HeldJson, ApiError> {
    let StatusInput { request_id: _ } = input(&call, &headers, body).await?;
    let target = target(&call, &params);
    read(&call, move |engine, principal| engine.kb_status(principal, &target)).await
}

/// Find gaps
///
/// Returns entities by relationships that they lack and that they have.
#[utoipa::path(
    post,
    path = "/v1/kb/{workspace}/{branch}/find_gaps",
    tag = "kb",
    params(BranchPath),
    request_body(content = Option<FindGapsInput>, description = "Nothing stands for `{}`"),
    responses(
        (status = 200, description = "The output of `kb_find_gaps`", body = FindGapsOutput),
        (status = 404, description = "The branch has no KB", body = ErrorBody),
    )
)]
pub(super) async fn find_gaps(
    call: Call,
    params: Params,
    headers: HeaderMap,
    body: Bytes,
) -> Result<HeldJson, ApiError> {
    let (target, input) = (target(&call, &params), input::<FindGapsInput>(&call, &headers, body).await?);
    read(&call, move |engine, principal| engine.kb_find_gaps(principal, &target, &input)).await
}

/// Coverage report
///
/// Returns the coverage of requirements, symbols or types.
#[utoipa::path(
    post,
    path = "/v1/kb/{workspace}/{branch}/coverage",
    tag = "kb",
    params(BranchPath),
    request_body(content = Option<CoverageInput>, description = "Nothing stands for `{}`"),
    responses(
        (status = 200, description = "The output of `kb_coverage`", body = CoverageOutput),
        (status = 404, description = "The branch has no KB", body = ErrorBody),
    )
)]
pub(super) async fn coverage(
    call: Call,
    params: Params,
    headers: HeaderMap,
    body: Bytes,
) -> Result<HeldJson, ApiError> {
    let (target, input) = (target(&call, &params), input::<CoverageInput>(&call, &headers, body).await?);
    read(&call, move |engine, principal| engine.kb_coverage(principal, &target, &input)).await
}

/// Walk relationships
///
/// Returns entities and relationships around seeds, within bounds on depth, nodes and relationships.
#[utoipa::path(
    post,
    path = "/v1/kb/{workspace}/{branch}/graph",
    tag = "kb",
    params(BranchPath),
    request_body(content = GraphInput),
    responses(
        (status = 200, description = "The output of `kb_graph`", body = GraphOutput),
        (status = 404, description = "The branch has no KB", body = ErrorBody),
    )
)]
pub(super) async fn graph(
    call: Call,
    params: Params,
    headers: HeaderMap,
    body: Bytes,
) -> Result<HeldJson, ApiError> {
    let (target, input) = (target(&call, &params), input::<GraphInput>(&call, &headers, body).await?);
    read(&call, move |engine, principal| engine.kb_graph(principal, &target, &input)).await
}

/// Check the rules
///
/// Returns violations of the rules, each with payloads of an upsert that correct it. The first check of a branch reads all of it; later ones cost what has changed.
#[utoipa::path(
    post,
    path = "/v1/kb/{workspace}/{branch}/check",
    tag = "kb",
    params(BranchPath),
    request_body(content = Option<CheckInput>, description = "Nothing stands for `{}`"),
    responses(
        (status = 200, description = "The output of `kb_check`", body = CheckOutput),
        (status = 404, description = "The branch has no KB", body = ErrorBody),
    )
)]
pub(super) async fn check(
    call: Call,
    params: Params,
    headers: HeaderMap,
    body: Bytes,
) -> Result<HeldJson, ApiError> {
    let (target, input) = (target(&call, &params), input::<CheckInput>(&call, &headers, body).await?);
    read(&call, move |engine, principal| engine.kb_check(principal, &target, &input, &mut |_, _| {})).await
}

/// List links of symbols
///
/// Returns the symbols of source files with the requirements that they implement, and which ids of a list are
/// requirements: what the check of a commit needs, in one request.
#[utoipa::path(
    post,
    path = "/v1/kb/{workspace}/{branch}/symbol_links",
    tag = "kb",
    params(BranchPath),
    request_body(content = SymbolLinksInput),
    responses(
        (status = 200, description = "Symbols, ordered by id", body = SymbolLinksOutput),
        (status = 404, description = "The branch has no KB", body = ErrorBody),
        (status = 422, description = "A list is too long", body = ErrorBody),
    )
)]
pub(super) async fn symbol_links(
    call: Call,
    params: Params,
    headers: HeaderMap,
    body: Bytes,
) -> Result<HeldJson, ApiError> {
    let target = target(&call, &params);
    let input = input::<SymbolLinksInput>(&call, &headers, body).await?;
    read(&call, move |engine, principal| engine.kb_symbol_links(principal, &target, &input)).await
}
