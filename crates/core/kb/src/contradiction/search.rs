//! Conflicts of one group, and of one requirement.

use std::collections::BTreeMap;

use super::conflict::{Conflicts, describe};
use super::group::GroupKey;
use super::index::GroupIndex;
use super::predicate::{self, Stance, denies};
use super::sweep::{self, Catch};
use super::term::{Domain, Term};
use crate::{Branch, Claim, NodeKey};

/// A claim and the requirement that makes it.
#[derive(Debug)]
pub(crate) struct Holder<'a> {
    /// The id of the requirement.
    pub(crate) requirement: &'a str,
    /// The id of the fact.
    pub(crate) fact: &'a str,
    /// The claim.
    pub(crate) claim: Claim<'a>,
    /// Whether the search looks for conflicts of this claim.
    pub(crate) wanted: bool,
}

/// Returns every conflict in a group. Requirements in `ignored` do not take part.
pub fn conflicts_in_group(
    branch: &Branch,
    index: &GroupIndex,
    group: &GroupKey,
    ignored: &[NodeKey],
) -> Conflicts {
    of_group(branch, index, group, None, ignored)
}

/// Returns the conflicts that a requirement takes part in, in all its groups. Requirements in `ignored` do not take
/// part: those that it supersedes in the same write.
///
/// The branch and its index are the state with the requirement as it is going to be.
pub fn conflicts_of(
    branch: &Branch,
    index: &GroupIndex,
    requirement: NodeKey,
    ignored: &[NodeKey],
) -> Conflicts {
    index
        .groups_of(requirement)
        .map(|group| of_group(branch, index, group, Some(requirement), ignored))
        .fold(Conflicts::default(), Conflicts::merge)
}

fn of_group(
    branch: &Branch,
    index: &GroupIndex,
    group: &GroupKey,
    only: Option<NodeKey>,
    ignored: &[NodeKey],
) -> Conflicts {
    let members = index.claims(group).filter(|(requirement, _)| !ignored.contains(requirement)).filter_map(
        |(requirement, fact)| {
            let (node, fact) = (branch.node(requirement)?, branch.node(fact)?);
            let wanted = only.is_none_or(|only| only == requirement);
            Some((&*node.id, &*fact.id, fact.fact.as_deref()?, wanted))
        },
    );
    match group {
        GroupKey::Property { .. } => {
            let holders = members.filter_map(|(requirement, fact, fields, wanted)| {
                Some(Holder { requirement, fact, claim: fields.claim().ok()?, wanted })
            });
            of_claims(holders.collect())
        }
        GroupKey::Predicate { .. } => {
            let stances = members.filter_map(|(requirement, fact, fields, wanted)| {
                Some(Stance { requirement, fact, fields, deny: denies(fields)?, wanted })
            });
            let mut stances: Vec<Stance<'_>> = stances.collect();
            stances.sort_unstable_by_key(|stance| (stance.requirement, stance.fact));
            predicate::search(&stances)
        }
    }
}

/// Finds the conflicts among claims about one property of one subject.
pub(crate) fn of_claims(mut holders: Vec<Holder<'_>>) -> Conflicts {
    holders.sort_unstable_by_key(|holder| (holder.requirement, holder.fact));
    let mut domains: BTreeMap<Domain<'_>, Vec<Term<'_>>> = BTreeMap::new();
    for (at, holder) in holders.iter().enumerate() {
        if let Some((domain, term)) = Term::new(at, holder.wanted, &holder.claim) {
            domains.entry(domain).or_default().push(term);
        }
    }
    let mut catch = Catch::default();
    for terms in domains.values() {
        sweep::search(terms, &mut catch);
    }
    let list = catch.found.iter().map(|found| describe(&holders, found)).collect();
    Conflicts::new(list, catch.cut)
}
