//! Which context was forked from which.

use std::ops::Bound;

use cairn_access::Scope;
use cairn_base::{ContextId, TurnId, prefix_end};
use cairn_seam::{KeyRange, Reader, Visit, WriteTx};

use crate::context::{self, Context};
use crate::error::TurnsError;
use crate::read;
use crate::tables::FORKS;
use crate::turn::Turn;

/// The context that another one was forked from, and where.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ForkParent {
    /// The context.
    pub context: ContextId,
    /// The turn of it at which the fork starts.
    pub base: Turn,
}

/// Notes that `fork` starts from a turn of `context`.
pub(crate) fn note(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    context: ContextId,
    fork: ContextId,
) -> Result<(), TurnsError> {
    Ok(tx.put(FORKS, &scope.key().u64(context.0).u64(fork.0), &[])?)
}

/// Forgets from where a context was forked, because it goes.
pub(crate) fn forget(tx: &mut dyn WriteTx, scope: &Scope, fork: &Context) -> Result<(), TurnsError> {
    match base_of(tx, scope, fork)? {
        Some(base) => Ok(tx.delete(FORKS, &scope.key().u64(base.context.0).u64(fork.id.0))?),
        None => Ok(()),
    }
}

/// The turn at which a context starts; `None` if it began empty, or the turn is gone.
fn base_of<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    fork: &Context,
) -> Result<Option<Turn>, TurnsError> {
    if fork.base == TurnId::NONE {
        return Ok(None);
    }
    match read::turn(reader, scope, fork.base) {
        Err(TurnsError::NoTurn(_)) => Ok(None),
        found => found.map(Some),
    }
}

/// Up to `limit` forks of a context with the turns at which they start, the newest first, of those made
/// before `before`. A turn may be gone by now.
pub fn forks<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    context: ContextId,
    before: Option<ContextId>,
    limit: usize,
) -> Result<Vec<(Context, Option<Turn>)>, TurnsError> {
    let prefix = scope.key().u64(context.0);
    let high = match before {
        Some(before) => Bound::Excluded(prefix.clone().u64(before.0).into_vec()),
        None => prefix_end(&prefix).map_or(Bound::Unbounded, Bound::Excluded),
    };
    let range = KeyRange::new(Bound::Included(prefix.into_vec()), high).descending().limit(limit);
    let mut ids = Vec::new();
    reader.multi_scan(FORKS, &[range], &mut |_, key, _| {
        ids.extend(key.last_chunk().map(|id| ContextId(u64::from_be_bytes(*id))));
        Visit::Continue
    })?;
    let forks = context::contexts_of(reader, scope, &ids)?;
    forks.into_iter().map(|fork| Ok((fork, base_of(reader, scope, &fork)?))).collect()
}

/// The context that this one was forked from, the one that that one was, and so on: at most `limit`,
/// and only up to one that is gone.
pub fn parents<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    context: &Context,
    limit: usize,
) -> Result<Vec<ForkParent>, TurnsError> {
    let (mut found, mut at) = (Vec::new(), Some(*context));
    while found.len() < limit
        && let Some(fork) = at
        && let Some(base) = base_of(reader, scope, &fork)?
    {
        found.push(ForkParent { context: base.context, base });
        at = context::find(reader, scope, base.context)?;
    }
    Ok(found)
}
