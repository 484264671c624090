//! `GET /kcp/v1/health`.

use axum::Json;
use cairn_engine::{ArtifactQuestion, EngineError, SearchCode};
use cairn_wire::artifacts::Health;

use crate::ApiError;
use crate::call::Call;
use crate::params::Params;

/// The version of the protocol that this node implements.
const KCP_VERSION: &str = "0.2.0";
const PROTOCOL: &str = "KCP/1";

/// The state of this node, for its peers
#[utoipa::path(
    get,
    path = "/kcp/v1/health",
    tag = "artifacts",
    responses((status = 200, description = "It is up", body = Health))
)]
pub(super) async fn health(call: Call, params: Params) -> Result<Json<Health>, ApiError> {
    params.only(&[])?;
    let (node_id, artifacts) = call
        .read(|engine, principal| {
            let question = ArtifactQuestion { limit: 1, ..ArtifactQuestion::default() };
            let artifacts = match engine.artifact_list(principal, &question) {
                Ok(list) => list.total,
                Err(error) if is_without_search(&error) => 0,
                Err(error) => return Err(error),
            };
            Ok((engine.signing_key(), artifacts))
        })
        .await?;
    Ok(Json(Health {
        status: "ok".to_owned(),
        node_id: node_id.map(|key| key.to_string()),
        artifacts,
        peers: 0,
        kcp_version: KCP_VERSION.to_owned(),
        protocol: PROTOCOL.to_owned(),
    }))
}

/// A node without a search index is up, and counts nothing.
fn is_without_search(error: &EngineError) -> bool {
    matches!(error, EngineError::SearchOff) || error.code() == SearchCode::SearchNotReady
}
