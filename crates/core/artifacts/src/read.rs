//! Reading artifacts.

use std::ops::Bound;

use cairn_access::Scope;
use cairn_base::{CanonicalObject, KeyReader, TenantId};
use cairn_seam::{KeyRange, Reader, Sha256, Visit};

use crate::reserve::{child_homes, name_hash};
use crate::tables::{ARRIVALS, ARTIFACTS, AUTHORS, CONTENT_BLOBS, CONTENTS, HOMES};
use crate::{Artifact, ArtifactError, ArtifactId, Payload, PayloadAt, record};

/// An artifact and the tenant that holds it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Found {
    /// The tenant.
    pub tenant: TenantId,
    /// The artifact.
    pub artifact: Artifact,
}

/// Tenants that hold these ids, in their order.
pub fn homes<R: Reader + ?Sized>(
    reader: &R,
    node: &Scope,
    ids: &[ArtifactId],
) -> Result<Vec<Option<TenantId>>, ArtifactError> {
    let keys: Vec<_> = ids.iter().map(|id| node.key().fixed(id.as_bytes())).collect();
    let keys: Vec<&[u8]> = keys.iter().map(|key| key.as_slice()).collect();
    let mut found = Vec::with_capacity(ids.len());
    reader.multi_get(HOMES, &keys, &mut |_, value| {
        found.push(value.and_then(|value| value.try_into().ok()).map(u32::from_be_bytes).map(TenantId));
    })?;
    Ok(found)
}

/// An artifact of a tenant, deleted ones included.
pub fn artifact<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    id: ArtifactId,
) -> Result<Option<Artifact>, ArtifactError> {
    Ok(find(reader, &[(*scope, id)])?.pop().flatten())
}

/// Artifacts of any tenants, in the order of `wanted`, with one round of reads.
pub fn find<R: Reader + ?Sized>(
    reader: &R,
    wanted: &[(Scope, ArtifactId)],
) -> Result<Vec<Option<Artifact>>, ArtifactError> {
    let keys: Vec<_> = wanted.iter().map(|(scope, id)| scope.key().fixed(id.as_bytes())).collect();
    let keys: Vec<&[u8]> = keys.iter().map(|key| key.as_slice()).collect();
    let mut found = Vec::with_capacity(wanted.len());
    reader.multi_get(ARTIFACTS, &keys, &mut |at, value| {
        found.push(value.map(|value| record::decode(wanted[at].1, value)).transpose());
    })?;
    found.into_iter().collect()
}

/// Artifacts by their ids, wherever they are stored. An id that nobody holds is looked up in the tenant of `own`, so
/// that what is hidden and what does not exist cost the same two rounds of reads.
///
/// `scope_of` yields the scope of a tenant.
pub fn locate<R: Reader + ?Sized, E: From<ArtifactError>>(
    reader: &R,
    node: &Scope,
    own: &Scope,
    ids: &[ArtifactId],
    scope_of: &mut dyn FnMut(TenantId) -> Result<Scope, E>,
) -> Result<Vec<Option<Found>>, E> {
    let mut wanted = Vec::with_capacity(ids.len());
    for (id, home) in ids.iter().zip(homes(reader, node, ids)?) {
        wanted.push((home.map_or(Ok(*own), &mut *scope_of)?, *id));
    }
    let found = find(reader, &wanted)?.into_iter().zip(&wanted);
    Ok(found
        .map(|(artifact, (scope, _))| artifact.map(|artifact| Found { tenant: scope.tenant(), artifact }))
        .collect())
}

/// Tenants in which children of artifacts may be stored, one list per parent: its own tenant first.
pub(crate) fn child_scopes<R: Reader + ?Sized, E: From<ArtifactError>>(
    reader: &R,
    node: &Scope,
    parents: &[ArtifactId],
    scope_of: &mut dyn FnMut(TenantId) -> Result<Scope, E>,
) -> Result<Vec<Vec<Scope>>, E> {
    let own = homes(reader, node, parents)?;
    let others = child_homes(reader, node, parents)?;
    let mut all = Vec::with_capacity(parents.len());
    for (own, others) in own.into_iter().zip(others) {
        let others = others.into_iter().filter(|tenant| Some(*tenant) != own);
        all.push(own.into_iter().chain(others).map(&mut *scope_of).collect::<Result<Vec<_>, _>>()?);
    }
    Ok(all)
}

