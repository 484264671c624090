//! Walks along one predicate.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

use super::{Element, Link, World};

/// Paths that were walked already: the same is asked for every row.
#[derive(Debug, Clone, Default)]
pub(super) struct Walked(RefCell<BTreeMap<Asked, Rc<Pairs>>>);

type Asked = (String, u16, Option<u16>);
type Pairs = BTreeSet<(Element, Element)>;

impl Walked {
    pub(super) fn pairs(&self, world: &World, name: &str, least: u16, most: Option<u16>) -> Rc<Pairs> {
        let mut walked = self.0.borrow_mut();
        let pairs = walked.entry((name.to_owned(), least, most));
        Rc::clone(pairs.or_insert_with(|| Rc::new(pairs_of(world, name, least, most))))
    }
}

/// Beginnings and ends of all walks of so many hops, each pair once.
///
/// 1.5: an end counts if some walk of an allowed length leads there, through cycles too. No hop at all is a
/// walk from every element to itself, whether the predicate knows it or not (silent): then it makes no
/// difference whether an end is bound before the path or after it.
fn pairs_of(world: &World, name: &str, least: u16, most: Option<u16>) -> Pairs {
    let mut pairs = BTreeSet::new();
    for start in world.elements() {
        let mut reached = BTreeSet::from([start]);
        let mut ends = BTreeSet::new();
        for hops in 0..=most.unwrap_or(u16::MAX) {
            let count = ends.len();
            if hops >= least {
                ends.extend(reached.iter().copied());
            }
            // Where there was nothing new nothing new follows.
            if hops > least && ends.len() == count {
                break;
            }
            let is_step = |link: &&Link| link.predicate == name && reached.contains(&link.subject);
            reached = world.links.iter().filter(is_step).map(|link| link.object).collect();
        }
        pairs.extend(ends.into_iter().map(|end| (start, end)));
    }
    pairs
}
