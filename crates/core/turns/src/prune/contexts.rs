//! Which contexts go.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use cairn_access::Scope;
use cairn_base::ContextId;
use cairn_seam::WriteTx;

use crate::context::{Context, counters, emit, find, put_counters, unlist};
use crate::error::TurnsError;
use crate::tables::{CONTEXT_PRUNED, CONTEXTS};

/// Which contexts go.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Rule {
    /// Those in which nothing happened since a time, in Unix milliseconds.
    InactiveSince(u64),
    /// All but so many: those in which something happened last stay.
    AllBut(usize),
    /// Those named.
    Named(BTreeSet<ContextId>),
}

impl Rule {
    /// What the rule comes to once `look` was shown every context.
    pub fn begin(&self) -> Cutoff {
        match self {
            Rule::InactiveSince(time) => Cutoff::Before(*time, ContextId(0)),
            Rule::AllBut(count) => Cutoff::Newest { count: *count, newest: BinaryHeap::new() },
            Rule::Named(named) => Cutoff::Named(named.clone()),
        }
    }
}

/// Decides for each context whether it goes.
#[derive(Debug, Clone)]
pub enum Cutoff {
    /// Everything goes in which something happened last before this.
    Before(u64, ContextId),
    /// Still looking for the ones that stay.
    Newest {
        /// How many stay.
        count: usize,
        /// The newest of those seen so far, the oldest of them on top.
        newest: BinaryHeap<Reverse<(u64, ContextId)>>,
    },
    /// These go.
    Named(BTreeSet<ContextId>),
}

impl Cutoff {
    /// Whether all contexts have to be looked at before any goes.
    pub fn needs_a_look(&self) -> bool {
        matches!(self, Cutoff::Newest { .. })
    }

    /// Looks at a context.
    pub fn look(&mut self, context: &Context) {
        let Cutoff::Newest { count, newest } = self else { return };
        newest.push(Reverse((context.active_at_ms, context.id)));
        if newest.len() > *count {
            newest.pop();
        }
    }

    /// All were looked at.
    #[must_use]
    pub fn settled(self) -> Cutoff {
        let Cutoff::Newest { count, newest } = self else { return self };
        // With fewer contexts than may stay, none goes; with none that may stay, all go.
        match newest.peek() {
            Some(Reverse((time, id))) if newest.len() == count => Cutoff::Before(*time, *id),
            None if count == 0 => Cutoff::Before(u64::MAX, ContextId(u64::MAX)),
            Some(_) | None => Cutoff::Before(0, ContextId(0)),
        }
    }

    /// Whether a context goes.
    pub fn takes(&self, context: &Context) -> bool {
        match self {
            Cutoff::Before(time, id) => (context.active_at_ms, context.id) < (*time, *id),
            Cutoff::Newest { .. } => false,
            Cutoff::Named(named) => named.contains(&context.id),
        }
    }
}

/// Removes contexts that still are to go, and says how many did. What was appended to one in the meantime
/// may have saved it.
pub fn remove_contexts(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    cutoff: &Cutoff,
    ids: &[ContextId],
) -> Result<u64, TurnsError> {
    let mut removed = 0;
    for id in ids {
        if let Some(context) = find(tx, scope, *id)?.filter(|context| cutoff.takes(context)) {
            unlist(tx, scope, &context)?;
            tx.delete(CONTEXTS, &scope.key().u64(id.0))?;
            emit(tx, CONTEXT_PRUNED, id.0)?;
            removed += 1;
        }
    }
    if removed > 0 {
        let mut counters = counters(tx, scope)?;
        counters.contexts = counters.contexts.saturating_sub(removed);
        put_counters(tx, scope, counters)?;
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use cairn_base::TurnId;

    use super::*;

    fn context(id: u64, active_at_ms: u64) -> Context {
        let (head, base) = (TurnId::NONE, TurnId::NONE);
        Context { id: ContextId(id), head, head_depth: 0, base, created_at_ms: 0, active_at_ms }
    }

    fn gone(rule: &Rule) -> Vec<u64> {
        let all = [context(1, 50), context(2, 10), context(3, 30), context(4, 30)];
        let mut cutoff = rule.begin();
        all.iter().for_each(|context| cutoff.look(context));
        let cutoff = cutoff.settled();
        all.iter().filter(|context| cutoff.takes(context)).map(|context| context.id.0).collect()
    }

    #[test]
    fn rules_take_what_they_say() {
        for (rule, expected) in [
            (Rule::InactiveSince(30), &[2][..]),
            (Rule::InactiveSince(31), &[2, 3, 4]),
            (Rule::InactiveSince(0), &[]),
            (Rule::AllBut(0), &[1, 2, 3, 4]),
            (Rule::AllBut(1), &[2, 3, 4]),
            (Rule::AllBut(2), &[2, 3]),
            (Rule::AllBut(3), &[2]),
            (Rule::AllBut(4), &[]),
            (Rule::AllBut(9), &[]),
            (Rule::Named([ContextId(3), ContextId(9)].into()), &[3]),
        ] {
            assert_eq!(gone(&rule), expected, "{rule:?}");
        }
    }
}
