//! `/kcp/v1` and `/ipfs`: artifacts, as the Knowledge Context Protocol has them; `/v1/artifacts` for administrators.
//!
//! Errors below `/kcp/v1` and `/ipfs` have the codes and statuses of that protocol (`dialect.rs`). Reads are open to
//! anonymous callers, who see what is public.

mod artifact;
mod content;
mod delete;
mod events;
mod format;
mod health;
mod ids;
mod ipfs;
mod keys;
mod lineage;
mod lineage_text;
mod list;
mod publish;
mod shown;
mod upload;
mod verify;

pub(in crate::routes) use self::list::date_in;
use cairn_artifacts::{ArtifactError, ArtifactId};
use cairn_engine::{ArtifactQuery, EngineError};
use cairn_gate::GateError;
use cairn_seam::Sha256;
use utoipa_axum::routes;

use crate::ApiError;
use crate::params::{Params, invalid};
use crate::route::Route;
use crate::routes::Routes;

/// The routes of this folder, with their descriptors.
pub(super) fn routes() -> Routes {
    Routes::new()
        .with(Route::ARTIFACT, routes!(publish::publish))
        .with(Route::PUBLIC_SEARCH, routes!(list::list))
        .with(Route::PUBLIC_READ, routes!(artifact::artifact))
        .with(Route::WRITE, routes!(delete::delete))
        .with(Route::PUBLIC_DOWNLOAD, routes!(content::content))
        .with(Route::PUBLIC_READ, routes!(lineage::lineage))
        .with(Route::PUBLIC_READ, routes!(lineage::derivatives))
        // Clients of the first drafts call artifacts reports.
        .also_below("/kcp/v1/artifacts", "/kcp/v1/reports")
        .with(Route::PUBLIC_DOWNLOAD, routes!(content::content_by_hash))
        .with(Route::UPLOAD, routes!(upload::upload))
        .with(Route::PUBLIC_VERIFY, routes!(verify::verify))
        .with(Route::PUBLIC_READ, routes!(keys::keys))
        .with(Route::PUBLIC_READ, routes!(health::health))
        .with(Route::EVENTS, routes!(events::events))
        .with(Route::PUBLIC_DOWNLOAD, routes!(ipfs::block))
        .with(Route::READ, routes!(ids::ids))
}

/// The part `id` of the path. What cannot be an id names no artifact.
fn id_in(params: &Params) -> Result<ArtifactId, ApiError> {
    let missing = |_| GateError::from(EngineError::from(ArtifactError::NotFound));
    Ok(params.in_path("id").parse().map_err(missing)?)
}

/// The part `sha256` of the path.
fn sha256_in(params: &Params) -> Result<Sha256, ApiError> {
    let bytes = cairn_base::from_hex(params.in_path("sha256")).map(Sha256::from_bytes);
    bytes.ok_or_else(|| {
        invalid("content has the name of its SHA-256: 64 hexadecimal digits").detail("parameter", "sha256")
    })
}

/// A parameter that is a list with commas between its parts.
pub(in crate::routes) fn list_in(params: &Params, name: &str, max: usize) -> Result<Vec<String>, ApiError> {
    let text = params.text(name)?.unwrap_or_default();
    let parts: Vec<_> = text.split(',').filter(|part| !part.is_empty()).map(str::to_owned).collect();
    if parts.len() > max {
        let error = invalid(format!("{name} has at most {max} parts, this has {}", parts.len()));
        return Err(error.detail("parameter", name).detail("max", max));
    }
    Ok(parts)
}

/// A parameter that filters; empty is as if it were not there.
pub(in crate::routes) fn filter_in(params: &Params, name: &str) -> Result<Option<String>, ApiError> {
    Ok(params.text(name)?.filter(|text| !text.is_empty()).map(str::to_owned))
}

/// The parameter `q`, read once as a search query.
pub(in crate::routes) fn query_in(params: &Params) -> Result<Option<ArtifactQuery>, ApiError> {
    let query = filter_in(params, "q")?.map(|text| ArtifactQuery::parse(&text)).transpose();
    Ok(query.map_err(GateError::from)?)
}
