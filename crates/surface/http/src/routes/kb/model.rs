//! Tools that turn prose into payloads of upserts: `POST /v1/kb/{workspace}/{branch}/TOOL`. They store nothing.

use axum::body::Bytes;
use axum::http::HeaderMap;
use cairn_kb::tools::{
    ModelRequirementInput, ModelRequirementOutput, SemanticAdvisorInput, SemanticAdvisorOutput,
    SuggestPredicatesInput, SuggestPredicatesOutput,
};

use super::run::{BranchPath, input, read, target};
use crate::ApiError;
use crate::call::Call;
use crate::error::ErrorBody;
use crate::held::HeldJson;
use crate::params::Params;

/// Model a requirement
///
/// Turns a normative statement, or a claim about it, into payloads of upserts that make it checkable. The same claim gives
/// the same ids. Nothing is stored.
#[utoipa::path(
    post,
    path = "/v1/kb/{workspace}/{branch}/model_requirement",
    tag = "kb",
    params(BranchPath),
    request_body(content = ModelRequirementInput),
    responses(
        (status = 200, description = "The output of `kb_model_requirement`", body = ModelRequirementOutput),
        (status = 404, description = "The branch has no KB", body = ErrorBody),
        (status = 422, description = "The statement is blank, or the claim is incomplete", body = ErrorBody),
    )
)]
pub(super) async fn model_requirement(
    call: Call,
    params: Params,
    headers: HeaderMap,
    body: Bytes,
) -> Result<HeldJson, ApiError> {
    let target = target(&call, &params);
    let input = input::<ModelRequirementInput>(&call, &headers, body).await?;
    read(&call, move |engine, principal| engine.kb_model_requirement(principal, &target, &input)).await
}

/// Suggest predicates
///
/// Ranks the built-in predicates and the predicate schemas of the branch for a text, the best first, with a payload of an
/// upsert for the first one. Where none fits, the payload is an observation of the gap. Nothing is stored.
#[utoipa::path(
    post,
    path = "/v1/kb/{workspace}/{branch}/suggest_predicates",
    tag = "kb",
    params(BranchPath),
    request_body(content = SuggestPredicatesInput),
    responses(
        (status = 200, description = "The output of `kb_suggest_predicates`", body = SuggestPredicatesOutput),
        (status = 404, description = "The branch has no KB", body = ErrorBody),
        (status = 422, description = "The text is blank or too long", body = ErrorBody),
    )
)]
pub(super) async fn suggest_predicates(
    call: Call,
    params: Params,
    headers: HeaderMap,
    body: Bytes,
) -> Result<HeldJson, ApiError> {
    let target = target(&call, &params);
    let input = input::<SuggestPredicatesInput>(&call, &headers, body).await?;
    read(&call, move |engine, principal| engine.kb_suggest_predicates(principal, &target, &input)).await
}

/// Analyse the prose of a requirement
///
/// Returns a receipt: cues, ambiguities, and drafts of facts for each claim of the text. Nothing is stored.
#[utoipa::path(
    post,
    path = "/v1/kb/{workspace}/{branch}/semantic_advisor",
    tag = "kb",
    params(BranchPath),
    request_body(content = SemanticAdvisorInput),
    responses(
        (status = 200, description = "The output of `kb_semantic_advisor`", body = SemanticAdvisorOutput),
        (status = 404, description = "The branch has no KB", body = ErrorBody),
        (status = 422, description = "The text is blank or too long", body = ErrorBody),
    )
)]
pub(super) async fn semantic_advisor(
    call: Call,
    params: Params,
    headers: HeaderMap,
    body: Bytes,
) -> Result<HeldJson, ApiError> {
    let target = target(&call, &params);
    let input = input::<SemanticAdvisorInput>(&call, &headers, body).await?;
    read(&call, move |engine, principal| engine.kb_semantic_advisor(principal, &target, &input)).await
}
