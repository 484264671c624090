//! Contexts: names for the newest turn of a chain.

use std::ops::Bound;

use cairn_access::Scope;
use cairn_base::{ContextId, KeyReader, TurnId, prefix_end, put_varint};
use cairn_seam::{Event, KeyRange, Keyspace, Reader, Visit, WriteTx, get};

use crate::error::TurnsError;
use crate::lineage::ancestor_at;
use crate::record::{self, Counters};
use crate::tables::{CONTEXT_CREATED, CONTEXTS, COUNTERS, METADATA_UPDATED};
use crate::{fork, metadata, read, times, turn::Turn};

/// A context.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Context {
    /// Its number.
    pub id: ContextId,
    /// Its newest turn; [`TurnId::NONE`] while it is empty.
    pub head: TurnId,
    /// The depth of its newest turn; 0 also while it is empty.
    pub head_depth: u32,
    /// The turn it was forked from; [`TurnId::NONE`] for one that began empty.
    pub base: TurnId,
    /// When it was made, in Unix milliseconds.
    pub created_at_ms: u64,
    /// When something was last appended to it, or it was made.
    pub active_at_ms: u64,
}

/// Makes a context: an empty one, or a fork whose head is the turn `base`.
pub fn create(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    base: Option<TurnId>,
    now_ms: u64,
) -> Result<Context, TurnsError> {
    let id = next_number(tx, scope)?;
    create_as(tx, scope, id, base, now_ms)
}

/// Takes a number that no context has.
pub(crate) fn next_number(tx: &mut dyn WriteTx, scope: &Scope) -> Result<ContextId, TurnsError> {
    let mut counters = counters(tx, scope)?;
    counters.context += 1;
    put_counters(tx, scope, counters)?;
    Ok(ContextId(counters.context))
}

/// Makes a context under a number that was taken for it.
pub(crate) fn create_as(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    id: ContextId,
    base: Option<TurnId>,
    now_ms: u64,
) -> Result<Context, TurnsError> {
    let base = base.map(|base| read::turn(tx, scope, base)).transpose()?;
    let context = Context {
        id,
        head: base.map_or(TurnId::NONE, |turn| turn.id),
        head_depth: base.map_or(0, |turn| turn.depth),
        base: base.map_or(TurnId::NONE, |turn| turn.id),
        created_at_ms: now_ms,
        active_at_ms: now_ms,
    };
    put(tx, scope, &context)?;
    let mut counters = counters(tx, scope)?;
    counters.contexts += 1;
    put_counters(tx, scope, counters)?;
    times::note(tx, scope, context.id, context.created_at_ms)?;
    if let Some(base) = base {
        fork::note(tx, scope, base.context, context.id)?;
        settle(tx, scope, context.id, base)?;
    }
    emit(tx, CONTEXT_CREATED, context.id.0)?;
    Ok(context)
}

/// A context as it is now.
pub fn head<R: Reader + ?Sized>(reader: &R, scope: &Scope, id: ContextId) -> Result<Context, TurnsError> {
    find(reader, scope, id)?.ok_or(TurnsError::NoContext(id))
}

/// A context as it is now, if it is there.
pub(crate) fn find<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    id: ContextId,
) -> Result<Option<Context>, TurnsError> {
    let stored = get(reader, CONTEXTS, &scope.key().u64(id.0))?;
    stored.as_deref().map(|bytes| record::decode_context(id, bytes)).transpose()
}

/// Some contexts, in their order; those that do not exist are left out.
pub(crate) fn contexts_of<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    ids: &[ContextId],
) -> Result<Vec<Context>, TurnsError> {
    let keys: Vec<_> = ids.iter().map(|id| scope.key().u64(id.0)).collect();
    let keys: Vec<&[u8]> = keys.iter().map(AsRef::as_ref).collect();
    let mut rows = Vec::new();
    reader.multi_get(CONTEXTS, &keys, &mut |at, value| {
        rows.extend(ids.get(at).zip(value).map(|(id, bytes)| record::decode_context(*id, bytes)));
    })?;
    rows.into_iter().collect()
}

/// Up to `limit` contexts, the newest first, of those made before `before`.
pub fn contexts<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    before: Option<ContextId>,
    limit: usize,
) -> Result<Vec<Context>, TurnsError> {
    let prefix = scope.key();
    let end = || prefix_end(&prefix).map_or(Bound::Unbounded, Bound::Excluded);
    let high = before.map_or_else(end, |before| Bound::Excluded(scope.key().u64(before.0).into_vec()));
    let range = KeyRange::new(Bound::Included(prefix.to_vec()), high).descending().limit(limit);
    let mut rows = Vec::new();
    reader.multi_scan(CONTEXTS, &[range], &mut |_, key, value| {
        rows.push(context_of(key).and_then(|id| record::decode_context(id, value)));
        Visit::Continue
    })?;
    rows.into_iter().collect()
}

