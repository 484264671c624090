//! `/v1/contexts/{id}/tree`: what a context was forked from, and what was forked from it.

use axum::Json;
use cairn_base::ContextId;
use cairn_turns::{Context, ForkParent, Turn};
use cairn_wire::contexts::{ForkObject, ForkTree, ParentObject};

use super::context;
use crate::call::Call;
use crate::error::ErrorBody;
use crate::params::Params;
use crate::{ApiError, limits};

/// Forks around a context
#[utoipa::path(
    get,
    path = "/v1/contexts/{id}/tree",
    tag = "turns",
    params(
        ("id" = String, Path, pattern = "^[0-9]{1,20}$", example = "1", description = "The context's number"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 1000, description = "How many forks at the most; 20 if not said"),
        ("before" = Option<String>, Query, description = "Only forks that were made before this one"),
    ),
    responses(
        (status = 200, description = "What it was forked from, and its forks", body = ForkTree),
        (status = 404, description = "There is no such context", body = ErrorBody),
        (status = 422, description = "A parameter makes no sense", body = ErrorBody),
    )
)]
pub(super) async fn tree(call: Call, params: Params) -> Result<Json<ForkTree>, ApiError> {
    let id = params.context_id()?;
    let limit = params.limit(limits::HTTP_CONTEXTS_PAGE_DEFAULT, limits::HTTP_CONTEXTS_PAGE_MAX)?;
    let before = params.number("before")?.map(ContextId);
    let found = call
        .read(move |engine, principal| engine.context_forks(principal, principal.tenant(), id, before, limit))
        .await?;
    let parents: Vec<_> = found.parents.iter().map(parent_to_wire).collect();
    Ok(Json(ForkTree {
        context: context::to_wire(&found.of),
        parent: parents.first().cloned(),
        parents,
        next_before: found.next_before,
        forks: found.forks.iter().map(fork_to_wire).collect(),
    }))
}

fn parent_to_wire(parent: &ForkParent) -> ParentObject {
    ParentObject { context_id: parent.context, base_turn_id: parent.base.id, depth: parent.base.depth }
}

fn fork_to_wire((fork, base): &(Context, Option<Turn>)) -> ForkObject {
    ForkObject {
        context_id: fork.id,
        base_turn_id: fork.base,
        base_depth: base.map(|base| base.depth),
        head_turn_id: fork.head,
        head_depth: fork.head_depth,
    }
}
