//! Erasing one artifact: `artifact:ID`. Only that its id was used stays.

use cairn_access::{Action, Principal, Resource};
use cairn_artifacts::{ArtifactError, ArtifactId, erase, erased_keys, last_homes, retire};
use cairn_base::{Position, TenantId};
use cairn_seam::Selection;

use crate::{Act, Engine, EngineError};

const PREFIX: &str = "artifact:";

impl Engine {
    /// Erases the artifact that a selector names, and returns the keys that have to go from history too.
    pub(super) fn forget_artifact(&self, selector: &str) -> Result<Option<Vec<Selection>>, EngineError> {
        let Some(id) = selector.strip_prefix(PREFIX) else { return Ok(None) };
        let wrong = |detail: String| EngineError::Selector { selector: selector.to_owned(), detail };
        let id: ArtifactId =
            id.parse().map_err(|error: cairn_artifacts::NotAnArtifactId| wrong(error.to_string()))?;
        let snapshot = self.pipeline.store().snapshot(Position::START)?;
        let node = self.artifact_scope(TenantId::NODE)?;
        // Also one that was retired: what is left of it in history may have to go still.
        let home = last_homes(&*snapshot, &node, &[id])?.pop().flatten();
        let tenant = home.ok_or_else(|| wrong("there is no such artifact".into()))?;
        let scope = self.artifact_scope(tenant)?;
        let keys = erased_keys(&*snapshot, &scope, id)?;
        drop(snapshot);
        let (owner, now_ms) = (Principal::local_owner(), self.clock().now_ms());
        let erasing =
            Act::new(Action::ArtifactDelete, Resource::tenant(tenant)).on(format!("erase artifact {id}"));
        match self.transact(&owner, erasing.deleting(), move |tx, scope| Ok(erase(tx, scope, id, now_ms)?)) {
            // Reserved, and never published.
            Ok(_) | Err(EngineError::Artifact(ArtifactError::NotFound)) => {}
            Err(error) => return Err(error),
        }
        let home = Act::new(Action::ArtifactHome, Resource::NODE).deleting();
        self.transact(&owner, home, move |tx, node| Ok(retire(tx, node, id, tenant)?))?;
        // Selections do not name the tenant in their keys.
        let selection = |(keyspace, key): (cairn_seam::Keyspace, Vec<u8>)| {
            let key_prefix = key.get(size_of::<u32>()..).unwrap_or_default().to_vec();
            Selection { tenant, keyspace: Some(keyspace.id), key_prefix }
        };
        Ok(Some(keys.into_iter().map(selection).collect()))
    }
}