/// The signed bytes of an artifact, and what they say.
pub fn load_payload<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    artifact: &Artifact,
) -> Result<(String, Payload), ArtifactError> {
    let json = match &artifact.payload {
        PayloadAt::Inline(json) => json.clone(),
        PayloadAt::Blob(hash) => {
            let mut found = None;
            reader.blobs(scope.tenant(), &[*hash], &mut |_, bytes| {
                found = bytes.and_then(|bytes| String::from_utf8(bytes.to_vec()).ok());
            })?;
            found.ok_or(cairn_seam::StoreError::BlobLost { hash: *hash })?
        }
        PayloadAt::Erased => return Err(ArtifactError::NotFound),
    };
    let payload = Payload::read(&CanonicalObject::parse(json.as_bytes())?)?;
    Ok((json, payload))
}

/// The name of the blob with the content of an artifact. Fails if the content is not stored here.
pub fn content_of(artifact: &Artifact, content_url: &str) -> Result<crate::Content, ArtifactError> {
    let elsewhere = || match content_url {
        "" => ArtifactError::NoContent(artifact.id),
        url => ArtifactError::ContentElsewhere { id: artifact.id, content_url: url.to_owned() },
    };
    artifact.content.ok_or_else(elsewhere)
}

/// Artifacts of some tenants with this content, deleted ones included, at most `limit` of each tenant.
pub fn by_content<R: Reader + ?Sized>(
    reader: &R,
    scopes: &[Scope],
    sha256: &Sha256,
    limit: usize,
) -> Result<Vec<(Scope, ArtifactId)>, ArtifactError> {
    let prefixes: Vec<_> = scopes.iter().map(|scope| scope.key().fixed(sha256.as_bytes())).collect();
    let ranges: Vec<_> = prefixes.iter().map(|prefix| KeyRange::prefix(prefix).limit(limit)).collect();
    let mut found = Vec::new();
    reader.multi_scan(CONTENTS, &ranges, &mut |at, key, _| {
        found.extend(key.last_chunk().map(|id| (scopes[at], ArtifactId::from_bytes(*id))));
        Visit::Continue
    })?;
    Ok(found)
}

/// Artifacts of a tenant whose content is this blob, at most `limit`.
pub fn by_blob<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    hash: &cairn_base::ContentHash,
    limit: usize,
) -> Result<Vec<ArtifactId>, ArtifactError> {
    let range = KeyRange::prefix(&scope.key().fixed(hash.as_bytes())).limit(limit);
    ids_of(reader, CONTENT_BLOBS, range)
}

/// Artifacts of an author, deleted ones included, at most `limit`.
pub fn by_author<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    user_id: &str,
    limit: usize,
) -> Result<Vec<ArtifactId>, ArtifactError> {
    ids_of(reader, AUTHORS, KeyRange::prefix(&scope.key().fixed(&name_hash(user_id))).limit(limit))
}

/// Artifacts of a tenant in the order in which they arrived, deleted ones included: at most `limit` after a place.
/// Returns the place of each.
pub fn by_time<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    after: Option<(u64, ArtifactId)>,
    limit: usize,
) -> Result<Vec<(u64, ArtifactId)>, ArtifactError> {
    let prefix = scope.key();
    let mut range = KeyRange::prefix(&prefix).limit(limit);
    if let Some((at, id)) = after {
        range.low = Bound::Excluded(scope.key().u64(at).fixed(id.as_bytes()).into_vec());
    }
    let mut found = Vec::new();
    reader.multi_scan(ARRIVALS, &[range], &mut |_, key, _| {
        let mut parts = KeyReader::new(&key[prefix.len()..]);
        if let (Ok(at), Ok(id)) = (parts.u64(), parts.fixed()) {
            found.push((at, ArtifactId::from_bytes(id)));
        }
        Visit::Continue
    })?;
    Ok(found)
}

fn ids_of<R: Reader + ?Sized>(
    reader: &R,
    keyspace: cairn_seam::Keyspace,
    range: KeyRange,
) -> Result<Vec<ArtifactId>, ArtifactError> {
    let mut found = Vec::new();
    reader.multi_scan(keyspace, &[range], &mut |_, key, _| {
        found.extend(key.last_chunk().copied().map(ArtifactId::from_bytes));
        Visit::Continue
    })?;
    Ok(found)
}
