//! Contexts of a tenant by when they were last active, in memory.

use std::collections::{BTreeSet, HashMap};

use cairn_base::ContextId;

use super::ActivityCursor;

/// The most recently active contexts, at most as many as there is room for.
#[derive(Debug)]
pub(super) struct Order {
    max: usize,
    active_at: HashMap<ContextId, u64>,
    ranked: BTreeSet<ActivityCursor>,
    /// Whether contexts were left out that were active earlier than all that are here.
    is_cut: bool,
}

impl Order {
    /// Room for so many contexts.
    pub(super) fn new(max: usize) -> Self {
        Order { max, active_at: HashMap::new(), ranked: BTreeSet::new(), is_cut: false }
    }

    /// A context was active. Times only grow, so notes may come in any order and more than once.
    pub(super) fn note(&mut self, context: ContextId, at_ms: u64) {
        match self.active_at.get(&context) {
            Some(known) if *known >= at_ms => return,
            Some(known) => drop(self.ranked.remove(&ActivityCursor { at_ms: *known, context })),
            None => {}
        }
        self.active_at.insert(context, at_ms);
        self.ranked.insert(ActivityCursor { at_ms, context });
        if self.ranked.len() > self.max
            && let Some(oldest) = self.ranked.pop_first()
        {
            self.active_at.remove(&oldest.context);
            self.is_cut = true;
        }
    }

    /// A context is gone.
    pub(super) fn forget(&mut self, context: ContextId) {
        if let Some(at_ms) = self.active_at.remove(&context) {
            self.ranked.remove(&ActivityCursor { at_ms, context });
        }
    }

    /// Up to `count` contexts after a cursor, the most recently active first.
    pub(super) fn after(&self, cursor: Option<ActivityCursor>, count: usize) -> Vec<ActivityCursor> {
        let newest_first = match cursor {
            Some(cursor) => self.ranked.range(..cursor),
            None => self.ranked.range(..),
        };
        newest_first.rev().take(count).copied().collect()
    }

    /// Whether contexts were left out that were active earlier than all that are here.
    pub(super) fn is_cut(&self) -> bool {
        self.is_cut
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn ids(order: &Order) -> Vec<u64> {
        order.after(None, usize::MAX).iter().map(|at| at.context.0).collect()
    }

    #[test]
    fn the_least_recently_active_go_when_there_is_no_room() {
        let mut order = Order::new(3);
        for (context, at) in [(1, 10), (2, 20), (3, 20)] {
            order.note(ContextId(context), at);
        }
        assert_eq!((ids(&order), order.is_cut()), (vec![3, 2, 1], false), "at the limit");
        order.note(ContextId(1), 30);
        order.note(ContextId(1), 5);
        assert_eq!((ids(&order), order.is_cut()), (vec![1, 3, 2], false), "no context more");
        order.note(ContextId(4), 25);
        assert_eq!((ids(&order), order.is_cut()), (vec![1, 4, 3], true));
        order.note(ContextId(2), 21);
        assert_eq!(ids(&order), [1, 4, 2], "one that was left out is active again");
        order.forget(ContextId(4));
        order.forget(ContextId(4));
        assert_eq!(ids(&order), [1, 2]);
        let at = |at_ms, context| Some(ActivityCursor { at_ms, context: ContextId(context) });
        let after = |cursor| order.after(cursor, 9).iter().map(|at| at.context.0).collect::<Vec<_>>();
        assert_eq!((after(at(30, 1)), after(at(30, 0)), after(at(21, 2))), (vec![2], vec![2], vec![]));
    }

    proptest! {
        #[test]
        fn any_order_of_notes_comes_to_the_same(notes: Vec<(u8, u8)>, max in 1_usize..40, seed: u64) {
            let mut shuffled = notes.clone();
            let mut state = seed | 1;
            for at in (1..shuffled.len()).rev() {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                let other = usize::try_from(state >> 33).unwrap() % (at + 1);
                shuffled.swap(at, other);
            }
            let fill = |notes: &[(u8, u8)]| {
                let mut order = Order::new(max);
                notes.iter().for_each(|(id, at)| order.note(ContextId(u64::from(*id)), u64::from(*at)));
                order
            };
            let (one, other) = (fill(&notes), fill(&shuffled));
            prop_assert_eq!(ids(&one), ids(&other));
            let mut last: HashMap<u8, u8> = HashMap::new();
            for (id, at) in &notes {
                let known = last.entry(*id).or_default();
                *known = (*known).max(*at);
            }
            let mut model: Vec<(u8, u8)> = last.into_iter().map(|(id, at)| (at, id)).collect();
            model.sort_unstable_by(|one, other| other.cmp(one));
            let model: Vec<u64> = model.iter().take(max).map(|(_, id)| u64::from(*id)).collect();
            prop_assert_eq!(ids(&one), model);
        }
    }
}
