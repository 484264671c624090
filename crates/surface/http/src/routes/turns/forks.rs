//! `/v1/contexts/{id}/tree`: what a context was forked from, and what was forked from it.

use axum::Json;
use cairn_base::{ContextId, limits};
use cairn_turns::{Context, ForkParent, Turn};
use serde::Serialize;
use utoipa::ToSchema;

use super::context::ContextObject;
use crate::ApiError;
use crate::call::Call;
use crate::error::ErrorBody;
use crate::params::Params;

/// A context among those it was forked from and those forked from it.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ForkTree {
    /// The context.
    context: ContextObject,
    /// What it was forked from; null if it began empty.
    parent: Option<ParentObject>,
    /// What it was forked from, what that was forked from, and so on; at most 100.
    parents: Vec<ParentObject>,
    /// What was forked from turns that were appended to it, the newest first.
    forks: Vec<ForkObject>,
    /// What to pass as `before` for the next page of forks; null if this is the last.
    next_before: Option<String>,
}

/// Where a fork starts.
#[derive(Debug, Clone, Serialize, ToSchema)]
struct ParentObject {
    /// The context that the turn was appended to.
    #[schema(example = "1")]
    context_id: String,
    /// The turn at which the fork starts.
    #[schema(example = "42")]
    base_turn_id: String,
    /// The depth of that turn.
    depth: u32,
}

/// A fork.
#[derive(Debug, Serialize, ToSchema)]
struct ForkObject {
    /// Its number.
    #[schema(example = "2")]
    context_id: String,
    /// The turn at which it starts.
    #[schema(example = "42")]
    base_turn_id: String,
    /// The depth of that turn; null if it is gone.
    base_depth: Option<u32>,
    /// Its newest turn.
    #[schema(example = "57")]
    head_turn_id: String,
    /// How many turns are before its newest one.
    head_depth: u32,
}

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
    let (context, said, parents, mut forks) = call
        .read(move |engine, principal| {
            engine.read(
                principal,
                crate::call::reading(principal),
                cairn_base::Position::START,
                |snapshot, scope| {
                    let context = cairn_turns::head(snapshot, scope, id)?;
                    let said = cairn_turns::metadata(snapshot, scope, &[id])?;
                    let parents = cairn_turns::parents(snapshot, scope, &context, limits::FORK_PARENTS_MAX)?;
                    // One more than wanted says whether there is another page.
                    let forks = cairn_turns::forks(snapshot, scope, id, before, limit + 1)?;
                    Ok((context, said, parents, forks))
                },
            )
        })
        .await?;
    let has_more = forks.len() > limit;
    forks.truncate(limit);
    let oldest = forks.last().filter(|_| has_more);
    let parents: Vec<_> = parents.iter().map(parent_to_wire).collect();
    let said = said.into_iter().next().unwrap_or_default();
    Ok(Json(ForkTree {
        context: ContextObject::to_wire(&context, &said, &call.presence()?),
        parent: parents.first().cloned(),
        parents,
        next_before: oldest.map(|(fork, _)| fork.id.to_string()),
        forks: forks.iter().map(fork_to_wire).collect(),
    }))
}

fn parent_to_wire(parent: &ForkParent) -> ParentObject {
    ParentObject {
        context_id: parent.context.to_string(),
        base_turn_id: parent.base.id.to_string(),
        depth: parent.base.depth,
    }
}

fn fork_to_wire((fork, base): &(Context, Option<Turn>)) -> ForkObject {
    ForkObject {
        context_id: fork.id.to_string(),
        base_turn_id: fork.base.to_string(),
        base_depth: base.map(|base| base.depth),
        head_turn_id: fork.head.to_string(),
        head_depth: fork.head_depth,
    }
}
