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

/// Up to `limit` forks of a context with the turns at which they start, the newest first, of those made
/// before `before`.
pub fn forks<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    context: ContextId,
    before: Option<ContextId>,
    limit: usize,
) -> Result<Vec<(Context, Turn)>, TurnsError> {
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
    forks.into_iter().map(|fork| Ok((fork, read::turn(reader, scope, fork.base)?))).collect()
}

/// The context that this one was forked from, the one that that one was, and so on: at most `limit`.
pub fn parents<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    context: &Context,
    limit: usize,
) -> Result<Vec<ForkParent>, TurnsError> {
    let (mut found, mut base) = (Vec::new(), context.base);
    while base != TurnId::NONE && found.len() < limit {
        let turn = read::turn(reader, scope, base)?;
        found.push(ForkParent { context: turn.context, base: turn });
        base = context::head(reader, scope, turn.context)?.base;
    }
    Ok(found)
}
