//! Circles of `supersedes`. Which of their relationships came last depends on the order of syncs, so that a sync takes
//! none of them from documents: the same documents always give the same branch.

use std::collections::HashMap;

use super::outlook::{Outcome, Outlook};
use super::plan::is_retyped;
use super::relations::target_of;
use crate::limits;
use crate::model::Relation;

/// Entities that supersede each other, perhaps by way of others, each with the number of its circle.
#[derive(Debug, Default)]
pub(super) struct Circles<'a>(HashMap<&'a str, usize>);

impl<'a> Circles<'a> {
    /// Finds the circles that the entities of files are in.
    pub(super) fn of(outlook: &Outlook<'a>) -> Self {
        let mut search = Search::default();
        for claim in &outlook.claims.all {
            if claim.input.relationships.iter().any(|one| one.relation == Relation::Supersedes) {
                search.from(outlook, claim.input.id.as_str());
            }
        }
        Circles(search.circles)
    }

    /// Whether a relationship between two entities closes a circle.
    pub(super) fn holds(&self, from: &str, to: &str) -> bool {
        from == to || self.0.get(from).is_some_and(|circle| self.0.get(to) == Some(circle))
    }

    /// Returns the entities of all circles.
    pub(super) fn ids(&self) -> impl Iterator<Item = &'a str> {
        self.0.keys().copied()
    }
}

/// The error of a relationship in a circle.
pub(super) fn message(from: &str, to: &str) -> String {
    if from == to {
        return format!("{from} supersedes itself");
    }
    format!("{from} and {to} supersede each other, perhaps by way of others; supersedes goes from new to old")
}

/// A search of strongly connected components, by the algorithm of Tarjan without recursion.
#[derive(Default)]
struct Search<'a> {
    places: HashMap<&'a str, usize>,
    seen: Vec<Seen<'a>>,
    /// Entities whose component is not complete.
    open: Vec<usize>,
    /// Entities on the path that is followed, with the targets that are still to be followed.
    path: Vec<(usize, Vec<&'a str>)>,
    circles: HashMap<&'a str, usize>,
}

struct Seen<'a> {
    id: &'a str,
    /// The first entity of the path that it leads back to.
    low: usize,
    is_open: bool,
}

impl<'a> Search<'a> {
    fn from(&mut self, outlook: &Outlook<'a>, id: &'a str) {
        if self.places.contains_key(id) {
            return;
        }
        self.enter(outlook, id);
        while let Some((at, targets)) = self.path.last_mut() {
            let at = *at;
            let Some(to) = targets.pop() else {
                self.leave(at);
                continue;
            };
            match self.places.get(to) {
                None => self.enter(outlook, to),
                Some(to) if self.seen[*to].is_open => self.seen[at].low = self.seen[at].low.min(*to),
                Some(_) => {}
            }
        }
    }

    fn enter(&mut self, outlook: &Outlook<'a>, id: &'a str) {
        let at = self.seen.len();
        self.places.insert(id, at);
        self.seen.push(Seen { id, low: at, is_open: true });
        self.open.push(at);
        self.path.push((at, superseded(outlook, id)));
    }

    fn leave(&mut self, at: usize) {
        self.path.pop();
        let low = self.seen[at].low;
        if let Some((before, _)) = self.path.last() {
            self.seen[*before].low = self.seen[*before].low.min(low);
        }
        if low != at {
            return;
        }
        let first = self.open.iter().rposition(|open| *open == at).unwrap_or_default();
        let members = self.open.split_off(first);
        for member in &members {
            let Seen { id, is_open, .. } = &mut self.seen[*member];
            *is_open = false;
            if members.len() > 1 {
                self.circles.insert(*id, at);
            }
        }
    }
}

/// Entities that an entity would supersede if circles were allowed.
fn superseded<'a>(outlook: &Outlook<'a>, id: &'a str) -> Vec<&'a str> {
    let claim = outlook.claims.by_id.get(id).map(|at| (outlook.claims.all[*at], &outlook.outcomes[*at]));
    if let Some((claim, Outcome::Write(written))) = claim {
        let declared = &claim.input.relationships;
        if declared.len() > limits::UPSERT_RELATIONSHIPS_MAX {
            return Vec::new();
        }
        let declared = declared.iter().filter(|one| {
            one.relation == Relation::Supersedes && target_of(outlook, id, written, one).is_ok()
        });
        return declared.map(|one| one.to.as_str()).collect();
    }
    let branch = outlook.branch;
    let Some((key, _)) = branch.find(id).filter(|(key, _)| !outlook.leaving.contains(key)) else {
        return Vec::new();
    };
    let targets = branch.targets(key, Relation::Supersedes);
    let targets = targets.filter(|to| !outlook.leaving.contains(to) && !is_retyped(outlook, *to));
    targets.filter_map(|to| Some(&*branch.node(to)?.id)).collect()
}
