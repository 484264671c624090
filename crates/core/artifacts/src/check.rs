//! Whether the indexes and edges of an artifact are what its record says.

use cairn_access::Scope;
use cairn_seam::{Read, Reader, WriteTx};

use crate::publish::{edge, index_keys};
use crate::tables::CHILDREN;
use crate::{Artifact, ArtifactError, ArtifactId, PayloadAt, read};

/// What is missing of an artifact.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CheckedEdges {
    /// Index entries and lineage edges that are not there.
    pub missing: usize,
}

/// Compares the index entries and lineage edges of an artifact with its record.
pub fn check_edges<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    artifact: &Artifact,
) -> Result<CheckedEdges, ArtifactError> {
    if artifact.payload == PayloadAt::Erased {
        return Ok(CheckedEdges::default());
    }
    let keys: Vec<_> = keys(scope, artifact);
    let reads: Vec<_> = keys.iter().map(|(keyspace, key)| Read::Key(*keyspace, key)).collect();
    let mut missing = 0;
    reader.multi_read(&reads, &mut |_, value| missing += usize::from(value.is_none()))?;
    Ok(CheckedEdges { missing })
}

/// Writes the index entries and lineage edges of an artifact again.
pub fn rebuild_edges(tx: &mut dyn WriteTx, scope: &Scope, id: ArtifactId) -> Result<(), ArtifactError> {
    let Some(artifact) = read::artifact(tx, scope, id)? else { return Ok(()) };
    for (keyspace, key) in index_keys(scope, &artifact) {
        tx.put(keyspace, &key, &[])?;
    }
    for (parent, attested) in &artifact.parents {
        tx.put(CHILDREN, &edge(scope, parent, &artifact), &[u8::from(*attested)])?;
    }
    Ok(())
}

fn keys(scope: &Scope, artifact: &Artifact) -> Vec<(cairn_seam::Keyspace, cairn_base::KeyBuf)> {
    let mut keys = index_keys(scope, artifact);
    keys.extend(artifact.parents.iter().map(|(parent, _)| (CHILDREN, edge(scope, parent, artifact))));
    keys
}
