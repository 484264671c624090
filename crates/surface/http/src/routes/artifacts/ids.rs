//! `GET /v1/artifacts/ids`: all artifacts of a tenant, for its administrators.

use axum::Json;
use cairn_artifacts::ArtifactId;
use cairn_engine::{ArtifactIds, limits as engine_limits};
use cairn_wire::artifacts::Ids;

use super::filter_in;
use crate::ApiError;
use crate::call::Call;
use crate::params::{Params, invalid, number};

/// List the ids of all artifacts
///
/// For administrators of the tenant: in the order in which the artifacts arrived, private and deleted ones included.
/// Administrators see ids, and nothing else that is not shared with them.
#[utoipa::path(
    get,
    path = "/v1/artifacts/ids",
    tag = "artifacts",
    params(
        ("cursor" = Option<String>, Query, description = "The `next_cursor` of the page before"),
        ("limit" = Option<u64>, Query, description = "1 to 500; defaults to 500"),
    ),
    responses((status = 200, description = "The ids", body = Ids))
)]
pub(super) async fn ids(call: Call, params: Params) -> Result<Json<Ids>, ApiError> {
    params.only(&["cursor", "limit"])?;
    let after = filter_in(&params, "cursor")?.map(|cursor| cursor_of(&cursor)).transpose()?;
    let max = engine_limits::ARTIFACTS_PAGE_MAX as u64;
    let limit = params.limit(max, max)?;
    let page =
        call.read(move |engine, principal| engine.artifact_ids(principal, principal.tenant(), after, limit));
    let ArtifactIds { ids, next } = page.await?;
    Ok(Json(Ids {
        ids: ids.iter().map(ArtifactId::to_string).collect(),
        next_cursor: next.map(|(arrived_ms, id)| format!("{arrived_ms}.{id}")),
    }))
}

fn cursor_of(text: &str) -> Result<(u64, ArtifactId), ApiError> {
    let parts = text.split_once('.');
    let read = parts.and_then(|(ms, id)| Some((number("cursor", ms).ok()?, id.parse().ok()?)));
    read.ok_or_else(|| {
        invalid("invalid cursor; omit `cursor` to start from the beginning").detail("parameter", "cursor")
    })
}
