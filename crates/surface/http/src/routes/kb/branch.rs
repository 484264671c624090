//! `/v1/kb/{workspace}/{branch}`: the KB of one branch comes, is there, and goes.

use axum::response::Response;
use cairn_engine::KbTarget;
use cairn_kb::tools::StatusOutput;
use cairn_wire::jobs::JobLine;
use cairn_wire::kb::{KbBranchDeleted, KbEnsured};

use super::DIFF;
use super::run::{BranchPath, read, target, write};
use crate::call::Call;
use crate::error::ErrorBody;
use crate::held::HeldJson;
use crate::params::Params;
use crate::{ApiError, IntoWire, long_job};

/// Status of a branch
///
/// Says how many entities and relationships it has, and when it was last written to. The status of a branch that is named
/// `diff` is `POST …/diff/status`.
#[utoipa::path(
    get,
    path = "/v1/kb/{workspace}/{branch}",
    tag = "kb",
    params(BranchPath),
    responses(
        (status = 200, description = "The output of `kb_status`", body = StatusOutput),
        (status = 404, description = "The branch has no KB", body = ErrorBody),
    )
)]
pub(super) async fn branch_status(call: Call, params: Params) -> Result<HeldJson, ApiError> {
    let target = target(&call, &params);
    read(&call, move |engine, principal| engine.kb_status(principal, &target)).await
}

/// Create the KB of a branch
///
/// Does nothing if the branch has one; `created` says so. Otherwise it becomes a copy of the branch `from`, if that has a KB,
/// and empty without. A copy appears whole, or not at all when the client goes away. The answer is a stream of lines
/// like that of maintenance.
#[utoipa::path(
    put,
    path = "/v1/kb/{workspace}/{branch}",
    tag = "kb",
    params(BranchPath, ("from" = Option<String>, Query, description = "Name of the branch to copy")),
    responses(
        (status = 200, description = "Lines of JSON until it is there", body = JobLine<KbEnsured>, content_type = "application/x-ndjson"),
        (status = 409, description = "The branch that is copied is written to too quickly", body = ErrorBody),
        (status = 503, description = "Somebody else creates or deletes it, or too many branches are being copied", body = ErrorBody),
    )
)]
pub(super) async fn ensure_branch(call: Call, params: Params) -> Result<Response, ApiError> {
    let target = target(&call, &params);
    ensure(call, &params, target).await
}

/// The same for the branch `diff`, whose address is also that of the comparison.
pub(super) async fn ensure_diff(call: Call, params: Params) -> Result<Response, ApiError> {
    let target = KbTarget { branch: DIFF.to_owned(), ..target(&call, &params) };
    ensure(call, &params, target).await
}

async fn ensure(call: Call, params: &Params, target: KbTarget) -> Result<Response, ApiError> {
    params.only(&["from"])?;
    let from = params.text("from")?.map(str::to_owned);
    long_job::run(
        &call.app,
        call.caller,
        move |engine, principal, on_stage| {
            engine.kb_ensure_branch(principal, &target, from.as_deref(), on_stage)
        },
        |outcome| Ok(outcome?.into_wire()),
    )
    .await
}

/// Delete the KB of a branch
///
/// Nothing finds it from now on. Its records are removed in pieces, the last of them perhaps after the answer.
#[utoipa::path(
    delete,
    path = "/v1/kb/{workspace}/{branch}",
    tag = "kb",
    params(BranchPath),
    responses(
        (status = 200, description = "It is gone, or was not there", body = KbBranchDeleted),
        (status = 503, description = "Somebody else creates or deletes it", body = ErrorBody),
    )
)]
pub(super) async fn delete_branch(call: Call, params: Params) -> Result<HeldJson, ApiError> {
    let target = target(&call, &params);
    delete(&call, target).await
}

/// The same for the branch `diff`.
pub(super) async fn delete_diff(call: Call, params: Params) -> Result<HeldJson, ApiError> {
    let target = KbTarget { branch: DIFF.to_owned(), ..target(&call, &params) };
    delete(&call, target).await
}

async fn delete(call: &Call, target: KbTarget) -> Result<HeldJson, ApiError> {
    write(call, move |engine, principal| {
        Ok(KbBranchDeleted { deleted: engine.kb_delete_branch(principal, &target)? })
    })
    .await
}
