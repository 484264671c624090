//! Audiences: artifacts that the same readers may read are counted together.
//!
//! A caller must not learn of artifacts that it may not read, not even by a number. So citations are counted per
//! audience, and a caller gets the sum over the audiences it belongs to, however many artifacts there are.

use cairn_access::Scope;
use cairn_base::{put_varint, take_varint};
use cairn_seam::{KeyRange, Reader, Visit, WriteTx, get};

use crate::record::{put_text, take_list};
use crate::tables::{AUDIENCES, CITATIONS};
use crate::{Artifact, ArtifactError, ArtifactId};

/// The name of a set of readers: a hash of their marks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Audience(pub [u8; 16]);

impl Audience {
    /// The audience of these marks, which are sorted.
    pub fn of(marks: &[String]) -> Self {
        let mut hasher = blake3::Hasher::new();
        for mark in marks {
            hasher.update(&(mark.len() as u64).to_be_bytes());
            hasher.update(mark.as_bytes());
        }
        let hash: [u8; 32] = hasher.finalize().into();
        let [first, _] = halves(hash);
        Audience(first)
    }
}

fn halves(hash: [u8; 32]) -> [[u8; 16]; 2] {
    let (mut first, mut second) = ([0; 16], [0; 16]);
    first.copy_from_slice(&hash[..16]);
    second.copy_from_slice(&hash[16..]);
    [first, second]
}

/// Counts an artifact as a citation of its parents, or no longer.
pub(crate) fn count(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    artifact: &Artifact,
    is_cited: bool,
) -> Result<(), ArtifactError> {
    if artifact.parents.is_empty() {
        return Ok(());
    }
    let marks = artifact.sharing().marks();
    let audience = Audience::of(&marks);
    let place = scope.key().fixed(&audience.0);
    if is_cited && get(tx, AUDIENCES, &place)?.is_none() {
        tx.put(AUDIENCES, &place, &marks_value(&marks))?;
    }
    for (parent, _) in &artifact.parents {
        let key = scope.key().fixed(parent.as_bytes()).fixed(&audience.0);
        let before = get(tx, CITATIONS, &key)?.map_or(Ok(0), |value| number(&value))?;
        let count = if is_cited { before.saturating_add(1) } else { before.saturating_sub(1) };
        if count == 0 {
            tx.delete(CITATIONS, &key)?;
            continue;
        }
        tx.put(CITATIONS, &key, &number_value(count))?;
    }
    Ok(())
}

/// Marks of audiences of a tenant, in the order of `wanted`; empty for one that is not known.
pub fn audiences<R: Reader + ?Sized>(
    reader: &R,
    wanted: &[(Scope, Audience)],
) -> Result<Vec<Vec<String>>, ArtifactError> {
    let keys: Vec<_> = wanted.iter().map(|(scope, audience)| scope.key().fixed(&audience.0)).collect();
    let keys: Vec<&[u8]> = keys.iter().map(|key| key.as_slice()).collect();
    let mut found = Vec::with_capacity(keys.len());
    reader.multi_get(AUDIENCES, &keys, &mut |_, value| {
        found.push(value.map_or_else(Vec::new, |mut value| take_list(&mut value).unwrap_or_default()));
    })?;
    Ok(found)
}

/// How many artifacts that a caller may read are derived from each of these, in the order of `parents`.
///
/// `scopes` are the tenants that may hold children, one list per parent. `may_read` decides by marks.
pub fn citations<R: Reader + ?Sized>(
    reader: &R,
    parents: &[(ArtifactId, Vec<Scope>)],
    may_read: &dyn Fn(&Scope, &[String]) -> bool,
) -> Result<Vec<u64>, ArtifactError> {
    let mut ranges = Vec::new();
    let mut owners = Vec::new();
    for (at, (parent, scopes)) in parents.iter().enumerate() {
        for scope in scopes {
            ranges.push(KeyRange::prefix(&scope.key().fixed(parent.as_bytes())));
            owners.push((at, *scope));
        }
    }
    let mut counted: Vec<(usize, (Scope, Audience), u64)> = Vec::new();
    let mut bad = Ok(());
    reader.multi_scan(CITATIONS, &ranges, &mut |range, key, value| {
        let (at, scope) = owners[range];
        match (key.last_chunk::<16>(), number(value)) {
            (Some(audience), Ok(count)) => counted.push((at, (scope, Audience(*audience)), count)),
            (_, Err(error)) => bad = Err(error),
            (None, Ok(_)) => {}
        }
        if bad.is_ok() { Visit::Continue } else { Visit::Stop }
    })?;
    bad?;
    let mut wanted: Vec<_> = counted.iter().map(|(_, audience, _)| *audience).collect();
    wanted.sort_unstable_by_key(|(scope, audience)| (scope.tenant(), *audience));
    wanted.dedup();
    let marks = audiences(reader, &wanted)?;
    let readable: Vec<_> = wanted
        .iter()
        .zip(&marks)
        .filter(|((scope, _), marks)| may_read(scope, marks))
        .map(|(one, _)| *one)
        .collect();
    let mut sums = vec![0_u64; parents.len()];
    for (at, audience, count) in counted {
        if readable.contains(&audience) {
            sums[at] = sums[at].saturating_add(count);
        }
    }
    Ok(sums)
}

/// The stored marks of an audience.
pub(crate) fn marks_value(marks: &[String]) -> Vec<u8> {
    let mut value = Vec::new();
    put_varint(&mut value, marks.len() as u64);
    marks.iter().for_each(|mark| put_text(&mut value, mark));
    value
}

/// A stored count.
pub(crate) fn number_value(count: u64) -> Vec<u8> {
    let mut value = Vec::new();
    put_varint(&mut value, count);
    value
}

pub(crate) fn number(mut value: &[u8]) -> Result<u64, ArtifactError> {
    take_varint(&mut value).ok_or_else(|| ArtifactError::BadRecord {
        what: "count of citations",
        detail: "it is not a number".into(),
    })
}
