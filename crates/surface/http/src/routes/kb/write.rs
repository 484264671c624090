//! Tools that write, and the dry run of one: `POST /v1/kb/{workspace}/{branch}/TOOL`.

use axum::body::Bytes;
use axum::http::HeaderMap;
use cairn_kb::tools::{
    AcceptInput, AcceptOutput, DeleteInput, DeleteOutput, UpsertInput, UpsertOutput, ValidateUpsertInput,
    ValidateUpsertOutput,
};

use super::run::{BranchPath, input, read, target, write as run_write};
use crate::ApiError;
use crate::call::Call;
use crate::error::ErrorBody;
use crate::held::HeldJson;
use crate::params::Params;

/// Create or update an entity
///
/// Stores one entity and relationships that start at it, or nothing. Properties that are not sent stay. An upsert that
/// would create a contradiction is refused with the requirements that conflict. The server reads no files, so that a
/// symbol that is linked as a whole file is a warning.
#[utoipa::path(
    post,
    path = "/v1/kb/{workspace}/{branch}/upsert",
    tag = "kb",
    params(BranchPath),
    request_body(content = UpsertInput, description = "At most 4 MiB"),
    responses(
        (status = 200, description = "The output of `kb_upsert`", body = UpsertOutput),
        (status = 404, description = "The branch has no KB", body = ErrorBody),
        (status = 409, description = "It would create a contradiction; `details.conflicts` explains it", body = ErrorBody),
        (status = 422, description = "The entity or a relationship is invalid; `details.fields` names what is wrong", body = ErrorBody),
        (status = 503, description = "Other writes of the branch take too long", body = ErrorBody),
    )
)]
pub(super) async fn upsert(
    call: Call,
    params: Params,
    headers: HeaderMap,
    body: Bytes,
) -> Result<HeldJson, ApiError> {
    let (target, input) = (target(&call, &params), input::<UpsertInput>(&call, &headers, body).await?);
    run_write(&call, move |engine, principal| engine.kb_upsert(principal, &target, &input, None)).await
}

/// Check an upsert without storing it
///
/// Takes what an upsert takes. Everything that is wrong with the entity is in the response, which has status 200.
#[utoipa::path(
    post,
    path = "/v1/kb/{workspace}/{branch}/validate_upsert",
    tag = "kb",
    params(BranchPath),
    request_body(content = UpsertInput, description = "At most 4 MiB"),
    responses(
        (status = 200, description = "The output of `kb_validate_upsert`", body = ValidateUpsertOutput),
        (status = 404, description = "The branch has no KB", body = ErrorBody),
        (status = 503, description = "Writes of the branch take too long", body = ErrorBody),
    )
)]
pub(super) async fn validate_upsert(
    call: Call,
    params: Params,
    headers: HeaderMap,
    body: Bytes,
) -> Result<HeldJson, ApiError> {
    let target = target(&call, &params);
    let input = input::<ValidateUpsertInput>(&call, &headers, body).await?;
    read(&call, move |engine, principal| engine.kb_validate_upsert(principal, &target, &input, None)).await
}

/// Delete entities
///
/// Deletes entities and the relationships that start at them, all or none. Entities that others refer to stay; their
/// dependents are in `details.dependents`.
#[utoipa::path(
    post,
    path = "/v1/kb/{workspace}/{branch}/delete",
    tag = "kb",
    params(BranchPath),
    request_body = DeleteInput,
    responses(
        (status = 200, description = "The output of `kb_delete`", body = DeleteOutput),
        (status = 404, description = "The branch has no KB", body = ErrorBody),
        (status = 409, description = "Other entities refer to one of them", body = ErrorBody),
        (status = 503, description = "Other writes of the branch take too long", body = ErrorBody),
    )
)]
pub(super) async fn delete(
    call: Call,
    params: Params,
    headers: HeaderMap,
    body: Bytes,
) -> Result<HeldJson, ApiError> {
    let (target, input) = (target(&call, &params), input::<DeleteInput>(&call, &headers, body).await?);
    run_write(&call, move |engine, principal| engine.kb_delete(principal, &target, &input)).await
}

/// Accept suspect links
///
/// Takes the present contents of the ends of suspect links as those that the links were made with. One call accepts at
/// most 10,000 links.
#[utoipa::path(
    post,
    path = "/v1/kb/{workspace}/{branch}/accept",
    tag = "kb",
    params(BranchPath),
    request_body(content = AcceptInput),
    responses(
        (status = 200, description = "The output of `kb_accept`", body = AcceptOutput),
        (status = 404, description = "The branch has no KB, or there is no such entity", body = ErrorBody),
    )
)]
pub(super) async fn accept(
    call: Call,
    params: Params,
    headers: HeaderMap,
    body: Bytes,
) -> Result<HeldJson, ApiError> {
    let (target, input) = (target(&call, &params), input::<AcceptInput>(&call, &headers, body).await?);
    run_write(&call, move |engine, principal| engine.kb_accept(principal, &target, &input)).await
}
