//! Walks along one predicate.

use std::collections::BTreeSet;

use super::{Element, World};

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
    let everything = world.elements();
    // After so many hops an unbounded walk has been everywhere.
    let most = most.map_or(usize::from(least) + everything.len(), usize::from);
    let mut pairs = BTreeSet::new();
    for start in everything {
        let mut reached = BTreeSet::from([start]);
        for hops in 0..=most {
            if hops >= usize::from(least) {
                pairs.extend(reached.iter().map(|end| (start, *end)));
            }
            let steps =
                world.links.iter().filter(|link| link.predicate == name && reached.contains(&link.subject));
            reached = steps.map(|link| link.object).collect();
            if reached.is_empty() {
                break;
            }
        }
    }
    pairs
}
