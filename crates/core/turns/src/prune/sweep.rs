//! Which turns go, and removing them.

use std::collections::HashSet;

use cairn_access::Scope;
use cairn_base::{ContextId, TurnId};
use cairn_seam::{Order, Reader, WriteTx};

use super::bits::Bits;
use crate::context::{Context, contexts_after, counters, emit, last_numbers, put_counters};
use crate::error::TurnsError;
use crate::read::turns_between;
use crate::tables::{BRANCHES, METADATA, TREES, TURN_PRUNED, TURNS};
use crate::turn::Turn;

/// How far a walk over all turns is, and what it knows: a bit per context and a bit per turn.
#[derive(Debug, Clone)]
pub struct Sweep {
    /// Contexts that stay.
    kept: Bits,
    /// Turns that something which stays refers to.
    needed: Bits,
    seen: (ContextId, TurnId),
    /// The newest turn that was not looked at yet.
    next: TurnId,
}

/// What came since a walk began, or since it last looked.
#[derive(Debug, Clone)]
pub struct Arrivals {
    contexts: Vec<ContextId>,
    turns: HashSet<TurnId>,
    up_to: (ContextId, TurnId),
}

impl Sweep {
    /// Begins where the store is now. Then it is to be told of every context that is there by now.
    pub fn begin<R: Reader + ?Sized>(reader: &R, scope: &Scope) -> Result<Self, TurnsError> {
        let seen = last_numbers(reader, scope)?;
        Ok(Sweep { kept: Bits::default(), needed: Bits::default(), seen, next: seen.1 })
    }

    /// The last context to be told of.
    pub fn last_context(&self) -> ContextId {
        self.seen.0
    }

    /// The newest turn that was not looked at yet.
    pub fn next(&self) -> TurnId {
        self.next
    }

    /// A context stays.
    pub fn keep(&mut self, context: &Context) {
        self.kept.insert(context.id.0);
        self.needed.insert(context.head.0);
        self.needed.insert(context.base.0);
    }

    /// The next turns to be looked at, the newest first; none when all were.
    pub fn page<R: Reader + ?Sized>(
        &self,
        reader: &R,
        scope: &Scope,
        limit: usize,
    ) -> Result<Vec<Turn>, TurnsError> {
        turns_between(reader, scope, (TurnId::NONE, self.next), Order::Descending, limit)
    }

    /// What came since the walk last looked.
    pub fn arrivals<R: Reader + ?Sized>(&self, reader: &R, scope: &Scope) -> Result<Arrivals, TurnsError> {
        let up_to = last_numbers(reader, scope)?;
        let mut turns = HashSet::new();
        let mut contexts = Vec::new();
        for context in contexts_after(reader, scope, self.seen.0, up_to.0, usize::MAX)? {
            contexts.push(context.id);
            turns.extend([context.head, context.base]);
        }
        let came = turns_between(reader, scope, (self.seen.1, up_to.1), Order::Ascending, usize::MAX)?;
        turns.extend(came.iter().map(|turn| turn.parent));
        Ok(Arrivals { contexts, turns, up_to })
    }

    /// Which turns of a page go, if that is all that came.
    pub fn unneeded(&self, page: &[Turn], arrivals: &Arrivals) -> Vec<Turn> {
        let mut needed = arrivals.turns.clone();
        let goes = |turn: &&Turn| {
            let stays = self.kept.contains(turn.context.0)
                || self.needed.contains(turn.id.0)
                || needed.contains(&turn.id);
            if stays {
                needed.insert(turn.parent);
            }
            !stays
        };
        page.iter().filter(goes).copied().collect()
    }

    /// A page was dealt with: `gone` of it went.
    pub fn pass(&mut self, page: &[Turn], gone: &[Turn], arrivals: &Arrivals) {
        self.absorb(arrivals);
        let mut gone = gone.iter().map(|turn| turn.id).peekable();
        for turn in page {
            if gone.next_if_eq(&turn.id).is_none() {
                self.needed.insert(turn.parent.0);
            }
        }
        self.next = page.last().map_or(TurnId::NONE, |turn| TurnId(turn.id.0 - 1));
    }

    /// Takes in what came.
    pub fn absorb(&mut self, arrivals: &Arrivals) {
        arrivals.contexts.iter().for_each(|id| self.kept.insert(id.0));
        arrivals.turns.iter().for_each(|id| self.needed.insert(id.0));
        self.seen = arrivals.up_to;
    }
}

/// Removes turns and everything that is kept about them.
pub fn remove_turns(tx: &mut dyn WriteTx, scope: &Scope, turns: &[Turn]) -> Result<(), TurnsError> {
    for turn in turns {
        tx.delete(TURNS, &scope.key().u64(turn.id.0))?;
        tx.delete(TREES, &scope.key().u64(turn.id.0))?;
        if turn.parent == TurnId::NONE {
            tx.delete(METADATA, &scope.key().u64(turn.id.0))?;
        } else {
            tx.delete(BRANCHES, &scope.key().u64(turn.parent.0).u64(turn.id.0))?;
        }
        emit(tx, TURN_PRUNED, turn.id.0)?;
    }
    let mut counters = counters(tx, scope)?;
    counters.turns = counters.turns.saturating_sub(turns.len() as u64);
    put_counters(tx, scope, counters)
}
