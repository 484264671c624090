//! The apply plan: payloads in an order in which each can be stored, and no violation is new at the end.
//!
//! The plan is tried on a copy of the branch. Relationships end at entities that exist or come earlier; one whose target
//! comes later is added by a payload of its own behind the target, and one whose target never comes is left out.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use cairn_kb::tools::{RelationshipInput, UpsertInput};
use cairn_kb::{Branch, CheckRequest, CheckState, Entity, NodeKey, Properties, Rule, examine_upsert};

use crate::candidate::{Draft, Suppression};
use crate::existing::Existing;
use crate::limits::AUTOPILOT_PLAN_BYTES_MAX;
use crate::project::Project;

/// A candidate whose payloads can be stored.
#[derive(Debug)]
pub(crate) struct Planned {
    pub(crate) draft: Draft,
    /// Its payloads as they are to be stored.
    pub(crate) payloads: Vec<UpsertInput>,
    /// Relationships that were left out because their target does not exist.
    pub(crate) left_out: Vec<RelationshipInput>,
}

/// A candidate that cannot be stored, and why.
#[derive(Debug)]
pub(crate) struct Rejected {
    pub(crate) draft: Draft,
    pub(crate) reason: Suppression,
    pub(crate) detail: String,
}

/// The branch as it is, checked once.
pub(crate) struct Rehearsal {
    branch: Branch,
    state: CheckState,
    violations: BTreeSet<(Rule, String, String)>,
    request: CheckRequest,
}

impl Rehearsal {
    pub(crate) fn new(existing: &Existing, project: &Project) -> Self {
        let branch = existing.branch().clone();
        let state = CheckState::build(&branch, &mut |_, _| {});
        let rules = if project.rules.is_empty() { Rule::defaults() } else { project.rules.clone() };
        let request = CheckRequest { rules, require_adr: project.require_adr, limit: u32::MAX, offset: 0 };
        let violations = violations(&branch, &state, &request);
        Rehearsal { branch, state, violations, request }
    }

    /// Stores the candidates in a copy of the branch, in order. Returns those that can be stored, and those that cannot
    /// or that add a violation.
    pub(crate) fn run(&self, candidates: Vec<(Draft, Vec<UpsertInput>)>) -> (Vec<Planned>, Vec<Rejected>) {
        let mut run = Run {
            branch: self.branch.clone(),
            state: self.state.clone(),
            next: self.branch.nodes().map(|(key, _)| key.0).max().unwrap_or(0) + 1,
            stored: HashMap::new(),
            owners: HashMap::new(),
            coming: HashSet::new(),
            deferred: BTreeMap::new(),
            bytes: 0,
        };
        run.coming =
            candidates.iter().flat_map(|(_, payloads)| payloads).map(|payload| payload.id.clone()).collect();
        let (mut planned, mut rejected) = (Vec::new(), Vec::new());
        for (draft, payloads) in candidates {
            match run.candidate(planned.len(), &payloads) {
                Ok((payloads, left_out)) => planned.push(Planned { draft, payloads, left_out }),
                Err((reason, detail)) => rejected.push(Rejected { draft, reason, detail }),
            }
        }
        for (at, detail) in self.violating(&run, &planned).into_iter().rev() {
            let Planned { draft, .. } = planned.remove(at);
            rejected.push(Rejected { draft, reason: Suppression::WouldViolate, detail });
        }
        (planned, rejected)
    }

    /// Places of candidates that add violations, each with the first of them.
    fn violating(&self, run: &Run, planned: &[Planned]) -> BTreeMap<usize, String> {
        let mut found: BTreeMap<usize, String> = BTreeMap::new();
        for violation in violations(&run.branch, &run.state, &self.request).difference(&self.violations) {
            let (rule, entity, description) = violation;
            let owner = run.owner(entity).or_else(|| planned.len().checked_sub(1));
            if let Some(owner) = owner {
                found.entry(owner).or_insert_with(|| format!("{rule}: {description}"));
            }
        }
        found
    }
}

fn violations(
    branch: &Branch,
    state: &CheckState,
    request: &CheckRequest,
) -> BTreeSet<(Rule, String, String)> {
    let report = state.report(branch, request);
    report.violations.into_iter().map(|found| (found.rule, found.entity_id, found.description)).collect()
}

/// A copy of the branch that payloads are stored in.
struct Run {
    branch: Branch,
    state: CheckState,
    next: u64,
    /// Entities that the plan stored.
    stored: HashMap<String, Entity>,
    /// The candidate that stored an entity first.
    owners: HashMap<String, usize>,
    /// Ids of payloads that may still come.
    coming: HashSet<String>,
    /// Relationships that wait for their targets.
    deferred: BTreeMap<String, Vec<RelationshipInput>>,
    bytes: usize,
}

