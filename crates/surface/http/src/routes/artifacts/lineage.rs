//! `GET /kcp/v1/artifacts/{id}/lineage` and `/derivatives`.

use std::collections::HashMap;

use axum::Json;
use axum::response::{IntoResponse, Response};
use cairn_artifacts::limits::{
    LINEAGE_DEPTH_DEFAULT, LINEAGE_DEPTH_MAX, LINEAGE_NODES_DEFAULT, LINEAGE_NODES_MAX,
};
use cairn_artifacts::{ArtifactId, Direction, Lineage, LineageNode, LineageRequest, NodeState, Payload};
use cairn_wire::artifacts::{self as wire, Derivatives, LineageEdge, LineageItem};

use super::id_in;
use super::lineage_text::{self, Form};
use crate::ApiError;
use crate::call::Call;
use crate::error::ErrorBody;
use crate::params::{Params, invalid};

/// A lineage, and what each readable artifact of it says.
pub(super) type Walked = (Lineage, HashMap<ArtifactId, Payload>);

/// The lineage of an artifact
///
/// What it was derived from and what was derived from it, each after everything that it was derived from. Artifacts that
/// the caller may not read are `redacted`, those that are not here are `missing`.
#[utoipa::path(
    get,
    path = "/kcp/v1/artifacts/{id}/lineage",
    tag = "artifacts",
    params(
        ("id" = String, Path, example = "550e8400-e29b-41d4-a716-446655440000", description = "The id of the artifact"),
        ("depth" = Option<u64>, Query, description = "Levels in each direction, 0 to 1000; defaults to 10"),
        ("direction" = Option<String>, Query, pattern = "^(up|down|both)$", description = "`up` to ancestors, `down` to descendants; defaults to `both`"),
        ("limit" = Option<u64>, Query, description = "Artifacts at most, 1 to 10,000; defaults to 500"),
        ("format" = Option<String>, Query, pattern = "^(json|prov|openlineage|dot|mermaid)$", description = "`prov` (PROV-JSON), `openlineage` (run events, one a line), `dot` (Graphviz) or `mermaid`; defaults to `json`"),
    ),
    responses(
        (status = 200, description = "The lineage", body = wire::Lineage),
        (status = 403, description = "The artifact is of the caller's tenant, and not shared with the caller", body = ErrorBody),
        (status = 404, description = "No such artifact", body = ErrorBody),
    )
)]
pub(super) async fn lineage(call: Call, params: Params) -> Result<Response, ApiError> {
    params.only(&["depth", "direction", "limit", "format"])?;
    let form = params.choice("format", &lineage_text::FORMS)?;
    let request = LineageRequest {
        start: id_in(&params)?,
        direction: params.choice(
            "direction",
            &[("both", Direction::Both), ("up", Direction::Up), ("down", Direction::Down)],
        )?,
        depth: depth_in(&params)?,
        limit: params.limit(LINEAGE_NODES_DEFAULT as u64, LINEAGE_NODES_MAX as u64)?,
    };
    call.read(move |engine, principal| {
        let walked = engine.artifact_lineage(principal, request)?;
        Ok(match form {
            Form::Json => Json(to_wire(request.start, &walked)).into_response(),
            Form::Text(text) => text.write(&walked),
        })
    })
    .await
}

/// Artifacts that are derived from one
#[utoipa::path(
    get,
    path = "/kcp/v1/artifacts/{id}/derivatives",
    tag = "artifacts",
    params(
        ("id" = String, Path, example = "550e8400-e29b-41d4-a716-446655440000", description = "The id of the artifact"),
        ("limit" = Option<u64>, Query, description = "Artifacts at most, 1 to 9,999; defaults to 500"),
    ),
    responses(
        (status = 200, description = "Its children", body = Derivatives),
        (status = 403, description = "The artifact is of the caller's tenant, and not shared with the caller", body = ErrorBody),
        (status = 404, description = "No such artifact", body = ErrorBody),
    )
)]
pub(super) async fn derivatives(call: Call, params: Params) -> Result<Json<Derivatives>, ApiError> {
    params.only(&["limit"])?;
    let start = id_in(&params)?;
    let limit = params.limit(LINEAGE_NODES_DEFAULT as u64, LINEAGE_NODES_MAX as u64 - 1)?;
    // The artifact itself is one of the nodes.
    let request = LineageRequest { start, direction: Direction::Down, depth: 1, limit: limit + 1 };
    let walked = call.read(move |engine, principal| engine.artifact_lineage(principal, request)).await?;
    let (lineage, payloads) = &walked;
    let children = lineage.nodes.iter().filter(|node| node.id != start);
    Ok(Json(Derivatives {
        artifact_id: start.to_string(),
        derivatives: children.map(|node| item(node, payloads)).collect(),
        // Children of children are beyond the one level that was asked for.
        truncated: lineage.descendants.len() >= limit && lineage.is_truncated,
    }))
}

fn depth_in(params: &Params) -> Result<usize, ApiError> {
    let depth = params.number("depth")?.unwrap_or(LINEAGE_DEPTH_DEFAULT as u64);
    usize::try_from(depth).ok().filter(|depth| *depth <= LINEAGE_DEPTH_MAX).ok_or_else(|| {
        invalid(format!("depth is {depth}, and must be at most {LINEAGE_DEPTH_MAX}"))
            .detail("parameter", "depth")
            .detail("max", LINEAGE_DEPTH_MAX)
    })
}

fn to_wire(start: ArtifactId, (lineage, payloads): &Walked) -> wire::Lineage {
    let ids = |ids: &[ArtifactId]| ids.iter().map(ArtifactId::to_string).collect();
    let edges = lineage.edges.iter().map(|edge| LineageEdge {
        from: edge.from.to_string(),
        to: edge.to.to_string(),
        attested: edge.attested,
    });
    wire::Lineage {
        artifact_id: start.to_string(),
        lineage: lineage.nodes.iter().map(|node| item(node, payloads)).collect(),
        ancestors: ids(&lineage.ancestors),
        descendants: ids(&lineage.descendants),
        edges: edges.collect(),
        truncated: lineage.is_truncated,
        left_out: lineage.left_out as u64,
    }
}

fn item(node: &LineageNode, payloads: &HashMap<ArtifactId, Payload>) -> LineageItem {
    let id = node.id.to_string();
    match &node.state {
        NodeState::Redacted => LineageItem { id, redacted: true, ..LineageItem::default() },
        NodeState::Missing => LineageItem { id, missing: true, ..LineageItem::default() },
        NodeState::Readable(found) => {
            let payload = payloads.get(&node.id);
            LineageItem {
                id,
                title: payload.map(|payload| payload.title.clone()),
                author: payload.map(|payload| payload.user_id.clone()),
                tenant_id: payload.map(|payload| payload.tenant_id.clone()),
                created_at: payload.map(|payload| payload.timestamp.clone()),
                format: payload.map(|payload| payload.format.clone()),
                derived_from: found.artifact.parents.first().map(|(parent, _)| parent.to_string()),
                deleted: !found.artifact.is_live(),
                redacted: false,
                missing: false,
            }
        }
    }
}
