//! When contexts were made, block by block: a search by time passes over blocks that have nothing for it.
//!
//! Contexts are numbered in the order in which they are made, but clocks are set back and histories are
//! imported, so that numbers say nothing certain about times. A block of numbers knows its earliest and
//! its latest time.

use cairn_access::Scope;
use cairn_base::{ContextId, put_varint, take_varint};
use cairn_seam::{KeyRange, Reader, Visit, WriteTx, get};

use crate::context::contexts;
use crate::error::TurnsError;
use crate::tables::TIMES;

/// Contexts in a block.
pub(crate) const BLOCK: u64 = 256;

/// Times from one to another, both included, in Unix milliseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) low: i64,
    pub(crate) high: i64,
}

impl Span {
    /// What both have.
    pub(crate) fn and(self, other: Span) -> Span {
        Span { low: self.low.max(other.low), high: self.high.min(other.high) }
    }

    fn meets(self, (earliest, latest): (u64, u64)) -> bool {
        i128::from(self.low) <= i128::from(latest) && i128::from(earliest) <= i128::from(self.high)
    }
}

/// Notes when a context was made.
pub(crate) fn note(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    context: ContextId,
    made_at_ms: u64,
) -> Result<(), TurnsError> {
    let key = scope.key().u64(context.0 / BLOCK);
    let known = get(tx, TIMES, &key)?.as_deref().map(times_from).transpose()?;
    let (earliest, latest) = match known {
        Some((earliest, latest)) if (earliest..=latest).contains(&made_at_ms) => return Ok(()),
        Some((earliest, latest)) => (earliest.min(made_at_ms), latest.max(made_at_ms)),
        // A block with contexts that were not noted says nothing, and is never passed over.
        None if is_alone(tx, scope, context)? => (made_at_ms, made_at_ms),
        None => return Ok(()),
    };
    Ok(tx.put(TIMES, &key, &to_value(earliest, latest))?)
}

/// What is stored of the times of a block.
pub(crate) fn to_value(earliest: u64, latest: u64) -> Vec<u8> {
    let mut value = Vec::new();
    put_varint(&mut value, earliest);
    put_varint(&mut value, latest - earliest);
    value
}

/// Whether a context is the only one of its block.
fn is_alone(tx: &dyn WriteTx, scope: &Scope, context: ContextId) -> Result<bool, TurnsError> {
    let first = context.0 / BLOCK * BLOCK;
    let newest = contexts(tx, scope, first.checked_add(BLOCK).map(ContextId), 2)?;
    Ok(newest.iter().all(|other| other.id.0 < first || other.id == context))
}

/// The first context of the newest block that may have contexts before `before` which were made in a span.
pub(crate) fn newest_block<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    before: Option<ContextId>,
    span: Span,
) -> Result<Option<ContextId>, TurnsError> {
    let Some(newest) = contexts(reader, scope, before, 1)?.pop() else { return Ok(None) };
    let top = newest.id.0 / BLOCK;
    let mut range = KeyRange::prefix(&scope.key()).descending();
    range.high = std::ops::Bound::Included(scope.key().u64(top).into_vec());
    // The block that is next if nothing is known of it.
    let (mut next, mut found) = (Some(top), Ok(None));
    reader.multi_scan(TIMES, &[range], &mut |_, key, value| {
        let block = key.last_chunk().map_or(0, |block| u64::from_be_bytes(*block));
        if next != Some(block) {
            return Visit::Stop;
        }
        match times_from(value) {
            Ok(times) if !span.meets(times) => {
                next = block.checked_sub(1);
                Visit::Continue
            }
            times => {
                found = times.map(|_| Some(block));
                Visit::Stop
            }
        }
    })?;
    Ok(found?.or(next).map(|block| ContextId(block * BLOCK)))
}

pub(crate) fn times_from(mut bytes: &[u8]) -> Result<(u64, u64), TurnsError> {
    let mut number = || take_varint(&mut bytes);
    let times = number().zip(number());
    let times = times.and_then(|(earliest, length)| Some((earliest, earliest.checked_add(length)?)));
    let bad = || TurnsError::BadRecord { what: "times of contexts", detail: "it does not decode".into() };
    times.filter(|_| bytes.is_empty()).ok_or_else(bad)
}
