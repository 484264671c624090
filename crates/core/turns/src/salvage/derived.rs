//! Records that follow from turns and contexts.

use std::collections::{BTreeMap, BTreeSet};

use cairn_access::Scope;
use cairn_base::{KeyReader, TurnId};
use cairn_seam::{Fix, KeyRange, Keyspace, Reader, Rebuilt, Visit};

use super::clues::TenantClues;
use super::turns::Survey;
use super::{item, varint};
use crate::context::Context;
use crate::error::TurnsError;
use crate::lineage::ancestor_at;
use crate::tables::{BRANCHES, FORKS, ROOTS, TERMS, TIMES, TYPE_NUMBERS, TYPES};
use crate::times::{self, BLOCK};
use crate::{intern, metadata, read};

type Rows = BTreeMap<Vec<u8>, Vec<u8>>;

pub(super) fn rebuild(
    reader: &dyn Reader,
    scope: &Scope,
    survey: &Survey,
    contexts: &[Context],
    clues: &TenantClues,
    out: &mut Rebuilt,
) -> Result<(), TurnsError> {
    roots(reader, scope, survey, contexts, out)?;
    forks(reader, scope, contexts, out)?;
    let branches = survey.branches.iter();
    let branches =
        branches.map(|(parent, child)| (scope.key().u64(*parent).u64(*child).into_vec(), Vec::new()));
    replace(reader, scope, BRANCHES, &branches.collect(), out)?;
    spans(reader, scope, contexts, out)?;
    types(reader, scope, survey, clues, out)
}

/// The first turn of each context, and what it is found by.
fn roots(
    reader: &dyn Reader,
    scope: &Scope,
    survey: &Survey,
    contexts: &[Context],
    out: &mut Rebuilt,
) -> Result<(), TurnsError> {
    let (mut roots, mut terms) = (Rows::new(), Rows::new());
    for context in contexts.iter().filter(|context| context.head != TurnId::NONE) {
        let newest = survey.ends.get(&context.id.0).map(|ends| ends.newest);
        let head = match newest.filter(|newest| newest.id == context.head) {
            Some(head) => head,
            None => read::turn(reader, scope, context.head)?,
        };
        let root = match ancestor_at(reader, scope, head, 0) {
            Ok(root) => root.map(|root| root.id),
            // Where the chain began was written down; it does not change.
            Err(TurnsError::AncestorLost { .. }) => metadata::root_of(reader, scope, context.id)?,
            Err(error) => return Err(error),
        };
        let Some(root) = root else { continue };
        roots.insert(scope.key().u64(context.id.0).into_vec(), varint(root.0));
        for key in metadata::terms_of(reader, scope, context.id, root)? {
            terms.insert(key.into_vec(), Vec::new());
        }
    }
    replace(reader, scope, ROOTS, &roots, out)?;
    replace(reader, scope, TERMS, &terms, out)
}

fn forks(
    reader: &dyn Reader,
    scope: &Scope,
    contexts: &[Context],
    out: &mut Rebuilt,
) -> Result<(), TurnsError> {
    let mut wanted = Rows::new();
    let mut unknown = BTreeSet::new();
    for fork in contexts.iter().filter(|context| context.base != TurnId::NONE) {
        match read::turn(reader, scope, fork.base) {
            Ok(base) => {
                wanted.insert(scope.key().u64(base.context.0).u64(fork.id.0).into_vec(), Vec::new());
            }
            Err(TurnsError::NoTurn(_)) => {
                unknown.insert(fork.id.0);
            }
            Err(error) => return Err(error),
        }
    }
    // Of which context a lost turn was, only the note itself tells.
    reader.multi_scan(FORKS, &[KeyRange::prefix(&scope.key())], &mut |_, key, _| {
        let fork = key.last_chunk().map_or(0, |fork| u64::from_be_bytes(*fork));
        if unknown.contains(&fork) {
            wanted.insert(key.to_vec(), Vec::new());
        }
        Visit::Continue
    })?;
    replace(reader, scope, FORKS, &wanted, out)
}

