//! Derived records of artifacts, compared with the records that they follow from.
//!
//! Each function returns the changes that put things right, and none if nothing is wrong: on a snapshot it verifies, and
//! in a transaction its changes repair. Edges are compared both ways, from the child to its parents and from the entries
//! to the child.

use std::ops::Bound;

use cairn_access::Scope;
use cairn_base::{KeyBuf, KeyReader, SpaceId, TenantId};
use cairn_seam::{Fix, KeyRange, Keyspace, Read, Reader, StoreError, Visit, WriteTx};

use crate::publish::{edge, index_keys};
use crate::reserve::{Reservation, is_reserved, is_retired, reserve, retire};
use crate::tables::{ARRIVALS, ARTIFACTS, AUTHORS, CHILDREN, CONTENT_BLOBS, CONTENTS};
use crate::{Artifact, ArtifactError, ArtifactId, PayloadAt, record};

/// Keyspaces whose entries follow from one artifact each, with whose id their keys end.
pub const DERIVED: [Keyspace; 5] = [ARRIVALS, AUTHORS, CONTENTS, CONTENT_BLOBS, CHILDREN];

/// Index entries and lineage edges of an artifact that are missing or wrong.
pub fn missing_entries<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    artifact: &Artifact,
) -> Result<Vec<Fix>, ArtifactError> {
    let entries = entries(scope, artifact);
    let reads: Vec<_> = entries.iter().map(|(keyspace, key, _)| Read::Key(*keyspace, key)).collect();
    let mut is_right = Vec::with_capacity(entries.len());
    reader.multi_read(&reads, &mut |at, value| is_right.push(value == Some(&entries[at].2)))?;
    let wrong = entries.into_iter().zip(is_right).filter(|(_, is_right)| !is_right);
    Ok(wrong.map(|((keyspace, key, value), _)| Fix::Put(keyspace, key.into_vec(), value)).collect())
}

/// Those of some entries of a keyspace in [`DERIVED`] that no artifact has. Entries of an artifact whose record does not
/// decode are left alone.
pub fn stray_entries<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    keyspace: Keyspace,
    keys: &[Vec<u8>],
) -> Result<Vec<Fix>, ArtifactError> {
    let ids: Vec<_> = keys.iter().map(|key| key.last_chunk().copied().map(ArtifactId::from_bytes)).collect();
    let wanted: Vec<_> = ids.iter().flatten().copied().collect();
    let mut found = find_each(reader, scope, &wanted)?.into_iter();
    let mut strays = Vec::new();
    for (key, id) in keys.iter().zip(&ids) {
        let is_stray = match id.and_then(|_| found.next()) {
            Some(Some(Ok(artifact))) => {
                !entries(scope, &artifact).iter().any(|(of, own, _)| (*of, own.as_slice()) == (keyspace, key))
            }
            Some(Some(Err(_))) => false,
            Some(None) | None => true,
        };
        if is_stray {
            strays.push(Fix::Delete(keyspace, key.clone()));
        }
    }
    Ok(strays)
}

/// Whether the node knows where an artifact is, and where else to look; an erased one has to be retired.
pub fn is_at_home<R: Reader + ?Sized>(
    reader: &R,
    node: &Scope,
    tenant: TenantId,
    artifact: &Artifact,
) -> Result<bool, ArtifactError> {
    match artifact.payload {
        PayloadAt::Erased => is_retired(reader, node, artifact.id),
        PayloadAt::Inline(_) | PayloadAt::Blob(_) => {
            is_reserved(reader, node, &Reservation::of(artifact, tenant)?)
        }
    }
}

/// Writes again what the node knows of an artifact, in a transaction of the node.
pub fn bring_home(
    tx: &mut dyn WriteTx,
    node: &Scope,
    tenant: TenantId,
    artifact: &Artifact,
) -> Result<(), ArtifactError> {
    match artifact.payload {
        PayloadAt::Erased => retire(tx, node, artifact.id, tenant),
        PayloadAt::Inline(_) | PayloadAt::Blob(_) => reserve(tx, node, &Reservation::of(artifact, tenant)?),
    }
}

/// Keys of one tenant.
pub type KeysOfTenant = (TenantId, Vec<Vec<u8>>);

/// The tenant of the first key of a keyspace at or behind a bound, and keys of this tenant from there, at most `limit`.
pub fn entries_from<R: Reader + ?Sized>(
    reader: &R,
    keyspace: Keyspace,
    low: Bound<Vec<u8>>,
    limit: usize,
) -> Result<Option<KeysOfTenant>, StoreError> {
    let mut page: Option<KeysOfTenant> = None;
    let range = KeyRange::new(low, Bound::Unbounded).limit(limit);
    reader.multi_scan(keyspace, &[range], &mut |_, key, _| {
        let Ok(tenant) = KeyReader::new(key).tenant() else { return Visit::Continue };
        let (of, keys) = page.get_or_insert_with(|| (tenant, Vec::new()));
        if *of != tenant {
            return Visit::Stop;
        }
        keys.push(key.to_vec());
        Visit::Continue
    })?;
    Ok(page)
}

/// The artifact behind tenant and space in a key.
pub fn id_in_key(key: &[u8]) -> Option<ArtifactId> {
    const TENANT_AND_SPACE: usize = size_of::<TenantId>() + size_of::<SpaceId>();
    key.get(TENANT_AND_SPACE..)?.first_chunk().copied().map(ArtifactId::from_bytes)
}

/// Records by their ids, each of which may not decode.
pub(crate) fn find_each<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    ids: &[ArtifactId],
) -> Result<Vec<Option<Result<Artifact, ArtifactError>>>, ArtifactError> {
    let keys: Vec<_> = ids.iter().map(|id| scope.key().fixed(id.as_bytes())).collect();
    let keys: Vec<&[u8]> = keys.iter().map(|key| key.as_slice()).collect();
    let mut found = Vec::with_capacity(ids.len());
    reader.multi_get(ARTIFACTS, &keys, &mut |at, value| {
        found.push(value.map(|value| record::decode(ids[at], value)));
    })?;
    Ok(found)
}

/// Everything in [`DERIVED`] that follows from an artifact.
fn entries(scope: &Scope, artifact: &Artifact) -> Vec<(Keyspace, KeyBuf, Vec<u8>)> {
    if artifact.payload == PayloadAt::Erased {
        return Vec::new();
    }
    let indexes = index_keys(scope, artifact).into_iter().map(|(keyspace, key)| (keyspace, key, Vec::new()));
    let edges = artifact
        .parents
        .iter()
        .map(|(parent, attested)| (CHILDREN, edge(scope, parent, artifact), vec![u8::from(*attested)]));
    indexes.chain(edges).collect()
}
