//! `/v1/kb`: the requirements KB, one address per workspace and branch. Inputs and outputs of its tools are those of
//! `cairn_kb::tools`.
//!
//! The name of a branch is one percent-encoded segment. The last segments of tools are static, so a branch may have any
//! name; only `GET /v1/kb/{workspace}/diff` compares branches, and the status of a branch that is named `diff` is
//! its tool `status`.

mod branch;
mod branches;
mod diff;
mod entity;
mod model;
mod export;
mod read;
mod results;
mod run;
mod skills;
mod sparql;
mod sync;
mod trace;
mod wire;
mod write;

use axum::routing;
use utoipa_axum::routes;

use crate::route::Route;
use crate::routes::Routes;

/// The last segment of a comparison. Other methods at this address are those of the branch with this name.
const DIFF: &str = "diff";

/// The routes of this folder, with their descriptors.
pub(super) fn routes() -> Routes {
    Routes::new()
        .with(Route::READ, routes!(branches::all_branches))
        .with(Route::READ, routes!(branches::branches))
        .with(Route::READ, routes!(branch::branch_status))
        .with(Route::JOB, routes!(branch::ensure_branch))
        .with(Route::WRITE, routes!(branch::delete_branch))
        .with(Route::READ, routes!(diff::diff))
        .with_undescribed(Route::JOB, "/v1/kb/{workspace}/diff", routing::put(branch::ensure_diff))
        .with_undescribed(Route::WRITE, "/v1/kb/{workspace}/diff", routing::delete(branch::delete_diff))
        .with(Route::READ, routes!(entity::entity))
        .with(Route::READ, routes!(read::query))
        .with(Route::SEARCH, routes!(read::search))
        .with(Route::READ, routes!(read::status))
        .with(Route::READ, routes!(read::find_gaps))
        .with(Route::READ, routes!(read::coverage))
        .with(Route::READ, routes!(read::graph))
        .with(Route::READ, routes!(read::check))
        .with(Route::READ, routes!(model::model_requirement))
        .with(Route::READ, routes!(model::suggest_predicates))
        .with(Route::READ, routes!(model::semantic_advisor))
        .with(Route::READ, routes!(export::export))
        .with(Route::READ, routes!(trace::matrix))
        .with(Route::ENTITY_READ, routes!(trace::impact))
        .with(Route::READ, routes!(trace::suspect))
        .with(Route::ENTITY, routes!(write::upsert))
        .with(Route::ENTITY_READ, routes!(write::validate_upsert))
        .with(Route::WRITE, routes!(write::delete))
        .with(Route::WRITE, routes!(write::accept))
        .with(Route::RESULTS, routes!(results::results))
        .with(Route::READ, routes!(sync::files))
        .with(Route::IMPORT, routes!(sync::sync))
        .with(Route::SEARCH, routes!(sparql::sparql))
        .with(Route::READ, routes!(skills::list))
        .with(Route::READ, routes!(skills::load))
        .with_path(Route::READ, "/v1/kb-skills/{id}/{*resource}", routes!(skills::read))
}
