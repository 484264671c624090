//! Contradictions of a branch by group, kept change by change.

use std::collections::{BTreeMap, BTreeSet};

use super::delta::Delta;
use crate::contradiction::{Conflict, Conflicts, GroupIndex, GroupKey, conflicts_in_group, conflicts_of};
use crate::limits::CHECK_CONTRADICTIONS_MAX;
use crate::{Branch, Change, EntityType, NodeKey, Relation};

/// Relationships that place requirements in groups.
const PLACING: &[Relation] =
    &[Relation::Constrains, Relation::RequiresProperty, Relation::RequiresPredicate, Relation::Supersedes];

/// Contradictions of a branch.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Contradictions {
    index: GroupIndex,
    /// Groups with contradictions.
    groups: BTreeMap<GroupKey, Group>,
    /// Contradictions by the requirement that they are reported at: the first one by id.
    by_first: BTreeMap<NodeKey, BTreeSet<(GroupKey, usize)>>,
    /// The number of contradictions.
    count: usize,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
struct Group {
    conflicts: Vec<(NodeKey, Conflict)>,
    is_cut: bool,
}

impl Contradictions {
    pub(crate) fn build(branch: &Branch) -> Self {
        let index = GroupIndex::build(branch);
        let groups: Vec<GroupKey> = index.groups().cloned().collect();
        let mut all = Contradictions { index, ..Contradictions::default() };
        groups.into_iter().for_each(|group| all.search(branch, group, &mut Vec::new()));
        all
    }

    /// Follows a change, and returns the requirements that a contradiction is or was reported at.
    pub(crate) fn update(&mut self, branch: &Branch, delta: &Delta<'_>) -> Vec<NodeKey> {
        let mut firsts = Vec::new();
        for group in self.index.update(branch, &placed(branch, delta)) {
            self.search(branch, group, &mut firsts);
        }
        firsts
    }

    /// The number of contradictions.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// Requirements that contradictions are reported at.
    pub(crate) fn firsts(&self) -> impl Iterator<Item = NodeKey> {
        self.by_first.keys().copied()
    }

    /// Contradictions reported at a requirement, in a fixed order.
    pub(crate) fn at(&self, first: NodeKey) -> impl Iterator<Item = &Conflict> {
        let places = self.by_first.get(&first).into_iter().flatten();
        places
            .filter_map(|(group, at)| self.groups.get(group)?.conflicts.get(*at))
            .map(|(_, conflict)| conflict)
    }

    /// The number of groups in which contradictions may be missing.
    pub(crate) fn cut_groups(&self) -> usize {
        self.groups.values().filter(|group| group.is_cut).count()
    }

    /// Returns the contradictions that changes would create, and leaves everything as it was.
    pub(crate) fn preview(
        &mut self,
        branch: &mut Branch,
        changes: impl IntoIterator<Item = Change>,
    ) -> Vec<Conflict> {
        let undo = branch.apply(changes);
        let placed = placed(branch, &Delta::of(&undo));
        let groups = self.index.update(branch, &placed);
        let mut after: Vec<(&GroupKey, Vec<Conflict>)> =
            groups.iter().map(|group| (group, self.all(branch, group, &placed))).collect();
        branch.apply(undo);
        self.index.update(branch, &placed);
        after.retain(|(_, conflicts)| !conflicts.is_empty());
        let mut new: Vec<Conflict> = Vec::new();
        for (group, conflicts) in after {
            let before = self.all(branch, group, &placed);
            let before: BTreeSet<_> = before.iter().map(|conflict| &conflict.requirements).collect();
            new.extend(conflicts.into_iter().filter(|conflict| !before.contains(&conflict.requirements)));
        }
        new.sort_by(|one, other| (one.facts.len(), one).cmp(&(other.facts.len(), other)));
        new.dedup();
        new
    }

    /// Contradictions of one group; where there are too many, at least all those of some requirements.
    fn all(&self, branch: &Branch, group: &GroupKey, requirements: &[NodeKey]) -> Vec<Conflict> {
        let Conflicts { mut list, cut } = conflicts_in_group(branch, &self.index, group, &[]);
        if cut {
            for requirement in requirements {
                list.extend(conflicts_of(branch, &self.index, *requirement, &[]).list);
            }
        }
        list
    }

    /// Searches a group again, and adds the requirements that its contradictions are or were reported at.
    fn search(&mut self, branch: &Branch, group: GroupKey, firsts: &mut Vec<NodeKey>) {
        self.forget(&group, firsts);
        let found = conflicts_in_group(branch, &self.index, &group, &[]);
        let mut is_cut = found.cut;
        let mut conflicts = Vec::with_capacity(found.list.len());
        for conflict in found.list {
            let Some((first, _)) = conflict.requirements.first().and_then(|id| branch.find(id)) else {
                continue;
            };
            if self.count == CHECK_CONTRADICTIONS_MAX {
                is_cut = true;
                break;
            }
            self.count += 1;
            self.by_first.entry(first).or_default().insert((group.clone(), conflicts.len()));
            firsts.push(first);
            conflicts.push((first, conflict));
        }
        if is_cut || !conflicts.is_empty() {
            self.groups.insert(group, Group { conflicts, is_cut });
        }
    }

    fn forget(&mut self, group: &GroupKey, firsts: &mut Vec<NodeKey>) {
        let old = self.groups.remove(group).unwrap_or_default();
        self.count -= old.conflicts.len();
        for (at, (first, _)) in old.conflicts.iter().enumerate() {
            firsts.push(*first);
            if let Some(places) = self.by_first.get_mut(first) {
                places.remove(&(group.clone(), at));
                if places.is_empty() {
                    self.by_first.remove(first);
                }
            }
        }
    }
}

/// Entities whose change may move requirements between groups or change claims.
fn placed(branch: &Branch, delta: &Delta<'_>) -> Vec<NodeKey> {
    let written = delta.changed(branch, |before, after| {
        let is_requirement = before.kind == EntityType::Req || after.kind == EntityType::Req;
        before.kind != after.kind
            || before.id != after.id
            || before.fact != after.fact
            || (is_requirement && before.status != after.status)
    });
    let linked = delta.edges(PLACING).map(|edge| edge.from);
    let superseded = delta.edges(&[Relation::Supersedes]).map(|edge| edge.to);
    let all: BTreeSet<NodeKey> = written.chain(linked).chain(superseded).collect();
    all.into_iter().collect()
}
