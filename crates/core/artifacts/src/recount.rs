//! Counts of citations, compared with the artifacts that they count.

use std::collections::BTreeMap;
use std::ops::Bound;

use cairn_access::Scope;
use cairn_seam::{Fix, KeyRange, Reader, Visit};

use crate::audience::{Audience, marks_value, number, number_value};
use crate::check::find_each;
use crate::tables::{AUDIENCES, CHILDREN, CITATIONS};
use crate::{Artifact, ArtifactError, ArtifactId};

/// Children that are read together.
const PAGE: usize = 512;

/// Counts of citations of an artifact by others of a tenant that are wrong, and audiences that are missing.
///
/// The edges have to be right. Fails with [`ArtifactError::BadRecord`] if the record of a child does not decode.
pub fn wrong_citations<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    parent: ArtifactId,
) -> Result<Vec<Fix>, ArtifactError> {
    let counted = count(reader, scope, parent)?;
    let mut stored = BTreeMap::new();
    let prefix = scope.key().fixed(parent.as_bytes());
    reader.multi_scan(CITATIONS, &[KeyRange::prefix(&prefix)], &mut |_, key, value| {
        stored.insert(key.to_vec(), value.to_vec());
        Visit::Continue
    })?;
    let mut fixes = Vec::new();
    let (mut places, mut values) = (Vec::new(), Vec::new());
    for (audience, (count, marks)) in &counted {
        let key = scope.key().fixed(parent.as_bytes()).fixed(&audience.0).into_vec();
        let is_right = stored.remove(&key).is_some_and(|value| number(&value).ok() == Some(*count));
        if !is_right {
            fixes.push(Fix::Put(CITATIONS, key, number_value(*count)));
        }
        places.push(scope.key().fixed(&audience.0).into_vec());
        values.push(marks_value(marks));
    }
    fixes.extend(stored.into_keys().map(|key| Fix::Delete(CITATIONS, key)));
    let keys: Vec<&[u8]> = places.iter().map(Vec::as_slice).collect();
    let mut wrong = Vec::new();
    reader.multi_get(AUDIENCES, &keys, &mut |at, value| {
        if value != Some(&values[at]) {
            wrong.push(at);
        }
    })?;
    fixes.extend(wrong.into_iter().map(|at| Fix::Put(AUDIENCES, places[at].clone(), values[at].clone())));
    Ok(fixes)
}

type Counted = BTreeMap<Audience, (u64, Vec<String>)>;

/// Counts the live children of an artifact, by their readers.
fn count<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    parent: ArtifactId,
) -> Result<Counted, ArtifactError> {
    let prefix = scope.key().fixed(parent.as_bytes());
    let mut range = KeyRange::prefix(&prefix).limit(PAGE);
    let mut counted = Counted::new();
    loop {
        let (mut children, mut last) = (Vec::new(), None);
        reader.multi_scan(CHILDREN, &[range.clone()], &mut |_, key, _| {
            children.extend(key.last_chunk().copied().map(ArtifactId::from_bytes));
            last = Some(key.to_vec());
            Visit::Continue
        })?;
        let Some(last) = last else { return Ok(counted) };
        range.low = Bound::Excluded(last);
        for child in find_each(reader, scope, &children)?.into_iter().flatten() {
            let child = child?;
            if child.is_live() && child.parents.iter().any(|(named, _)| *named == parent) {
                add(&mut counted, &child);
            }
        }
    }
}

fn add(counted: &mut Counted, child: &Artifact) {
    let marks = child.sharing().marks();
    let (count, _) = counted.entry(Audience::of(&marks)).or_insert_with(|| (0, marks));
    *count += 1;
}
