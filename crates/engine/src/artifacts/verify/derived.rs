//! Entries that point to no artifact, and counts of citations.

use std::ops::Bound;

use cairn_artifacts::{
    ArtifactError, ArtifactId, DERIVED, entries_from, id_in_key, stray_entries, tables, wrong_citations,
};
use cairn_base::prefix_end;
use cairn_seam::Keyspace;

use super::{PAGE, Verifying, apply, behind};
use crate::EngineError;

/// Tenant, space and id at the beginning of a key.
const PREFIX_BYTES: usize = 24;

impl Verifying<'_, '_> {
    /// Entries of indexes and edges that no artifact has.
    pub(super) fn strays(&mut self) -> Result<(), EngineError> {
        for keyspace in DERIVED {
            let mut low = Bound::Unbounded;
            loop {
                let snapshot = self.snapshot("verifying indexes of artifacts")?;
                let Some((tenant, keys)) = entries_from(&*snapshot, keyspace, low, PAGE)? else { break };
                let scope = self.engine.artifact_scope(tenant)?;
                let strays = stray_entries(&*snapshot, &scope, keyspace, &keys)?;
                drop(snapshot);
                self.done += keys.len() as u64;
                if let Some(id) = strays.first().and_then(|_| keys.first()).and_then(|key| key.last_chunk()) {
                    let (id, count) = (ArtifactId::from_bytes(*id), strays.len());
                    let detail =
                        format!("{count} entries of {} from here on belong to no artifact", keyspace.name);
                    let checked = keys.clone();
                    let repaired = self
                        .repair(tenant, move |tx| apply(&stray_entries(tx, &scope, keyspace, &checked)?, tx));
                    self.note(tenant, id, (detail, repaired));
                }
                low = behind(keys);
            }
        }
        Ok(())
    }

    /// Counts of everything that is cited, or that has a count.
    pub(super) fn citations(&mut self) -> Result<(), EngineError> {
        self.citations_of(tables::CHILDREN)?;
        self.citations_of(tables::CITATIONS)
    }

    fn citations_of(&mut self, keyspace: Keyspace) -> Result<(), EngineError> {
        let mut low = Bound::Unbounded;
        loop {
            let snapshot = self.snapshot("verifying citations of artifacts")?;
            let Some((tenant, keys)) = entries_from(&*snapshot, keyspace, low, 1)? else { return Ok(()) };
            let Some(key) = keys.into_iter().next() else { return Ok(()) };
            self.done += 1;
            let scope = self.engine.artifact_scope(tenant)?;
            if let Some(parent) = id_in_key(&key) {
                match wrong_citations(&*snapshot, &scope, parent) {
                    // The record that does not decode was reported before.
                    Err(ArtifactError::BadRecord { .. }) => {}
                    Err(error) => return Err(error.into()),
                    Ok(wrong) if wrong.is_empty() => {}
                    Ok(wrong) => {
                        let detail = format!("{} of its counts of citations are wrong", wrong.len());
                        let repaired =
                            self.repair(tenant, move |tx| apply(&wrong_citations(tx, &scope, parent)?, tx));
                        self.note(tenant, parent, (detail, repaired));
                    }
                }
            }
            let next = key.get(..PREFIX_BYTES).and_then(prefix_end);
            let Some(next) = next else { return Ok(()) };
            low = Bound::Included(next);
        }
    }
}