/// Times of blocks of contexts: wide enough for those that are left.
fn spans(
    reader: &dyn Reader,
    scope: &Scope,
    contexts: &[Context],
    out: &mut Rebuilt,
) -> Result<(), TurnsError> {
    let mut blocks: BTreeMap<u64, (u64, u64)> = BTreeMap::new();
    for context in contexts {
        let made = context.created_at_ms;
        let block = blocks.entry(context.id.0 / BLOCK).or_insert((made, made));
        *block = (block.0.min(made), block.1.max(made));
    }
    for (block, (earliest, latest)) in blocks {
        let key = scope.key().u64(block);
        // A block of which nothing is known is never passed over.
        let Some(stored) = cairn_seam::get(reader, TIMES, &key)? else { continue };
        let value = match times::times_from(&stored) {
            Ok((low, high)) if low <= earliest && latest <= high => continue,
            Ok((low, high)) => times::to_value(low.min(earliest), high.max(latest)),
            Err(_) => times::to_value(earliest, latest),
        };
        out.fixes.push(Fix::Put(TIMES, key.into_vec(), value));
    }
    Ok(())
}

/// Names of types by number and numbers by name. A type whose name is lost gets one that says so.
fn types(
    reader: &dyn Reader,
    scope: &Scope,
    survey: &Survey,
    clues: &TenantClues,
    out: &mut Rebuilt,
) -> Result<(), TurnsError> {
    let mut names: BTreeMap<u32, Vec<u8>> = BTreeMap::new();
    reader.multi_scan(TYPES, &[KeyRange::prefix(&scope.key())], &mut |_, key, name| {
        let number = key.last_chunk().map_or(0, |number| u32::from_be_bytes(*number));
        names.insert(number, name.to_vec());
        Visit::Continue
    })?;
    let mut known_last = clues.last_type;
    reader.multi_scan(TYPE_NUMBERS, &[KeyRange::prefix(&scope.key())], &mut |_, _, mut value| {
        let number = cairn_base::take_varint(&mut value).and_then(|number| u32::try_from(number).ok());
        known_last = known_last.max(number.unwrap_or(0));
        Visit::Continue
    })?;
    let used = survey.types.iter().copied().chain([known_last]).filter(|number| *number > 0);
    let missing: BTreeSet<u32> = used.filter(|number| !names.contains_key(number)).collect();
    for number in missing {
        let name = format!("lost.type.{number}");
        out.lost.push(item(scope, "type", number.into(), format!("it is called {name} now")));
        out.fixes.push(Fix::Put(TYPES, scope.key().u32(number).into_vec(), name.clone().into_bytes()));
        names.insert(number, name.into_bytes());
    }
    let mut numbers = Rows::new();
    for (number, name) in names {
        if let Ok(name) = String::from_utf8(name) {
            numbers.insert(scope.key().fixed(&intern::hash(&name)).into_vec(), varint(number.into()));
        }
    }
    replace(reader, scope, TYPE_NUMBERS, &numbers, out)
}

/// Makes a keyspace hold these rows in a scope, and no others.
fn replace(
    reader: &dyn Reader,
    scope: &Scope,
    keyspace: Keyspace,
    wanted: &Rows,
    out: &mut Rebuilt,
) -> Result<(), TurnsError> {
    let mut right = BTreeSet::new();
    reader.multi_scan(keyspace, &[KeyRange::prefix(&scope.key())], &mut |_, key, value| {
        if wanted.get(key).is_some_and(|wanted| wanted == value) {
            right.insert(key.to_vec());
        } else if !wanted.contains_key(key) && KeyReader::new(key).tenant().is_ok() {
            out.fixes.push(Fix::Delete(keyspace, key.to_vec()));
        }
        Visit::Continue
    })?;
    let missing = wanted.iter().filter(|(key, _)| !right.contains(*key));
    out.fixes.extend(missing.map(|(key, value)| Fix::Put(keyspace, key.clone(), value.clone())));
    Ok(())
}
