//! `GET /v1/kb/{workspace}/{branch}/entities/{id}`.

use cairn_kb::KbError;
use cairn_kb::tools::{EntityJson, QueryInput};

use super::run::{BranchPath, read, target};
use crate::ApiError;
use crate::call::Call;
use crate::error::ErrorBody;
use crate::held::HeldJson;
use crate::params::Params;

/// Read an entity
#[utoipa::path(
    get,
    path = "/v1/kb/{workspace}/{branch}/entities/{id}",
    tag = "kb",
    params(BranchPath, ("id" = String, Path, example = "REQ-001", description = "Id of the entity")),
    responses(
        (status = 200, description = "The entity", body = EntityJson),
        (status = 404, description = "There is no such entity, or the branch has no KB", body = ErrorBody),
    )
)]
pub(super) async fn entity(call: Call, params: Params) -> Result<HeldJson, ApiError> {
    let (target, id) = (target(&call, &params), params.in_path("id").to_owned());
    read(&call, move |engine, principal| {
        let input = QueryInput { id: Some(id.clone()), ..QueryInput::default() };
        let found = engine.kb_query(principal, &target, &input)?.entities.into_iter().next();
        Ok(found.ok_or(KbError::NoEntity(vec![id]))?)
    })
    .await
}
