//! What the node knows of artifacts of all tenants: which tenant holds an id, and where else to look.
//!
//! A transaction stays inside one tenant, so the node's part is written first, in a transaction of its own. A
//! reservation without an artifact is harmless: its tenant can still publish under the id, and nobody else can.

use cairn_access::{Scope, Visibility, mark};
use cairn_base::{KeyReader, SpaceId, TenantId, put_varint, take_varint};
use cairn_seam::{KeyRange, Reader, Sha256, Visit, WriteTx, get};

use crate::read::homes;
use crate::record::{put_text, take_text};
use crate::tables::{CHILD_HOMES, CONTENT_HOMES, GRANTEES, HOMES};
use crate::{Artifact, ArtifactError, ArtifactId, PayloadError, limits};

/// Stands behind the tenant of an id that was erased.
const RETIRED: u8 = 1;

/// What is written at the node before an artifact is published in a tenant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Reservation {
    /// The id.
    pub id: ArtifactId,
    /// The tenant that publishes it.
    pub tenant: TenantId,
    /// Its parents.
    pub parents: Vec<ArtifactId>,
    /// Names of other tenants that may read it.
    pub grantees: Vec<String>,
    /// Its content, if other tenants may read it.
    pub shared_content: Option<Sha256>,
}

impl Reservation {
    /// The reservation for an artifact of a tenant.
    pub fn of(artifact: &Artifact, tenant: TenantId) -> Result<Self, ArtifactError> {
        let marks = artifact.sharing().marks();
        let is_public = artifact.visibility == Visibility::Public && artifact.acl.is_empty();
        let mut grantees: Vec<String> = marks
            .iter()
            .filter_map(|mark| mark::tenant_of(mark))
            .filter(|name| *name != artifact.tenant_name)
            .map(str::to_owned)
            .collect();
        grantees.sort_unstable();
        grantees.dedup();
        if grantees.len() > limits::ACL_TENANTS_MAX {
            let problem = format!("names more than {} other tenants", limits::ACL_TENANTS_MAX);
            return Err(PayloadError::new("acl", problem).into());
        }
        let shared_content = (is_public || !grantees.is_empty()).then_some(artifact.sha256);
        let parents = artifact.parents.iter().map(|(parent, _)| *parent).collect();
        Ok(Reservation { id: artifact.id, tenant, parents, grantees, shared_content })
    }
}

/// Reserves an id for a tenant, in a transaction of the node. Fails if another tenant holds it.
pub fn reserve(tx: &mut dyn WriteTx, node: &Scope, wanted: &Reservation) -> Result<(), ArtifactError> {
    let Reservation { id, tenant, parents, grantees, shared_content } = wanted;
    let ids: Vec<_> = std::iter::once(*id).chain(parents.iter().copied()).collect();
    let known = homes(tx, node, &ids)?;
    if known.first() == Some(&None) && is_retired(tx, node, *id)? {
        return Err(ArtifactError::Duplicate(*id));
    }
    match known.first().copied().flatten() {
        Some(home) if home != *tenant => return Err(ArtifactError::Duplicate(*id)),
        Some(_) => {}
        None => tx.put(HOMES, &node.key().fixed(id.as_bytes()), &tenant.0.to_be_bytes())?,
    }
    for (parent, home) in parents.iter().zip(known.iter().skip(1)) {
        let key = node.key().fixed(parent.as_bytes()).tenant(*tenant);
        if *home != Some(*tenant) && get(tx, CHILD_HOMES, &key)?.is_none() {
            tx.put(CHILD_HOMES, &key, &[])?;
        }
    }
    for name in grantees {
        if grantee(tx, node, name)?.is_none() {
            add_grantee(tx, node, name)?;
        }
    }
    if let Some(sha256) = shared_content {
        let key = node.key().fixed(sha256.as_bytes()).tenant(*tenant);
        if get(tx, CONTENT_HOMES, &key)?.is_none() {
            tx.put(CONTENT_HOMES, &key, &[])?;
        }
    }
    Ok(())
}

/// Whether everything that [`reserve`] writes is there.
pub(crate) fn is_reserved<R: Reader + ?Sized>(
    reader: &R,
    node: &Scope,
    wanted: &Reservation,
) -> Result<bool, ArtifactError> {
    let Reservation { id, tenant, parents, grantees: names, shared_content } = wanted;
    let ids: Vec<_> = std::iter::once(*id).chain(parents.iter().copied()).collect();
    // A parent that was retired since was there when its child was published.
    let known = last_homes(reader, node, &ids)?;
    if known.first() != Some(&Some(*tenant)) {
        return Ok(false);
    }
    let foreign = parents.iter().zip(known.iter().skip(1)).filter(|(_, home)| **home != Some(*tenant));
    let children =
        foreign.map(|(parent, _)| (CHILD_HOMES, node.key().fixed(parent.as_bytes()).tenant(*tenant)));
    let content = shared_content.iter();
    let content = content.map(|sha256| (CONTENT_HOMES, node.key().fixed(sha256.as_bytes()).tenant(*tenant)));
    for (keyspace, key) in children.chain(content) {
        if get(reader, keyspace, &key)?.is_none() {
            return Ok(false);
        }
    }
    let names: Vec<_> = names.iter().map(String::as_str).collect();
    Ok(grantees(reader, node, &names)?.iter().all(Option::is_some))
}

/// Whether an id was retired.
pub(crate) fn is_retired<R: Reader + ?Sized>(
    reader: &R,
    node: &Scope,
    id: ArtifactId,
) -> Result<bool, ArtifactError> {
    let home = get(reader, HOMES, &node.key().fixed(id.as_bytes()))?;
    Ok(home.is_some_and(|home| home.last() == Some(&RETIRED) && home.len() > size_of::<u32>()))
}

