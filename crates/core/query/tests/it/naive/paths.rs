//! Walks along one predicate.

use std::collections::BTreeSet;

use super::{Element, Link, World};

/// Beginnings and ends of all walks of so many hops, each pair once.
///
/// 1.5: an end counts if some walk of an allowed length leads there, through cycles too. No hop at all is a
/// walk from every element to itself, whether the predicate knows it or not (silent): then it makes no
/// difference whether an end is bound before the path or after it.
pub(super) fn pairs(
    world: &World,
    name: &str,
    least: u16,
    most: Option<u16>,
) -> BTreeSet<(Element, Element)> {
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
