//! What a WHERE says, before anything is decided about how it is run.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::Slot;
use super::atom::Atom;
use crate::filter::Filter;

/// What is asked of rows from outside.
#[derive(Debug)]
pub(crate) struct Draft {
    pub(crate) parts: Vec<Part>,
    /// Variables that it sees from outside.
    pub(crate) outside: BTreeSet<Slot>,
    /// Those of them that it uses. If there are none it is the same for every row.
    pub(crate) shared: Vec<Slot>,
    /// Variables that it binds and that are seen after it, those from outside included.
    pub(crate) binds: BTreeSet<Slot>,
}

/// One part of a draft, in the order in which they were written.
#[derive(Debug)]
pub(crate) enum Part {
    Run(Run),
    Optional(Draft),
    Not(Draft),
    Union(Branch),
}

/// Patterns and filters between two other parts: they are connected by AND, so their order is open.
#[derive(Debug, Default)]
pub(crate) struct Run {
    pub(crate) atoms: Vec<Atom>,
    pub(crate) filters: Vec<Arc<Filter>>,
}

/// One side of a UNION; the other one is what stands before it.
#[derive(Debug)]
pub(crate) struct Branch {
    pub(crate) draft: Draft,
    /// Whether nothing stands before it: then there is no other side.
    pub(crate) is_first: bool,
    /// What it binds that there is from outside: there they have to agree.
    pub(crate) agree_on: Vec<Slot>,
    /// All variables afterwards: rows that agree on them are one.
    pub(crate) visible: Vec<Slot>,
    /// What it is asked with from outside, instead of being asked for everything.
    pub(crate) keys: Vec<Slot>,
}

impl Run {
    pub(crate) fn is_empty(&self) -> bool {
        self.atoms.is_empty() && self.filters.is_empty()
    }

    /// What its patterns bind.
    pub(crate) fn slots(&self) -> impl Iterator<Item = Slot> {
        self.atoms.iter().flat_map(Atom::slots)
    }
}

impl Draft {
    /// All variables that are seen before a part, those that may be null included.
    pub(crate) fn seen_before(&self, part: usize) -> BTreeSet<Slot> {
        let mut seen = self.outside.clone();
        for part in &self.parts[..part] {
            match part {
                Part::Run(run) => seen.extend(run.slots()),
                Part::Optional(draft) => seen.extend(&draft.binds),
                Part::Not(_) => {}
                Part::Union(branch) => seen.extend(&branch.draft.binds),
            }
        }
        seen
    }

    /// The drafts inside it.
    pub(crate) fn inner(&mut self) -> impl Iterator<Item = &mut Draft> {
        self.parts.iter_mut().filter_map(|part| match part {
            Part::Run(_) => None,
            Part::Optional(draft) | Part::Not(draft) => Some(draft),
            Part::Union(branch) => Some(&mut branch.draft),
        })
    }
}
