//! Publishing: the record, its indexes, its lineage edges and the event, in one transaction.

use cairn_access::Scope;
use cairn_base::KeyBuf;
use cairn_seam::{Blob, StoreError, WriteTx};

use crate::event::event;
use crate::lineage::refuse_cycle;
use crate::reserve::name_hash;
use crate::tables::{
    ARRIVALS, ARTIFACT_PUBLISHED, ARTIFACTS, AUTHORS, CHILDREN, CONTENT_BLOBS, CONTENTS, QUARANTINE,
};
use crate::{Artifact, ArtifactError, audience, read, record};

/// An artifact that is ready to be stored, with the blobs that it needs.
#[derive(Debug, Clone)]
pub struct Publish {
    /// The artifact.
    pub artifact: Artifact,
    /// Its content, if it came with it; content that was uploaded before is renewed.
    pub content: Option<Blob>,
    /// Its payload, if it is too long for the record.
    pub payload: Option<Blob>,
}

/// The outcome of a publish.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Published {
    /// The stored artifact.
    pub artifact: Artifact,
    /// Whether it was stored just now, and not by an earlier request with the same bytes.
    pub is_new: bool,
}

/// Stores an artifact. The same signed bytes again change nothing; the id of another, or of a deleted one, is refused.
pub fn publish(tx: &mut dyn WriteTx, scope: &Scope, new: &Publish) -> Result<Published, ArtifactError> {
    let artifact = &new.artifact;
    if let Some(known) = read::artifact(tx, scope, artifact.id)? {
        return repeated(known, artifact);
    }
    refuse_cycle(tx, scope, artifact)?;
    put_blobs(tx, new)?;
    tx.put(ARTIFACTS, &key(scope, artifact), &record::encode(artifact))?;
    for (keyspace, key) in index_keys(scope, artifact) {
        tx.put(keyspace, &key, &[])?;
    }
    for (parent, attested) in &artifact.parents {
        tx.put(CHILDREN, &edge(scope, parent, artifact), &[u8::from(*attested)])?;
    }
    audience::count(tx, scope, artifact, true)?;
    tx.delete(QUARANTINE, &key(scope, artifact))?;
    tx.emit(event(ARTIFACT_PUBLISHED, artifact.id))?;
    Ok(Published { artifact: artifact.clone(), is_new: true })
}

/// Stores the blobs that an artifact needs, or renews the content that is here already.
pub(crate) fn put_blobs(tx: &mut dyn WriteTx, new: &Publish) -> Result<(), ArtifactError> {
    for blob in new.payload.iter().chain(&new.content) {
        tx.put_blob(blob)?;
    }
    match &new.artifact.content {
        Some(content) if new.content.is_none() && !tx.keep_blob(&content.hash)? => {
            Err(StoreError::BlobGone { hash: content.hash }.into())
        }
        _ => Ok(()),
    }
}

/// The outcome for an id that is stored already.
fn repeated(known: Artifact, artifact: &Artifact) -> Result<Published, ArtifactError> {
    let is_same = known.is_live()
        && known.signature == artifact.signature
        && known.payload == artifact.payload
        && known.public_key == artifact.public_key;
    match is_same {
        true => Ok(Published { artifact: known, is_new: false }),
        false => Err(ArtifactError::Duplicate(known.id)),
    }
}

pub(crate) fn key(scope: &Scope, artifact: &Artifact) -> KeyBuf {
    scope.key().fixed(artifact.id.as_bytes())
}

pub(crate) fn edge(scope: &Scope, parent: &crate::ArtifactId, child: &Artifact) -> KeyBuf {
    scope.key().fixed(parent.as_bytes()).fixed(child.id.as_bytes())
}

/// Keys of the indexes in which an artifact stands.
pub(crate) fn index_keys(scope: &Scope, artifact: &Artifact) -> Vec<(cairn_seam::Keyspace, KeyBuf)> {
    let id = artifact.id.as_bytes();
    let mut keys = vec![
        (ARRIVALS, scope.key().u64(artifact.received_at_ms).fixed(id)),
        (AUTHORS, scope.key().fixed(&name_hash(&artifact.author)).fixed(id)),
    ];
    keys.extend(content_keys(scope, artifact));
    keys
}

/// Keys of the indexes by content, if it is stored here.
pub(crate) fn content_keys(scope: &Scope, artifact: &Artifact) -> Vec<(cairn_seam::Keyspace, KeyBuf)> {
    let id = artifact.id.as_bytes();
    let Some(content) = &artifact.content else { return Vec::new() };
    vec![
        (CONTENTS, scope.key().fixed(artifact.sha256.as_bytes()).fixed(id)),
        (CONTENT_BLOBS, scope.key().fixed(content.hash.as_bytes()).fixed(id)),
    ]
}
