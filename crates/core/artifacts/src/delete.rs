//! Deleting artifacts: a tombstone first, the content after its retention, everything on demand.

use std::ops::Bound;

use cairn_access::Scope;
use cairn_access::{Acl, Visibility};
use cairn_base::KeyReader;
use cairn_seam::{KeyRange, Reader, Visit, WriteTx, get};

use crate::check::DERIVED;
use crate::event::event;
use crate::publish::{content_keys, edge, index_keys, key};
use crate::tables::{
    ARTIFACT_DELETED, ARTIFACT_ERASED, ARTIFACTS, CHILDREN, PURGES, QUARANTINE, TOMBSTONES, USAGE,
};
use crate::{Artifact, ArtifactError, ArtifactId, PayloadAt, SignedTombstone, audience, read, record};

/// The outcome of a deletion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Deleted {
    /// The artifact.
    pub id: ArtifactId,
    /// The time of the deletion, in Unix milliseconds.
    pub deleted_at_ms: u64,
}

/// Deletes an artifact. Its metadata stay, so that lineage stays whole; its content goes at `purge_at_ms`, if given.
pub fn delete(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    id: ArtifactId,
    tombstone: &SignedTombstone,
    deleted_at_ms: u64,
    purge_at_ms: Option<u64>,
) -> Result<Deleted, ArtifactError> {
    let known = read::artifact(tx, scope, id)?.filter(Artifact::is_live).ok_or(ArtifactError::NotFound)?;
    audience::count(tx, scope, &known, false)?;
    let deleted = Artifact { deleted_at_ms: Some(deleted_at_ms), ..known };
    tx.put(ARTIFACTS, &key(scope, &deleted), &record::encode(&deleted))?;
    tx.put(TOMBSTONES, &key(scope, &deleted), &tombstone.encode())?;
    if let Some(at) = purge_at_ms.filter(|_| deleted.content.is_some()) {
        tx.put(PURGES, &scope.key().u64(at).fixed(id.as_bytes()), &[])?;
    }
    tx.emit(event(ARTIFACT_DELETED, id))?;
    Ok(Deleted { id, deleted_at_ms })
}

/// The tombstone of an artifact, if it was deleted.
pub fn tombstone<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    id: ArtifactId,
) -> Result<Option<SignedTombstone>, ArtifactError> {
    let found = get(reader, TOMBSTONES, &scope.key().fixed(id.as_bytes()))?;
    found.map(|value| SignedTombstone::decode(&value)).transpose()
}

/// Lets go of the content of artifacts whose retention is over, at most `limit`; returns how many there were.
pub fn purge_due(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    now_ms: u64,
    limit: usize,
) -> Result<usize, ArtifactError> {
    let prefix = scope.key();
    let mut range = KeyRange::prefix(&prefix).limit(limit);
    range.high = Bound::Included(scope.key().u64(now_ms).fixed(&[u8::MAX; 16]).into_vec());
    let mut due = Vec::new();
    tx.multi_scan(PURGES, &[range], &mut |_, key, _| {
        let mut parts = KeyReader::new(&key[prefix.len()..]);
        let _ = parts.u64();
        due.extend(parts.fixed().ok().map(|id| (key.to_vec(), ArtifactId::from_bytes(id))));
        Visit::Continue
    })?;
    for (place, id) in &due {
        tx.delete(PURGES, place)?;
        if let Some(known) = read::artifact(tx, scope, *id)?.filter(|known| !known.is_live()) {
            for (keyspace, key) in content_keys(scope, &known) {
                tx.delete(keyspace, &key)?;
            }
            let purged = Artifact { content: None, ..known };
            tx.put(ARTIFACTS, &key(scope, &purged), &record::encode(&purged))?;
        }
    }
    Ok(due.len())
}

/// Beginnings of the keys of everything that is stored about an artifact, before it is erased.
///
/// An artifact that was erased already no longer knows its entries: all of their keyspaces are meant, of which only what
/// was replaced or deleted is ever forgotten.
pub fn erased_keys<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    id: ArtifactId,
) -> Result<Vec<(cairn_seam::Keyspace, Vec<u8>)>, ArtifactError> {
    let own = scope.key().fixed(id.as_bytes());
    let mut keys: Vec<_> =
        [ARTIFACTS, TOMBSTONES, USAGE, QUARANTINE].map(|keyspace| (keyspace, own.as_slice().to_vec())).into();
    let known = read::artifact(reader, scope, id)?;
    if known.as_ref().is_some_and(|known| known.payload == PayloadAt::Erased) {
        keys.extend(DERIVED.map(|keyspace| (keyspace, scope.key().into_vec())));
    } else if let Some(known) = known {
        keys.extend(index_keys(scope, &known).into_iter().map(|(keyspace, key)| (keyspace, key.into_vec())));
        keys.extend(
            known.parents.iter().map(|(parent, _)| (CHILDREN, edge(scope, parent, &known).into_vec())),
        );
    }
    Ok(keys)
}

/// Erases everything of an artifact but its id, which is never reused.
pub fn erase(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    id: ArtifactId,
    now_ms: u64,
) -> Result<Deleted, ArtifactError> {
    let known = read::artifact(tx, scope, id)?.ok_or(ArtifactError::NotFound)?;
    if known.is_live() {
        audience::count(tx, scope, &known, false)?;
    }
    for (keyspace, key) in index_keys(scope, &known) {
        tx.delete(keyspace, &key)?;
    }
    for (parent, _) in &known.parents {
        tx.delete(CHILDREN, &edge(scope, parent, &known))?;
    }
    for keyspace in [TOMBSTONES, USAGE, QUARANTINE] {
        tx.delete(keyspace, &key(scope, &known))?;
    }
    let deleted_at_ms = known.deleted_at_ms.unwrap_or(now_ms);
    let erased = Artifact {
        tenant_name: known.tenant_name.clone(),
        author: String::new(),
        team: String::new(),
        visibility: Visibility::Private,
        acl: Acl::default(),
        parents: Vec::new(),
        content: None,
        sha256: cairn_seam::Sha256::from_bytes([0; 32]),
        derived_from: None,
        deleted_at_ms: Some(deleted_at_ms),
        payload: PayloadAt::Erased,
        ..known
    };
    tx.put(ARTIFACTS, &key(scope, &erased), &record::encode(&erased))?;
    tx.emit(event(ARTIFACT_ERASED, id))?;
    Ok(Deleted { id, deleted_at_ms })
}
