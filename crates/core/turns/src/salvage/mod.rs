//! Putting turns right after records were lost.
//!
//! Turns and contexts that are left stay as they are. What follows from them is rebuilt: numbers that
//! were given, the index of first turns and of what they say, forks, branches and names of types. A turn
//! whose parent is lost stays, and reading past it fails ([`TurnsError::AncestorLost`]); a context whose
//! head is lost goes on from its newest turn that is left; a context whose own record is lost gets one.

mod clues;
mod contexts;
mod derived;
mod turns;

use cairn_access::Scope;
use cairn_base::{Position, put_varint};
use cairn_seam::{Fix, Item, Keyspace, Reader, Rebuilt, SalvagedStore};

pub use clues::Clues;

use crate::error::TurnsError;
use crate::record::{self, Counters};
use crate::tables::{CONTEXTS, COUNTERS, TURNS};

/// A turn takes at least this many bytes of a transaction: its record and its event.
const TURN_BYTES_MIN: u64 = 64;
/// The same for a context.
const CONTEXT_BYTES_MIN: u64 = 32;
/// Lost things of a kind that are named one by one.
const NAMED_MAX: usize = 1_000_000;

/// Finds out what is lost of a tenant's turns, and what has to change for the rest to be whole.
pub fn rebuild(
    reader: &dyn Reader,
    scope: &Scope,
    clues: &Clues,
    store: &SalvagedStore,
) -> Result<Rebuilt, TurnsError> {
    let clues = clues.of(scope.tenant());
    let mut out = Rebuilt::default();
    let stored = cairn_seam::get(reader, COUNTERS, &scope.key())?;
    let before = stored.as_deref().and_then(|bytes| record::decode_counters(bytes).ok());
    let mut survey = turns::Survey::of(reader, scope)?;
    let known = contexts::read(reader, scope, &mut survey)?;
    let stored = before.unwrap_or_default();
    let last_turn = [stored.turn, clues.last_turn, survey.last_turn].into_iter().max().unwrap_or(0);
    let last_context =
        [stored.context, clues.last_context, survey.last_context].into_iter().max().unwrap_or(0);
    if stored == Counters::default() && last_turn == 0 && last_context == 0 {
        return Ok(out);
    }

    // Numbers that were given behind the last that is known.
    let counted_to =
        clues.counted_at.max(if store.unread.is_empty() { store.records_to } else { Position::START });
    let unseen = store.lost_behind(counted_to);
    let room = |bytes: u64| if unseen == 0 { 0 } else { unseen / bytes + 1 };
    let (turn_end, context_end) = (last_turn + room(TURN_BYTES_MIN), last_context + room(CONTEXT_BYTES_MIN));

    let (old_turn, old_context) = clues.last_at(store.records_to);
    let missing = Missing { scope, store, kind: "turn", keyspace: TURNS, old: old_turn };
    let doubtful = clues.doubtful_turns.range(..=turn_end).copied().filter(|id| *id > last_turn);
    let gone = |id: &u64| !survey.turns.contains(*id) && !clues.deleted_turns.contains(*id);
    missing.list((1..=last_turn).filter(gone).chain(doubtful), &mut out.lost);
    let missing = Missing { scope, store, kind: "context", keyspace: CONTEXTS, old: old_context };
    let doubtful = clues.doubtful_contexts.range(..=context_end).copied().filter(|id| *id > last_context);
    let gone = |id: &u64| !known.ids.contains(*id) && !clues.deleted_contexts.contains(*id);
    let mut lost_contexts = Vec::new();
    missing.list((1..=last_context).filter(gone).chain(doubtful), &mut lost_contexts);

    let contexts = contexts::settle(reader, scope, &survey, known, &lost_contexts, &mut out)?;
    out.lost.append(&mut lost_contexts);
    out.orphans.extend(
        survey
            .orphans
            .iter()
            .map(|(turn, parent)| item(scope, "turn", *turn, format!("its parent, turn {parent}, is lost"))),
    );
    derived::rebuild(reader, scope, &survey, &contexts, clues, &mut out)?;

    let counters = Counters {
        context: context_end,
        turn: turn_end,
        contexts: contexts.len() as u64,
        turns: survey.count,
    };
    if before != Some(counters) {
        let value = record::encode_counters(counters);
        out.fixes.push(Fix::Put(COUNTERS, scope.key().into_vec(), value));
    }
    Ok(out)
}

/// What is looked for among numbers that are not there.
struct Missing<'a> {
    scope: &'a Scope,
    store: &'a SalvagedStore,
    kind: &'static str,
    keyspace: Keyspace,
    /// The last number that index and image knew.
    old: u64,
}

impl Missing<'_> {
    fn list(&self, numbers: impl Iterator<Item = u64>, lost: &mut Vec<Item>) {
        for number in numbers {
            let key = self.scope.key().u64(number);
            if lost.len() < NAMED_MAX && self.store.may_have_lost(self.keyspace, &key, number <= self.old) {
                lost.push(item(self.scope, self.kind, number, String::new()));
            }
        }
    }
}

fn item(scope: &Scope, kind: &'static str, id: u64, detail: String) -> Item {
    Item { tenant: scope.tenant(), space: scope.space(), kind, id: id.to_string(), detail }
}

fn varint(number: u64) -> Vec<u8> {
    let mut out = Vec::new();
    put_varint(&mut out, number);
    out
}
