//! What traces of a damaged store say about turns.

use std::collections::{BTreeMap, BTreeSet};

use cairn_base::{KeyReader, Position, TenantId, take_varint};
use cairn_seam::{Certainty, EventKind, Trace};

use crate::prune::Bits;
use crate::record;
use crate::tables::{
    CONTEXT_CREATED, CONTEXT_PRUNED, CONTEXTS, COUNTERS, TURN_APPENDED, TURN_PRUNED, TURNS, TYPES,
};

/// Records between two notes of how far numbers were.
const NOTE_EVERY: u32 = 256;
/// Numbers in damaged frames that are kept.
const DOUBTFUL_MAX: usize = 100_000;

/// What is known of each tenant's turns beside their records.
#[derive(Debug, Default)]
pub struct Clues(BTreeMap<TenantId, TenantClues>);

#[derive(Debug, Default)]
pub(super) struct TenantClues {
    /// Highest numbers that were seen.
    pub(super) last_turn: u64,
    pub(super) last_context: u64,
    pub(super) last_type: u32,
    /// Position of the newest counters that were seen.
    pub(super) counted_at: Position,
    pub(super) deleted_turns: Bits,
    pub(super) deleted_contexts: Bits,
    /// Numbers in frames that do not verify.
    pub(super) doubtful_turns: BTreeSet<u64>,
    pub(super) doubtful_contexts: BTreeSet<u64>,
    /// Position, last turn, last context, now and then.
    notes: Vec<(Position, u64, u64)>,
    /// Records since the last note.
    unnoted: u32,
}

impl Clues {
    /// Takes note of a trace.
    pub fn saw(&mut self, certainty: Certainty, position: Position, tenant: TenantId, trace: Trace<'_>) {
        match trace {
            Trace::Put { keyspace, key, value } => self.put(certainty, position, keyspace, key, Some(value)),
            Trace::Delete { keyspace, key } => self.put(certainty, position, keyspace, key, None),
            Trace::Event { kind, body } => self.event(certainty, tenant, kind, body),
        }
    }

    pub(super) fn of(&self, tenant: TenantId) -> &TenantClues {
        static NONE: TenantClues = TenantClues::none();
        self.0.get(&tenant).unwrap_or(&NONE)
    }

    fn put(&mut self, certainty: Certainty, at: Position, keyspace: u16, key: &[u8], value: Option<&[u8]>) {
        let ours = [TURNS, CONTEXTS, COUNTERS, TYPES].iter().any(|ours| ours.id == keyspace);
        let mut parts = KeyReader::new(key);
        let Some(tenant) = parts.tenant().ok().filter(|_| ours && parts.space().is_ok()) else { return };
        let clues = self.0.entry(tenant).or_default();
        let number = parts.u64().ok();
        let is_proven = certainty == Certainty::Proven;
        if keyspace == COUNTERS.id {
            let counters = value.and_then(|value| record::decode_counters(value).ok()).filter(|_| is_proven);
            if let Some(counters) = counters {
                clues.last_turn = clues.last_turn.max(counters.turn);
                clues.last_context = clues.last_context.max(counters.context);
                clues.counted_at = clues.counted_at.max(at);
            }
        } else if keyspace == TYPES.id {
            let last = key.last_chunk().map_or(0, |number| u32::from_be_bytes(*number));
            clues.last_type = clues.last_type.max(if is_proven { last } else { 0 });
        } else if let Some(number) = number {
            let is_turn = keyspace == TURNS.id;
            match (is_proven, value, is_turn) {
                (true, None, true) => clues.deleted_turns.insert(number),
                (true, None, false) => clues.deleted_contexts.insert(number),
                (true, Some(_), true) => clues.last_turn = clues.last_turn.max(number),
                (true, Some(_), false) => clues.last_context = clues.last_context.max(number),
                (false, _, is_turn) => clues.doubt(is_turn, number),
            }
        }
        if is_proven {
            clues.note(at);
        }
    }

    fn event(&mut self, certainty: Certainty, tenant: TenantId, kind: EventKind, mut body: &[u8]) {
        let is_turn = [TURN_APPENDED, TURN_PRUNED].contains(&kind);
        if !is_turn && ![CONTEXT_CREATED, CONTEXT_PRUNED].contains(&kind) {
            return;
        }
        let Some(number) = take_varint(&mut body).filter(|_| body.is_empty()) else { return };
        let clues = self.0.entry(tenant).or_default();
        match (certainty, is_turn) {
            (Certainty::Proven, true) => clues.last_turn = clues.last_turn.max(number),
            (Certainty::Proven, false) => clues.last_context = clues.last_context.max(number),
            (Certainty::Doubtful, is_turn) => clues.doubt(is_turn, number),
        }
    }
}

impl TenantClues {
    const fn none() -> Self {
        TenantClues {
            last_turn: 0,
            last_context: 0,
            last_type: 0,
            counted_at: Position::START,
            deleted_turns: Bits::new(),
            deleted_contexts: Bits::new(),
            doubtful_turns: BTreeSet::new(),
            doubtful_contexts: BTreeSet::new(),
            notes: Vec::new(),
            unnoted: 0,
        }
    }

    fn doubt(&mut self, is_turn: bool, number: u64) {
        let numbers = if is_turn { &mut self.doubtful_turns } else { &mut self.doubtful_contexts };
        if numbers.len() < DOUBTFUL_MAX {
            numbers.insert(number);
        }
    }

    fn note(&mut self, position: Position) {
        self.unnoted = self.unnoted.saturating_add(1);
        let is_due = |(last, ..): &(Position, u64, u64)| self.unnoted >= NOTE_EVERY && position > *last;
        if self.notes.last().is_none_or(is_due) {
            self.notes.push((position, self.last_turn, self.last_context));
            self.unnoted = 0;
        }
    }

    /// The last turn and context that were surely there at a position.
    pub(super) fn last_at(&self, position: Position) -> (u64, u64) {
        let behind = self.notes.partition_point(|(at, ..)| *at <= position);
        if behind == self.notes.len() {
            return (self.last_turn, self.last_context);
        }
        behind.checked_sub(1).map_or((0, 0), |at| (self.notes[at].1, self.notes[at].2))
    }
}
