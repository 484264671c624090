//! Groups of claims that may contradict each other, and the groups that a requirement takes part in.

use std::collections::BTreeSet;

use cairn_base::Value;

use super::predicate;
use crate::{Branch, FactFields, FactKind, NodeKey, Relation};

/// What the claims of a group are about.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum GroupKey {
    /// A property of a subject.
    Property {
        /// The subject.
        subject_key: Box<str>,
        /// The property.
        property_key: Box<str>,
    },
    /// A predicate with its arguments.
    Predicate {
        /// The namespace.
        namespace: Box<str>,
        /// The name.
        name: Box<str>,
        /// The arguments without a decision at their end; equal numbers are equal arguments.
        args: Box<[Value]>,
    },
}

/// One fact by which a requirement takes part in a group.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Membership {
    /// The group.
    pub group: GroupKey,
    /// The fact.
    pub fact: NodeKey,
}

/// Returns the groups that a requirement takes part in, with the facts by which it does, sorted; none if it is not
/// current.
pub fn memberships(branch: &Branch, requirement: NodeKey) -> Vec<Membership> {
    if !branch.is_current_requirement(requirement) {
        return Vec::new();
    }
    let subjects: BTreeSet<&str> = facts(branch, requirement, Relation::Constrains, FactKind::Subject)
        .filter_map(|(_, fact)| fact.subject_key.as_deref())
        .collect();
    let properties = facts(branch, requirement, Relation::RequiresProperty, FactKind::PropertyValue)
        .filter_map(|(key, fact)| Some(Membership { group: property_group(fact, &subjects)?, fact: key }));
    let predicates = facts(branch, requirement, Relation::RequiresPredicate, FactKind::Predicate)
        .filter_map(|(key, fact)| Some(Membership { group: predicate::group_of(fact)?, fact: key }));
    let mut all: Vec<Membership> = properties.chain(predicates).collect();
    all.sort_unstable();
    all
}

fn property_group(fact: &FactFields, subjects: &BTreeSet<&str>) -> Option<GroupKey> {
    let subject_key = fact.subject_key.clone()?;
    let property_key = fact.property_key.clone()?;
    subjects.contains(&*subject_key).then_some(GroupKey::Property { subject_key, property_key })
}

fn facts(
    branch: &Branch,
    requirement: NodeKey,
    relation: Relation,
    kind: FactKind,
) -> impl Iterator<Item = (NodeKey, &FactFields)> {
    branch
        .targets(requirement, relation)
        .filter_map(|key| Some((key, branch.node(key)?.fact.as_deref()?)))
        .filter(move |(_, fact)| fact.kind() == Some(kind))
}
