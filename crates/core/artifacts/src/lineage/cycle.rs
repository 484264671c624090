//! No artifact is derived from itself.

use std::collections::BTreeSet;

use cairn_access::Scope;
use cairn_seam::{KeyRange, Reader, Visit};

use crate::tables::CHILDREN;
use crate::{Artifact, ArtifactError, PayloadError, limits, read};

/// Refuses an artifact that would close a cycle: one that an artifact names as its parent although it was not there,
/// and that is derived from it. Only an artifact that has children already can.
pub(crate) fn refuse_cycle<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    artifact: &Artifact,
) -> Result<(), ArtifactError> {
    if artifact.parents.is_empty() || !has_children(reader, scope, artifact)? {
        return Ok(());
    }
    let mut seen = BTreeSet::new();
    let mut level: Vec<_> = artifact.parents.iter().map(|(parent, _)| *parent).collect();
    while !level.is_empty() {
        if level.contains(&artifact.id) {
            return Err(PayloadError::new(
                "lineage",
                "closes a cycle: a parent is derived from this artifact",
            )
            .into());
        }
        seen.extend(level.iter().copied());
        if seen.len() > limits::CYCLE_NODES_MAX {
            let problem =
                format!("has more than {} ancestors and might close a cycle", limits::CYCLE_NODES_MAX);
            return Err(PayloadError::new("lineage", problem).into());
        }
        let wanted: Vec<_> = level.iter().map(|id| (*scope, *id)).collect();
        let above = read::find(reader, &wanted)?.into_iter().flatten().flat_map(|known| known.parents);
        let above: BTreeSet<_> =
            above.map(|(parent, _)| parent).filter(|parent| !seen.contains(parent)).collect();
        level = above.into_iter().collect();
    }
    Ok(())
}

fn has_children<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    artifact: &Artifact,
) -> Result<bool, ArtifactError> {
    let mut found = false;
    let range = KeyRange::prefix(&scope.key().fixed(artifact.id.as_bytes())).limit(1);
    reader.multi_scan(CHILDREN, &[range], &mut |_, _, _| {
        found = true;
        Visit::Stop
    })?;
    Ok(found)
}
