//! The groups of one branch, kept up to date write by write.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::group::{GroupKey, Membership, memberships};
use crate::{Branch, EntityType, NodeKey, Relation};

/// Relationships from a requirement to the facts that place it in groups.
const TO_FACTS: [Relation; 3] =
    [Relation::Constrains, Relation::RequiresProperty, Relation::RequiresPredicate];

/// An index from groups to the claims of current requirements.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GroupIndex {
    groups: BTreeMap<GroupKey, BTreeSet<(NodeKey, NodeKey)>>,
    entries: HashMap<NodeKey, Entry>,
}

/// The last known state of one entity.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Entry {
    memberships: Vec<Membership>,
    supersedes: Vec<NodeKey>,
}

impl GroupIndex {
    /// Builds the index of a branch.
    pub fn build(branch: &Branch) -> Self {
        let mut index = GroupIndex::default();
        let requirements = branch.by_type(Some(EntityType::Req)).map(|(key, _)| key);
        let superseding = branch.edges().filter(|edge| edge.relation == Relation::Supersedes);
        let keys: BTreeSet<NodeKey> = requirements.chain(superseding.map(|edge| edge.from)).collect();
        for key in keys {
            index.refresh(branch, key);
        }
        index
    }

    /// Follows a write, and returns the groups in which conflicts may have changed, sorted.
    ///
    /// `touched` names the entities that were added, replaced or removed, and those where a relationship that was
    /// added or removed starts. The branch is the state after the write. The cost is that of the requirements that the
    /// touched entities are linked to.
    pub fn update(&mut self, branch: &Branch, touched: &[NodeKey]) -> Vec<GroupKey> {
        let touched: BTreeSet<NodeKey> = touched.iter().copied().collect();
        let mut affected = touched.clone();
        for key in &touched {
            affected.extend(TO_FACTS.iter().flat_map(|relation| branch.sources(*key, *relation)));
            affected.extend(branch.targets(*key, Relation::Supersedes));
            affected.extend(self.entries.get(key).into_iter().flat_map(|entry| &entry.supersedes));
        }
        let mut changed = BTreeSet::new();
        for key in affected {
            let before = self.refresh(branch, key);
            let after = self.entries.get(&key).map_or(&[][..], |entry| &entry.memberships);
            let matters = |member: &&Membership, others: &[Membership]| {
                touched.contains(&key)
                    || touched.contains(&member.fact)
                    || others.binary_search(member).is_err()
            };
            changed.extend(before.iter().filter(|member| matters(member, after)).map(|m| m.group.clone()));
            changed.extend(after.iter().filter(|member| matters(member, &before)).map(|m| m.group.clone()));
        }
        changed.into_iter().collect()
    }

    /// Every group, sorted.
    pub fn groups(&self) -> impl Iterator<Item = &GroupKey> {
        self.groups.keys()
    }

    /// Groups that a requirement takes part in, sorted, each once.
    pub fn groups_of(&self, requirement: NodeKey) -> impl Iterator<Item = &GroupKey> {
        let all = self.entries.get(&requirement).map_or(&[][..], |entry| &entry.memberships);
        all.chunk_by(|one, other| one.group == other.group).map(|run| &run[0].group)
    }

    /// Claims of a group: a requirement and a fact each, ordered by key.
    pub fn claims(&self, group: &GroupKey) -> impl Iterator<Item = (NodeKey, NodeKey)> {
        self.groups.get(group).into_iter().flatten().copied()
    }

    /// Requirements that take part in a group, ordered by key, each once.
    pub fn requirements_of(&self, group: &GroupKey) -> Vec<NodeKey> {
        let mut keys: Vec<NodeKey> = self.claims(group).map(|(requirement, _)| requirement).collect();
        keys.dedup();
        keys
    }

    /// Reads one entity again, and returns its memberships as they were.
    fn refresh(&mut self, branch: &Branch, key: NodeKey) -> Vec<Membership> {
        let before = self.entries.remove(&key).unwrap_or_default().memberships;
        for member in &before {
            if let Some(claims) = self.groups.get_mut(&member.group) {
                claims.remove(&(key, member.fact));
                if claims.is_empty() {
                    self.groups.remove(&member.group);
                }
            }
        }
        let entry = Entry {
            memberships: memberships(branch, key),
            supersedes: branch.targets(key, Relation::Supersedes).collect(),
        };
        for member in &entry.memberships {
            self.groups.entry(member.group.clone()).or_default().insert((key, member.fact));
        }
        if entry != Entry::default() {
            self.entries.insert(key, entry);
        }
        before
    }
}