type Refusal = (Suppression, String);

impl Run {
    /// Stores the payloads of a candidate, or none of them.
    fn candidate(
        &mut self,
        at: usize,
        payloads: &[UpsertInput],
    ) -> Result<(Vec<UpsertInput>, Vec<RelationshipInput>), Refusal> {
        let (mut done, mut left_out, mut waiting) = (Vec::new(), Vec::new(), Vec::new());
        let mut undo = Vec::new();
        let bytes_before = self.bytes;
        let outcome = self.payloads(at, payloads, &mut done, &mut left_out, &mut waiting, &mut undo);
        for payload in payloads {
            self.coming.remove(&payload.id);
        }
        match outcome {
            Ok(()) => {
                for link in waiting {
                    self.deferred.entry(link.to.clone()).or_default().push(link);
                }
                Ok((done, left_out))
            }
            Err(refusal) => {
                self.bytes = bytes_before;
                while let Some((id, changes)) = undo.pop() {
                    let undone = self.branch.apply(changes);
                    self.state.update(&self.branch, &undone);
                    self.stored.remove(&id);
                    self.owners.remove(&id);
                }
                Err(refusal)
            }
        }
    }

    fn payloads(
        &mut self,
        at: usize,
        payloads: &[UpsertInput],
        done: &mut Vec<UpsertInput>,
        left_out: &mut Vec<RelationshipInput>,
        waiting: &mut Vec<RelationshipInput>,
        undo: &mut Vec<(String, Vec<cairn_kb::Change>)>,
    ) -> Result<(), Refusal> {
        for payload in payloads {
            // An entity that is there was created by a person or by an earlier candidate, and stays as it is.
            if self.branch.find(&payload.id).is_some() {
                continue;
            }
            let mut payload = payload.clone();
            for link in std::mem::take(&mut payload.relationships) {
                if link.to == payload.id || self.branch.find(&link.to).is_some() {
                    payload.relationships.push(link);
                } else if self.coming.contains(&link.to) {
                    waiting.push(link);
                } else {
                    left_out.push(link);
                }
            }
            let id = payload.id.clone();
            undo.push((id.clone(), self.store(&payload)?));
            self.owners.insert(id.clone(), at);
            done.push(payload);
            for link in self.deferred.remove(&id).unwrap_or_default() {
                let Some(owner) = self.stored.get(&link.from) else { continue };
                let (kind, id) = (owner.kind, link.from.clone());
                let late = UpsertInput {
                    kind,
                    id,
                    properties: Properties::default(),
                    relationships: vec![link],
                    request_id: None,
                };
                // A relationship that cannot be stored is left out; its candidate is fine without.
                if let Ok(changes) = self.store(&late) {
                    undo.push((String::new(), changes));
                    done.push(late);
                }
            }
        }
        Ok(())
    }

    /// Stores one payload, and returns the changes that undo it.
    fn store(&mut self, payload: &UpsertInput) -> Result<Vec<cairn_kb::Change>, Refusal> {
        self.bytes += serde_json::to_string(payload).map_or(0, |json| json.len());
        if self.bytes > AUTOPILOT_PLAN_BYTES_MAX {
            let detail = format!("the payloads before it are close to {AUTOPILOT_PLAN_BYTES_MAX} bytes");
            return Err((Suppression::PlanFull, detail));
        }
        let current = self.stored.get(&payload.id);
        let examined = examine_upsert(&self.branch, current, payload, None, 0);
        if let Some(problem) = examined.problems.first() {
            return Err((Suppression::InvalidPayload, problem.to_string()));
        }
        let key = examined.plan.key.unwrap_or(NodeKey(self.next));
        let changes = examined.plan.changes(key);
        if examined.plan.may_contradict() {
            let conflicts = self.state.new_contradictions(&mut self.branch, changes.clone());
            if let Some(conflict) = conflicts.first() {
                return Err((Suppression::WouldContradict, conflict.reason.clone()));
            }
        }
        if examined.plan.key.is_none() {
            self.next += 1;
        }
        let undo = self.branch.apply(changes);
        self.state.update(&self.branch, &undo);
        self.stored.insert(payload.id.clone(), examined.plan.entity);
        Ok(undo)
    }

    /// The candidate that stored an entity, or one of several that are joined with `/`.
    fn owner(&self, entity: &str) -> Option<usize> {
        if let Some(owner) = self.owners.get(entity) {
            return Some(*owner);
        }
        let slashes = entity.match_indices('/').map(|(at, _)| at);
        let halves = slashes.flat_map(|at| [&entity[..at], &entity[at + 1..]]);
        halves.filter_map(|half| self.owners.get(half)).max().copied()
    }
}