/// Tenants that hold these ids, or held them until they were retired, in their order.
pub fn last_homes<R: Reader + ?Sized>(
    reader: &R,
    node: &Scope,
    ids: &[ArtifactId],
) -> Result<Vec<Option<TenantId>>, ArtifactError> {
    let keys: Vec<_> = ids.iter().map(|id| node.key().fixed(id.as_bytes())).collect();
    let keys: Vec<&[u8]> = keys.iter().map(|key| key.as_slice()).collect();
    let mut found = Vec::with_capacity(ids.len());
    reader.multi_get(HOMES, &keys, &mut |_, value| {
        let tenant = value.and_then(|value| value.first_chunk().copied());
        found.push(tenant.map(u32::from_be_bytes).map(TenantId));
    })?;
    Ok(found)
}

/// Retires an id, in a transaction of the node: nobody can publish under it any more, and nobody finds it.
pub fn retire(
    tx: &mut dyn WriteTx,
    node: &Scope,
    id: ArtifactId,
    tenant: TenantId,
) -> Result<(), ArtifactError> {
    let mut value = tenant.0.to_be_bytes().to_vec();
    value.push(RETIRED);
    Ok(tx.put(HOMES, &node.key().fixed(id.as_bytes()), &value)?)
}

/// Gives the name of a tenant a number. The last number that was given is stored under the key without a name; if that
/// record was lost, the highest number of a name counts.
fn add_grantee(tx: &mut dyn WriteTx, node: &Scope, name: &str) -> Result<(), ArtifactError> {
    let mut last = Some(0);
    tx.multi_scan(GRANTEES, &[KeyRange::prefix(&node.key())], &mut |_, _, mut value| {
        last = last.zip(take_varint(&mut value)).map(|(last, number)| last.max(number));
        Visit::Continue
    })?;
    let last = last.ok_or_else(bad)?;
    let number = u32::try_from(last + 1).map_err(|_| bad())?;
    let mut value = Vec::new();
    put_varint(&mut value, u64::from(number));
    tx.put(GRANTEES, &node.key(), &value)?;
    put_text(&mut value, name);
    Ok(tx.put(GRANTEES, &node.key().fixed(&name_hash(name)), &value)?)
}

/// The number of a tenant's name, if an artifact of another tenant was ever shared with it: the space of its search
/// partition at the node.
pub fn grantee<R: Reader + ?Sized>(
    reader: &R,
    node: &Scope,
    name: &str,
) -> Result<Option<SpaceId>, ArtifactError> {
    Ok(grantees(reader, node, &[name])?.pop().flatten())
}

/// The same for several names, in their order.
pub fn grantees<R: Reader + ?Sized>(
    reader: &R,
    node: &Scope,
    names: &[&str],
) -> Result<Vec<Option<SpaceId>>, ArtifactError> {
    let keys: Vec<_> = names.iter().map(|name| node.key().fixed(&name_hash(name))).collect();
    let keys: Vec<&[u8]> = keys.iter().map(|key| key.as_slice()).collect();
    let mut found = Vec::with_capacity(names.len());
    reader.multi_get(GRANTEES, &keys, &mut |at, value| {
        let number = value.and_then(|mut value| {
            let number = u32::try_from(take_varint(&mut value)?).ok()?;
            (take_text(&mut value)? == names[at]).then_some(SpaceId(number))
        });
        found.push(number);
    })?;
    Ok(found)
}

/// Tenants that may hold children of an artifact besides its own, at most [`limits::CHILD_TENANTS_MAX`] for each, in
/// the order of `parents`.
pub(crate) fn child_homes<R: Reader + ?Sized>(
    reader: &R,
    node: &Scope,
    parents: &[ArtifactId],
) -> Result<Vec<Vec<TenantId>>, ArtifactError> {
    let prefixes = parents.iter().map(|parent| node.key().fixed(parent.as_bytes()).into_vec());
    tenants_behind(reader, CHILD_HOMES, &prefixes.collect::<Vec<_>>())
}

/// Tenants that may hold content which others may read, at most [`limits::CHILD_TENANTS_MAX`].
pub fn content_homes<R: Reader + ?Sized>(
    reader: &R,
    node: &Scope,
    sha256: &Sha256,
) -> Result<Vec<TenantId>, ArtifactError> {
    let prefix = node.key().fixed(sha256.as_bytes()).into_vec();
    Ok(tenants_behind(reader, CONTENT_HOMES, &[prefix])?.pop().unwrap_or_default())
}

fn tenants_behind<R: Reader + ?Sized>(
    reader: &R,
    keyspace: cairn_seam::Keyspace,
    prefixes: &[Vec<u8>],
) -> Result<Vec<Vec<TenantId>>, ArtifactError> {
    let ranges: Vec<_> =
        prefixes.iter().map(|prefix| KeyRange::prefix(prefix).limit(limits::CHILD_TENANTS_MAX)).collect();
    let mut found = vec![Vec::new(); prefixes.len()];
    reader.multi_scan(keyspace, &ranges, &mut |at, key, _| {
        found[at].extend(KeyReader::new(&key[prefixes[at].len()..]).tenant());
        Visit::Continue
    })?;
    Ok(found)
}

pub(crate) fn name_hash(name: &str) -> [u8; 16] {
    let hash = blake3::hash(name.as_bytes());
    let mut first = [0; 16];
    first.copy_from_slice(&hash.as_bytes()[..16]);
    first
}

fn bad() -> ArtifactError {
    ArtifactError::BadRecord { what: "number of a tenant", detail: "it is not a number".into() }
}
