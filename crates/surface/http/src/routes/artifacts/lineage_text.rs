//! Lineages in the formats of others.

use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use cairn_artifacts::dot::dot;
use cairn_artifacts::mermaid::mermaid;
use cairn_artifacts::openlineage::run_events;
use cairn_artifacts::prov::prov_json;
use cairn_artifacts::view::{KnownNode, LineageNode, Parent};
use cairn_artifacts::{Artifact, NodeState, Payload};
use cairn_base::Hex;

use super::lineage::Walked;

/// The form of a response.
#[derive(Debug, Clone, Copy)]
pub(super) enum Form {
    /// JSON of this API.
    Json,
    /// The format of others.
    Text(Text),
}

/// A format of others.
#[derive(Debug, Clone, Copy)]
pub(super) struct Text {
    media_type: &'static str,
    write: fn(&[LineageNode]) -> String,
}

/// Values of the parameter `format`; the first is the default.
pub(super) const FORMS: [(&str, Form); 5] = [
    ("json", Form::Json),
    ("prov", Form::Text(Text { media_type: "application/json", write: prov_json })),
    ("openlineage", Form::Text(Text { media_type: "application/x-ndjson", write: run_event_lines })),
    ("dot", Form::Text(Text { media_type: "text/vnd.graphviz; charset=utf-8", write: dot })),
    ("mermaid", Form::Text(Text { media_type: "text/vnd.mermaid; charset=utf-8", write: mermaid })),
];

fn run_event_lines(nodes: &[LineageNode]) -> String {
    run_events(nodes).into_iter().map(|event| event + "\n").collect()
}

impl Text {
    /// Writes a lineage.
    pub(super) fn write(self, (lineage, payloads): &Walked) -> Response {
        let nodes: Vec<_> = lineage
            .nodes
            .iter()
            .map(|node| {
                let id = node.id.to_string();
                match (&node.state, payloads.get(&node.id)) {
                    (NodeState::Readable(found), Some(payload)) => known(id, &found.artifact, payload),
                    (NodeState::Redacted, _) => LineageNode::Redacted { id },
                    (NodeState::Readable(_) | NodeState::Missing, _) => LineageNode::Missing { id },
                }
            })
            .collect();
        ([(CONTENT_TYPE, self.media_type)], (self.write)(&nodes)).into_response()
    }
}

fn known(id: String, artifact: &Artifact, payload: &Payload) -> LineageNode {
    let parents = artifact.parents.iter();
    LineageNode::Known(Box::new(KnownNode {
        id,
        title: payload.title.clone(),
        format: payload.format.clone(),
        content_sha256: format!("{:?}", artifact.sha256),
        user_id: payload.user_id.clone(),
        tenant_id: payload.tenant_id.clone(),
        timestamp: payload.timestamp.clone(),
        signature: artifact.signature.to_string(),
        public_key: Hex(&artifact.public_key).to_string(),
        agent: payload.provenance.agent.clone(),
        source: payload.source.clone(),
        query: payload.provenance.query.clone(),
        data_sources: payload.provenance.data_sources.clone(),
        parents: parents.map(|(id, attested)| Parent { id: id.to_string(), attested: *attested }).collect(),
    }))
}
