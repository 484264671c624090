//! `GET /v1/kb` and `GET /v1/kb/{workspace}`: branches that have a KB.

use cairn_wire::kb::KbBranches;

use super::run::read;
use crate::call::Call;
use crate::held::HeldJson;
use crate::params::Params;
use crate::{ApiError, IntoWire};

/// List the branches of all workspaces
#[utoipa::path(
    get,
    path = "/v1/kb",
    tag = "kb",
    responses((status = 200, description = "Branches, ordered by workspace and name", body = KbBranches))
)]
pub(super) async fn all_branches(call: Call) -> Result<HeldJson, ApiError> {
    listed(&call, None).await
}

/// List the branches of a workspace
#[utoipa::path(
    get,
    path = "/v1/kb/{workspace}",
    tag = "kb",
    params(("workspace" = String, Path, example = "shop", description = "Id of the workspace")),
    responses((status = 200, description = "Branches, ordered by name; none of a workspace that is unknown", body = KbBranches))
)]
pub(super) async fn branches(call: Call, params: Params) -> Result<HeldJson, ApiError> {
    listed(&call, Some(params.in_path("workspace").to_owned())).await
}

async fn listed(call: &Call, workspace: Option<String>) -> Result<HeldJson, ApiError> {
    read(call, move |engine, principal| {
        let branches = engine.kb_branches(principal, principal.tenant(), workspace.as_deref())?;
        Ok(branches.into_wire())
    })
    .await
}
