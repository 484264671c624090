//! The lineage of an artifact.

use std::collections::HashMap;

use cairn_access::{Action, Principal};
use cairn_artifacts::{ArtifactId, Lineage, LineageRequest, NodeState, Payload, lineage, load_payload};
use cairn_base::Position;

use super::seen::SeenBy;
use crate::{Engine, EngineError};

impl Engine {
    /// Walks the lineage of an artifact; returns it with what each readable artifact says.
    pub fn artifact_lineage(
        &self,
        principal: &Principal,
        request: LineageRequest,
    ) -> Result<(Lineage, HashMap<ArtifactId, Payload>), EngineError> {
        self.pipeline.read_each(principal, Action::ArtifactRead, Position::START, |snapshot, each| {
            let mut seen = SeenBy { engine: self, snapshot, each, principal };
            seen.live(request.start)?;
            let found = lineage(&mut seen, request)?;
            let mut payloads = HashMap::with_capacity(found.nodes.len());
            for node in &found.nodes {
                if let NodeState::Readable(found) = &node.state {
                    let scope = seen.scope_of(found.tenant)?;
                    payloads.insert(node.id, load_payload(snapshot, &scope, &found.artifact)?.1);
                }
            }
            Ok((found, payloads))
        })
    }
}
