//! The chain from a turn up, read in few rounds.
//!
//! Turns of a context are often numbered one after the other, so the newest ones are read with one scan
//! downwards. A context whose turns lie far apart, because many others are written at the same time, is
//! read on by parents and jumps: each round reads everything that the last one leads to, which takes
//! at most about 3 log2(limit) rounds and reads no turn twice.

use std::ops::Bound;

use cairn_access::Scope;
use cairn_base::TurnId;
use cairn_seam::{KeyRange, Reader, Visit};

use crate::error::TurnsError;
use crate::lineage::jump_length;
use crate::read::{Admit, each_turn, turn, turn_of};
use crate::record;
use crate::tables::TURNS;
use crate::turn::Turn;

/// A scan goes on while at least one in so many turns is of the chain.
const SPARSE: usize = 8;
/// So many turns are looked at before that is asked.
const TRIED: usize = 16;

/// The chain from a turn up, at most `limit` turns, oldest first. Ends early above a turn whose parent is
/// lost: the next window fails there.
pub(crate) fn walk_up<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    from: TurnId,
    limit: usize,
    admit: Admit<'_>,
) -> Result<Vec<Turn>, TurnsError> {
    if from == TurnId::NONE || limit == 0 {
        return Ok(Vec::new());
    }
    let (mut chain, mut read) = scan_down(reader, scope, from, limit)?;
    if read.is_ok() {
        read = complete(reader, scope, &mut chain, limit);
    }
    match chain.iter().position(|turn| admit(turn) == Visit::Stop) {
        Some(room) => chain.truncate(room),
        // A record that does not decode counts only where there is room for it.
        None => read?,
    }
    chain.reverse();
    Ok(chain)
}

/// The newest turns of a chain, newest first, with one scan over the numbers below `from`. Ends where the
/// chain does, where a turn is lost, and where turns of others lie in between too densely; also at a record
/// that does not decode, which is told beside them.
fn scan_down<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    from: TurnId,
    limit: usize,
) -> Result<(Vec<Turn>, Result<(), TurnsError>), TurnsError> {
    let rows_max = limit.saturating_mul(SPARSE).saturating_add(TRIED);
    // Numbers are given one after the other, so that these are about as many turns.
    let below = from.0.saturating_sub(u64::try_from(rows_max).unwrap_or(u64::MAX));
    let [low, high] = [below, from.0].map(|id| scope.key().u64(id).into_vec());
    let range = KeyRange::new(Bound::Excluded(low), Bound::Included(high)).descending().limit(rows_max);
    let (mut chain, mut rows, mut next) = (Vec::new(), 0, from);
    let mut bad = Ok(());
    reader.multi_scan(TURNS, &[range], &mut |_, key, value| {
        rows += 1;
        match turn_of(key) {
            Ok(id) if id == next => match record::decode_turn(id, value) {
                Ok(turn) => {
                    next = turn.parent;
                    chain.push(turn);
                }
                Err(error) => bad = Err(error),
            },
            // A number that is passed and was not met is lost.
            Ok(id) if id < next => next = TurnId::NONE,
            Ok(_) => {}
            Err(error) => bad = Err(error),
        }
        let is_sparse = rows > TRIED && chain.len() * SPARSE < rows;
        let is_done = next == TurnId::NONE || chain.len() == limit || is_sparse || bad.is_err();
        if is_done { Visit::Stop } else { Visit::Continue }
    })?;
    if chain.is_empty() && bad.is_ok() {
        return Err(TurnsError::NoTurn(from));
    }
    Ok((chain, bad))
}

/// Reads on what a scan left out, up to `limit` turns. Fails at a record that does not decode, with everything
/// below it in the chain.
fn complete<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    chain: &mut Vec<Turn>,
    limit: usize,
) -> Result<(), TurnsError> {
    let (Some(newest), Some(oldest)) = (chain.first().copied(), chain.last().copied()) else {
        return Ok(());
    };
    if chain.len() >= limit || oldest.parent == TurnId::NONE {
        return Ok(());
    }
    let mut places = Places::below(newest.depth, limit);
    let mut fresh = chain.clone();
    let mut wanted = Vec::new();
    while {
        wanted.clear();
        places.want(&fresh, &mut wanted);
        !wanted.is_empty()
    } {
        fresh.clear();
        each_turn(reader, scope, &wanted, &mut |_, turn| {
            // One that does not decode is read again, and fails, if the chain gets there.
            if let Ok(turn) = turn
                && places.put(turn)
            {
                fresh.push(turn);
            }
        })?;
    }
    let mut at = oldest.parent;
    while at != TurnId::NONE && chain.len() < limit {
        let known = places.known.get(chain.len()).copied().flatten().filter(|known| known.id == at);
        let turn = match known {
            Some(known) => known,
            // A jump that does not follow the rule hid it, it is lost, or it does not decode.
            None => match turn(reader, scope, at) {
                Err(TurnsError::NoTurn(_)) => return Ok(()),
                turn => turn?,
            },
        };
        chain.push(turn);
        at = turn.parent;
    }
    Ok(())
}

/// The turns of a chain by their distance from its newest one: there is one at each depth, so no map is needed.
struct Places {
    newest: u32,
    known: Vec<Option<Turn>>,
    asked: Vec<bool>,
}

impl Places {
    fn below(newest: u32, limit: usize) -> Self {
        let count = usize::try_from(newest).map_or(limit, |depth| limit.min(depth.saturating_add(1)));
        Places { newest, known: vec![None; count], asked: vec![false; count] }
    }

    /// The place of a depth, if the window has it.
    fn place(&self, depth: u32) -> Option<usize> {
        let place = usize::try_from(self.newest.checked_sub(depth)?).ok()?;
        (place < self.known.len()).then_some(place)
    }

    /// Adds what turns lead to and nobody has asked for yet.
    fn want(&mut self, turns: &[Turn], wanted: &mut Vec<TurnId>) {
        for turn in turns {
            if let Some(place) = self.place(turn.depth) {
                self.asked[place] = true;
            }
        }
        for turn in turns {
            let parent = (turn.parent, turn.depth.checked_sub(1));
            let jump = (turn.jump, turn.depth.checked_sub(jump_length(turn.depth)));
            for (id, depth) in [parent, jump] {
                let Some(place) = depth.and_then(|depth| self.place(depth)) else { continue };
                if id != TurnId::NONE && !std::mem::replace(&mut self.asked[place], true) {
                    wanted.push(id);
                }
            }
        }
    }

    /// Puts a turn where its depth says; says whether it is new there.
    fn put(&mut self, turn: Turn) -> bool {
        let Some(place) = self.place(turn.depth) else { return false };
        let is_new = self.known[place].is_none();
        self.known[place] = Some(turn);
        is_new
    }
}
