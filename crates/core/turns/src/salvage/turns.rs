//! A walk over all turns that are left.

use std::collections::{BTreeMap, BTreeSet};

use cairn_access::Scope;
use cairn_base::TurnId;
use cairn_seam::{KeyRange, Order, Reader, Visit};

use crate::error::TurnsError;
use crate::prune::Bits;
use crate::read::turns_between;
use crate::tables::{IMPORTED_TURNS, METADATA, TREES};
use crate::turn::Turn;

const PAGE: usize = 4096;

/// The first and the newest turn that was appended to a context.
#[derive(Debug, Clone, Copy)]
pub(super) struct Ends {
    pub(super) first: Turn,
    pub(super) newest: Turn,
}

/// What a walk over all turns found.
#[derive(Debug, Default)]
pub(super) struct Survey {
    pub(super) turns: Bits,
    pub(super) count: u64,
    /// The highest number of a turn that anything names.
    pub(super) last_turn: u64,
    pub(super) last_context: u64,
    /// By context.
    pub(super) ends: BTreeMap<u64, Ends>,
    /// Turns whose parent is lost, and that parent.
    pub(super) orphans: Vec<(u64, u64)>,
    /// Turns below one of another context: parent, child.
    pub(super) branches: BTreeSet<(u64, u64)>,
    pub(super) types: BTreeSet<u32>,
}

impl Survey {
    pub(super) fn of(reader: &dyn Reader, scope: &Scope) -> Result<Self, TurnsError> {
        let mut survey = Survey::default();
        let mut after = TurnId::NONE;
        loop {
            let range = (after, TurnId(u64::MAX));
            let page = turns_between(reader, scope, range, Order::Ascending, PAGE)?;
            let Some(last) = page.last() else { break };
            after = last.id;
            survey.take(reader, scope, &page)?;
        }
        for keyspace in [TREES, METADATA] {
            let newest = KeyRange::prefix(&scope.key()).descending().limit(1);
            reader.multi_scan(keyspace, &[newest], &mut |_, key, _| {
                let number = key.last_chunk().map_or(0, |number| u64::from_be_bytes(*number));
                survey.last_turn = survey.last_turn.max(number);
                Visit::Stop
            })?;
        }
        reader.multi_scan(IMPORTED_TURNS, &[KeyRange::prefix(&scope.key())], &mut |_, _, mut value| {
            let number = cairn_base::take_varint(&mut value).unwrap_or(0);
            survey.last_turn = survey.last_turn.max(number);
            Visit::Continue
        })?;
        Ok(survey)
    }

    fn take(&mut self, reader: &dyn Reader, scope: &Scope, page: &[Turn]) -> Result<(), TurnsError> {
        let mut elsewhere = Vec::new();
        for turn in page {
            self.turns.insert(turn.id.0);
            self.count += 1;
            self.last_turn = self.last_turn.max(turn.id.0);
            self.last_context = self.last_context.max(turn.context.0);
            self.types.insert(turn.type_number.0);
            let newest = self.ends.get(&turn.context.0).map(|ends| ends.newest.id);
            // Numbers grow: a parent that is left was seen before.
            if turn.parent != TurnId::NONE && !self.turns.contains(turn.parent.0) {
                self.orphans.push((turn.id.0, turn.parent.0));
            } else if turn.parent != TurnId::NONE && newest != Some(turn.parent) {
                elsewhere.push(*turn);
            }
            let ends = self.ends.entry(turn.context.0).or_insert(Ends { first: *turn, newest: *turn });
            ends.newest = *turn;
        }
        let parents: Vec<TurnId> = elsewhere.iter().map(|turn| turn.parent).collect();
        let parents = crate::read::turns(reader, scope, &parents)?;
        for (turn, parent) in elsewhere.iter().zip(&parents) {
            if turn.parent == parent.id && turn.context != parent.context {
                self.branches.insert((parent.id.0, turn.id.0));
            }
        }
        Ok(())
    }
}
