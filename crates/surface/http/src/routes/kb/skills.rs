//! `/v1/kb-skills`: skills for agents that work with the KB. Apart from `/v1/kb`, so that a workspace may have any id.

use axum::Json;
use cairn_kb::SkillError;
use cairn_kb::tools::{
    SkillsListInput, SkillsListOutput, SkillsLoadInput, SkillsLoadOutput, SkillsReadInput, SkillsReadOutput,
};

use crate::ApiError;
use crate::call::Call;
use crate::error::ErrorBody;
use crate::params::Params;

/// List skills for agents
#[utoipa::path(
    get,
    path = "/v1/kb-skills",
    tag = "kb",
    responses((status = 200, description = "The skills of this version", body = SkillsListOutput))
)]
pub(super) async fn list(_call: Call) -> Json<SkillsListOutput> {
    Json(SkillsListInput::default().run())
}

/// Read a skill
#[utoipa::path(
    get,
    path = "/v1/kb-skills/{id}",
    tag = "kb",
    params(("id" = String, Path, example = "cairn-usage", description = "Id of the skill, or an alias")),
    responses(
        (status = 200, description = "The skill", body = SkillsLoadOutput),
        (status = 404, description = "There is no such skill", body = ErrorBody),
        (status = 413, description = "The id is too long", body = ErrorBody),
    )
)]
pub(super) async fn load(_call: Call, params: Params) -> Result<Json<SkillsLoadOutput>, ApiError> {
    let input = SkillsLoadInput { id: params.in_path("id").to_owned(), request_id: None };
    input.run().map(Json).map_err(refusal)
}

/// Read a resource of a skill
#[utoipa::path(
    get,
    path = "/v1/kb-skills/{id}/{resource}",
    tag = "kb",
    params(
        ("id" = String, Path, example = "cairn-usage", description = "Id of the skill, or an alias"),
        ("resource" = String, Path, example = "resources/fact-lanes.md", description = "Path that the skill declares; its slashes may be percent-encoded or not"),
    ),
    responses(
        (status = 200, description = "The resource", body = SkillsReadOutput),
        (status = 404, description = "There is no such skill, or it declares no such resource", body = ErrorBody),
        (status = 413, description = "The id or the path is too long", body = ErrorBody),
    )
)]
pub(super) async fn read(_call: Call, params: Params) -> Result<Json<SkillsReadOutput>, ApiError> {
    let input = SkillsReadInput {
        id: params.in_path("id").to_owned(),
        resource: params.in_path("resource").to_owned(),
        request_id: None,
    };
    input.run().map(Json).map_err(refusal)
}

fn refusal(error: SkillError) -> ApiError {
    ApiError::new(error.code(), error.to_string())
}