/// Up to `limit` contexts by their numbers, of those made after `after` and not after `up_to`.
pub fn contexts_after<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    after: ContextId,
    up_to: ContextId,
    limit: usize,
) -> Result<Vec<Context>, TurnsError> {
    let [low, high] = [after, up_to].map(|id| scope.key().u64(id.0).into_vec());
    if after >= up_to {
        return Ok(Vec::new());
    }
    let range = KeyRange::new(Bound::Excluded(low), Bound::Included(high)).limit(limit);
    let mut rows = Vec::new();
    reader.multi_scan(CONTEXTS, &[range], &mut |_, key, value| {
        rows.push(context_of(key).and_then(|id| record::decode_context(id, value)));
        Visit::Continue
    })?;
    rows.into_iter().collect()
}

/// The last numbers that a context and a turn got.
pub fn last_numbers<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
) -> Result<(ContextId, TurnId), TurnsError> {
    let Counters { context, turn, .. } = counters(reader, scope)?;
    Ok((ContextId(context), TurnId(turn)))
}

fn context_of(key: &[u8]) -> Result<ContextId, TurnsError> {
    let mut parts = KeyReader::new(key);
    let id = parts.tenant().and_then(|_| parts.space()).and_then(|_| parts.u64());
    id.map(ContextId)
        .map_err(|error| TurnsError::BadRecord { what: "context key", detail: error.to_string() })
}

/// The context that an entry of [`CONTEXTS`] is about, and when it was last active, in Unix milliseconds;
/// `None` for any other entry.
pub fn activity_of(keyspace: Keyspace, key: &[u8], value: &[u8]) -> Option<(ContextId, u64)> {
    let id = (keyspace == CONTEXTS).then(|| context_of(key).ok())??;
    record::decode_context(id, value).ok().map(|context| (id, context.active_at_ms))
}

/// Moves the head of a context to a turn that was just appended.
pub(crate) fn advance(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    context: &Context,
    turn: &Turn,
) -> Result<(), TurnsError> {
    // Below the head the first turn stays the same.
    let is_elsewhere = turn.parent != context.head || turn.parent == TurnId::NONE;
    if is_elsewhere && settle(tx, scope, context.id, *turn)? {
        emit(tx, METADATA_UPDATED, context.id.0)?;
    }
    let active_at_ms = context.active_at_ms.max(turn.created_at_ms);
    put(tx, scope, &Context { head: turn.id, head_depth: turn.depth, active_at_ms, ..*context })
}

/// Lets a context be found by what the first turn of its head's chain says, and says whether that is news.
fn settle(tx: &mut dyn WriteTx, scope: &Scope, context: ContextId, head: Turn) -> Result<bool, TurnsError> {
    match ancestor_at(tx, scope, head, 0) {
        Ok(Some(root)) => metadata::settle(tx, scope, context, root.id),
        // What a lost first turn said is not known any more.
        Ok(None) | Err(TurnsError::AncestorLost { .. }) => Ok(false),
        Err(error) => Err(error),
    }
}

/// Removes everything by which a context is found, when it goes.
pub fn unlist(tx: &mut dyn WriteTx, scope: &Scope, context: &Context) -> Result<(), TurnsError> {
    fork::forget(tx, scope, context)?;
    metadata::withdraw(tx, scope, context.id)
}

fn put(tx: &mut dyn WriteTx, scope: &Scope, context: &Context) -> Result<(), TurnsError> {
    Ok(tx.put(CONTEXTS, &scope.key().u64(context.id.0), &record::encode_context(context))?)
}

/// The last numbers that were given, and how much there is.
pub fn counters<R: Reader + ?Sized>(reader: &R, scope: &Scope) -> Result<Counters, TurnsError> {
    counters_from(get(reader, COUNTERS, &scope.key())?.as_deref())
}

/// The counters out of their record.
pub(crate) fn counters_from(stored: Option<&[u8]>) -> Result<Counters, TurnsError> {
    stored.map_or(Ok(Counters::default()), record::decode_counters)
}

pub(crate) fn put_counters(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    counters: Counters,
) -> Result<(), TurnsError> {
    Ok(tx.put(COUNTERS, &scope.key(), &record::encode_counters(counters))?)
}

pub(crate) fn emit(tx: &mut dyn WriteTx, kind: cairn_seam::EventKind, number: u64) -> Result<(), TurnsError> {
    let mut body = Vec::new();
    put_varint(&mut body, number);
    Ok(tx.emit(Event { kind, body })?)
}
