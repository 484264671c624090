//! The state that keeps the violations of one branch current.

use std::collections::BTreeSet;

use super::conflicts::Contradictions;
use super::covering::Covering;
use super::cycles::Cycles;
use super::delta::Delta;
use super::finding::Found;
use super::table::{ROWS, Row, Subjects, Touch, View};
use crate::contradiction::Conflict;
use crate::limits::CHECK_FINDINGS_MAX;
use crate::{Branch, Change, NodeKey};

/// Subjects between two reports of progress.
const PROGRESS_STEP: usize = 1_024;

/// Violations of one branch, for every rule and variant. It follows the branch change by change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CheckState {
    pub(crate) derived: Derived,
    /// Findings of each row of the table.
    pub(crate) found: Vec<Found>,
}

/// Judgements that need more than an entity and its neighbours.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Derived {
    pub(crate) covering: Covering,
    pub(crate) cycles: Cycles,
    pub(crate) contradictions: Contradictions,
}

/// Entities at which derived judgements changed.
#[derive(Debug, Default)]
pub(crate) struct Moved {
    /// Tests that began or ceased to cover a requirement.
    pub(crate) tests: Vec<NodeKey>,
    /// Entities that a cycle is or was reported at.
    pub(crate) cycles: Vec<NodeKey>,
    /// Requirements that a contradiction is or was reported at.
    pub(crate) conflicts: Vec<NodeKey>,
}

impl CheckState {
    /// Checks a whole branch. `progress` is called with the subjects that are done and how many there are.
    pub fn build(branch: &Branch, progress: &mut dyn FnMut(usize, usize)) -> Self {
        CheckState::with_room(branch, progress, CHECK_FINDINGS_MAX)
    }

    pub(crate) fn with_room(
        branch: &Branch,
        progress: &mut dyn FnMut(usize, usize),
        rows_max: usize,
    ) -> Self {
        let derived = Derived {
            covering: Covering::build(branch),
            cycles: Cycles::build(branch),
            contradictions: Contradictions::build(branch),
        };
        let view = View { branch, derived: &derived };
        let subjects: Vec<Vec<NodeKey>> = ROWS.iter().map(|row| all(view, row.subjects)).collect();
        let total = subjects.iter().map(Vec::len).sum();
        let mut done = 0;
        let found = ROWS.iter().zip(subjects).map(|(row, subjects)| {
            let mut found = Found::new(rows_max);
            for part in subjects.chunks(PROGRESS_STEP) {
                part.iter().for_each(|subject| judge(row, view, *subject, &mut found));
                done += part.len();
                progress(done, total);
            }
            found
        });
        let found = found.collect();
        CheckState { derived, found }
    }

    /// Follows changes of the branch. `undo` is what [`Branch::apply`] returned for them: it names each entity and
    /// relationship that really changed. The branch is the state after the changes.
    pub fn update(&mut self, branch: &Branch, undo: &[Change]) {
        let delta = Delta::of(undo);
        let moved = Moved {
            tests: self.derived.covering.update(branch, &delta),
            cycles: self.derived.cycles.update(branch, &delta),
            conflicts: self.derived.contradictions.update(branch, &delta),
        };
        let touch = Touch { branch, delta: &delta, moved: &moved };
        let view = View { branch, derived: &self.derived };
        for (row, found) in ROWS.iter().zip(&mut self.found) {
            let mut subjects = Vec::new();
            (row.affected)(touch, &mut subjects);
            subjects.sort_unstable();
            subjects.dedup();
            subjects.into_iter().for_each(|subject| judge(row, view, subject, found));
            if found.is_worth_a_rebuild() {
                all(view, row.subjects).into_iter().for_each(|subject| judge(row, view, subject, found));
            }
        }
    }

    /// Returns the first contradictions of the branch, ordered by the requirement that they are reported at, and the
    /// number of all.
    pub fn contradictions(&self, branch: &Branch, max: usize) -> (Vec<&Conflict>, usize) {
        let all = &self.derived.contradictions;
        let mut firsts: Vec<(&str, NodeKey)> =
            all.firsts().filter_map(|key| Some((&*branch.node(key)?.id, key))).collect();
        firsts.sort_unstable();
        let found = firsts.into_iter().flat_map(|(_, first)| all.at(first)).take(max);
        (found.collect(), all.count())
    }

    /// Returns the contradictions that changes would create, the smallest first, and leaves the branch and this state
    /// exactly as they were. A contradiction is new if no contradiction among the same requirements is in its group.
    pub fn new_contradictions(
        &mut self,
        branch: &mut Branch,
        changes: impl IntoIterator<Item = Change>,
    ) -> Vec<Conflict> {
        self.derived.contradictions.preview(branch, changes)
    }
}

fn judge(row: &Row, view: View<'_>, subject: NodeKey, found: &mut Found) {
    let mut findings = Vec::new();
    (row.check)(view, subject, &mut findings);
    found.replace(subject, findings);
}

fn all(view: View<'_>, subjects: Subjects) -> Vec<NodeKey> {
    let View { branch, derived } = view;
    match subjects {
        Subjects::Of(kind) => branch.by_type(Some(kind)).map(|(key, _)| key).collect(),
        Subjects::All => branch.by_id().map(|(key, _)| key).collect(),
        Subjects::Starts => {
            branch.edges().map(|edge| edge.from).collect::<BTreeSet<_>>().into_iter().collect()
        }
        Subjects::Cycles => derived.cycles.firsts().collect(),
        Subjects::Conflicts => derived.contradictions.firsts().collect(),
    }
}
