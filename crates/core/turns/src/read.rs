//! Turns one by one, and windows of a context's history.

use std::ops::Bound;

use cairn_access::Scope;
use cairn_base::{ContextId, KeyReader, TurnId};
use cairn_seam::{KeyRange, Order, Read, Reader, Visit, read_all};

use crate::chain::walk_up;
use crate::context::{Context, head};
use crate::error::TurnsError;
use crate::lineage::ancestor_at;
use crate::record;
use crate::tables::{CONTEXTS, TURNS};
use crate::turn::Turn;

/// Asked of every turn of a window, the newest first: [`Visit::Stop`] leaves out this one and all before.
pub type Admit<'a> = &'a mut dyn FnMut(&Turn) -> Visit;

/// One turn.
pub fn turn<R: Reader + ?Sized>(reader: &R, scope: &Scope, id: TurnId) -> Result<Turn, TurnsError> {
    let mut found = Err(TurnsError::NoTurn(id));
    reader.multi_get(TURNS, &[&scope.key().u64(id.0)], &mut |_, value| {
        if let Some(bytes) = value {
            found = record::decode_turn(id, bytes);
        }
    })?;
    found
}

/// Many turns at once, in their order; those that are not there are left out.
pub fn turns<R: Reader + ?Sized>(reader: &R, scope: &Scope, ids: &[TurnId]) -> Result<Vec<Turn>, TurnsError> {
    let mut found = Vec::with_capacity(ids.len());
    each_turn(reader, scope, ids, &mut |_, turn| found.push(turn))?;
    found.into_iter().collect()
}

/// Visits many turns in their order, read in one round; those that are not there are left out.
pub(crate) fn each_turn<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    ids: &[TurnId],
    visit: &mut dyn FnMut(TurnId, Result<Turn, TurnsError>),
) -> Result<(), TurnsError> {
    let keys: Vec<_> = ids.iter().map(|id| scope.key().u64(id.0)).collect();
    let keys: Vec<&[u8]> = keys.iter().map(|key| &**key).collect();
    reader.multi_get(TURNS, &keys, &mut |at, value| {
        if let Some(bytes) = value {
            visit(ids[at], record::decode_turn(ids[at], bytes));
        }
    })?;
    Ok(())
}

/// Up to `limit` turns of all contexts, of those after `after` and not after `up_to`, in this order.
pub fn turns_between<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    (after, up_to): (TurnId, TurnId),
    order: Order,
    limit: usize,
) -> Result<Vec<Turn>, TurnsError> {
    if after >= up_to {
        return Ok(Vec::new());
    }
    let [low, high] = [after, up_to].map(|id| scope.key().u64(id.0).into_vec());
    let range = KeyRange { order, limit, ..KeyRange::new(Bound::Excluded(low), Bound::Included(high)) };
    let mut rows = Vec::new();
    reader.multi_scan(TURNS, &[range], &mut |_, key, value| {
        rows.push(turn_of(key).and_then(|id| record::decode_turn(id, value)));
        Visit::Continue
    })?;
    rows.into_iter().collect()
}

pub(crate) fn turn_of(key: &[u8]) -> Result<TurnId, TurnsError> {
    let mut parts = KeyReader::new(key);
    let id = parts.tenant().and_then(|_| parts.space()).and_then(|_| parts.u64());
    id.map(TurnId).map_err(|error| TurnsError::BadRecord { what: "turn key", detail: error.to_string() })
}

/// The newest turns of a context, at most `limit`, oldest first; and the context.
pub fn last<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    context: ContextId,
    limit: usize,
    admit: Admit<'_>,
) -> Result<(Context, Vec<Turn>), TurnsError> {
    let context = head(reader, scope, context)?;
    let turns = walk_up(reader, scope, context.head, limit, admit)?;
    Ok((context, turns))
}

/// The turns before one of a context's history, at most `limit`, oldest first; and the context.
pub fn before<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    context: ContextId,
    before: TurnId,
    limit: usize,
    admit: Admit<'_>,
) -> Result<(Context, Vec<Turn>), TurnsError> {
    let (context, turn) = context_and_turn(reader, scope, context, before)?;
    let newest = newest_of(reader, scope, &context)?;
    let at_depth = newest.map(|newest| ancestor_at(reader, scope, newest, turn.depth)).transpose()?;
    if at_depth.flatten().is_none_or(|found| found.id != turn.id) {
        return Err(TurnsError::NotInContext { turn: before, context: context.id });
    }
    let turns = match walk_up(reader, scope, turn.parent, limit, admit) {
        Err(TurnsError::NoTurn(lost)) => return Err(TurnsError::AncestorLost { lost, below: turn.id }),
        turns => turns?,
    };
    Ok((context, turns))
}

/// Turns of a context's history from a depth on, at most `limit`, oldest first; and the context.
///
/// Unlike the others it keeps the oldest when there is no room for all: `admit` is asked from there.
pub fn by_depth<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    context: ContextId,
    start: u32,
    limit: usize,
    admit: Admit<'_>,
) -> Result<(Context, Vec<Turn>), TurnsError> {
    let context = head(reader, scope, context)?;
    let Some(newest) = newest_of(reader, scope, &context)?.filter(|newest| newest.depth >= start) else {
        return Ok((context, Vec::new()));
    };
    let Some(count) = u32::try_from(limit).unwrap_or(u32::MAX).checked_sub(1) else {
        return Ok((context, Vec::new()));
    };
    let end = start.saturating_add(count).min(newest.depth);
    let last = ancestor_at(reader, scope, newest, end)?;
    let last = last.map_or(TurnId::NONE, |turn| turn.id);
    let count = usize::try_from(end - start).unwrap_or(usize::MAX).saturating_add(1);
    let mut turns = walk_up(reader, scope, last, count, &mut |_| Visit::Continue)?;
    let room = turns.iter().position(|turn| admit(turn) == Visit::Stop);
    turns.truncate(room.unwrap_or(turns.len()));
    Ok((context, turns))
}

/// A context and a turn, read in one round.
fn context_and_turn<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    context: ContextId,
    turn: TurnId,
) -> Result<(Context, Turn), TurnsError> {
    let (of_context, of_turn) = (scope.key().u64(context.0), scope.key().u64(turn.0));
    let reads = [Read::Key(CONTEXTS, &of_context), Read::Key(TURNS, &of_turn)];
    let mut found = read_all(reader, &reads)?.into_iter();
    let mut next = || found.next().flatten();
    let (of_context, of_turn) = (next(), next());
    let of_context = of_context.ok_or(TurnsError::NoContext(context))?;
    let of_context = record::decode_context(context, &of_context)?;
    let of_turn = of_turn.ok_or(TurnsError::NoTurn(turn))?;
    Ok((of_context, record::decode_turn(turn, &of_turn)?))
}

fn newest_of<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    context: &Context,
) -> Result<Option<Turn>, TurnsError> {
    if context.head == TurnId::NONE {
        return Ok(None);
    }
    turn(reader, scope, context.head).map(Some)
}
