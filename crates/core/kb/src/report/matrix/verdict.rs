//! The state of the tests of an entity, and the missing parts of its trace.

use std::collections::HashMap;

use super::trace::{COVERERS, IMPLEMENTED, IMPLEMENTERS, SCENARIOS, SPECIFIED, TESTS, VERIFIED, current};
use crate::branch::{Branch, Node, NodeKey};
use crate::model::{EntityType, Relation};
use crate::tools::{Proof, TraceGap};

/// Statuses of entities that do not count any more.
const RETIRED: [&str; 7] =
    ["deprecated", "superseded", "removed", "archived", "deleted", "rejected", "inactive"];

/// Whether an entity does not count any more: its status says so, or another one supersedes it.
pub(super) fn is_retired(branch: &Branch, key: NodeKey, node: &Node) -> bool {
    RETIRED.contains(&&*node.status) || branch.sources(key, Relation::Supersedes).next().is_some()
}

/// The judgement of one entity.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Verdict {
    pub(super) proof: Proof,
    pub(super) gaps: Vec<TraceGap>,
}

impl Verdict {
    /// That of entities that do not count any more.
    pub(super) const RETIRED: Verdict = Verdict { proof: Proof::NotApplicable, gaps: Vec::new() };

    fn of(proof: Proof, parts: &[(TraceGap, bool)]) -> Self {
        let gaps = parts.iter().filter(|(_, is_there)| !is_there).map(|(gap, _)| *gap).collect();
        Verdict { proof, gaps }
    }
}

/// Outcomes of some tests.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
struct Outcomes {
    any: bool,
    passing: bool,
    failing: bool,
}

impl Outcomes {
    fn of_test(node: &Node) -> Self {
        Outcomes { any: true, passing: &*node.status == "passing", failing: &*node.status == "failing" }
    }

    fn and(self, other: Self) -> Self {
        Outcomes {
            any: self.any || other.any,
            passing: self.passing || other.passing,
            failing: self.failing || other.failing,
        }
    }

    fn proof(self) -> Proof {
        match self {
            Outcomes { failing: true, .. } => Proof::Failing,
            Outcomes { passing: true, .. } => Proof::Passing,
            Outcomes { any: true, .. } => Proof::Open,
            Outcomes { .. } => Proof::Untested,
        }
    }
}

/// Judges the entities of a branch by those that count. Scenarios are looked at once, because many requirements may share one.
#[derive(Debug)]
pub(super) struct Verdicts<'a> {
    branch: &'a Branch,
    outcomes: HashMap<NodeKey, Outcomes>,
    specifies: HashMap<NodeKey, bool>,
}

impl<'a> Verdicts<'a> {
    pub(super) fn of(branch: &'a Branch) -> Self {
        Verdicts { branch, outcomes: HashMap::new(), specifies: HashMap::new() }
    }

    /// Judges an entity that counts.
    pub(super) fn judge(&mut self, key: NodeKey, node: &Node) -> Verdict {
        let branch = self.branch;
        let has = |ways, kind| current(branch, key, ways, kind).next().is_some();
        match node.kind {
            EntityType::Req => {
                let mut outcomes = self.tests_of(key);
                let mut has_scenario = false;
                for (scenario, ..) in current(branch, key, SCENARIOS, EntityType::Scenario) {
                    has_scenario = true;
                    outcomes = outcomes.and(self.tests_of(scenario));
                }
                let parts = [
                    (TraceGap::MissingScenario, has_scenario),
                    (TraceGap::MissingTest, outcomes.any),
                    (TraceGap::MissingSymbol, has(IMPLEMENTERS, EntityType::Symbol)),
                ];
                Verdict::of(outcomes.proof(), &parts)
            }
            EntityType::Scenario => {
                let outcomes = self.tests_of(key);
                let parts = [
                    (TraceGap::MissingRequirement, self.specifies_any(key)),
                    (TraceGap::MissingTest, outcomes.any),
                ];
                Verdict::of(outcomes.proof(), &parts)
            }
            EntityType::Test => {
                let mut scenarios = current(branch, key, VERIFIED, EntityType::Scenario);
                let is_needed = has(VERIFIED, EntityType::Req)
                    || scenarios.any(|(scenario, ..)| self.specifies_any(scenario));
                let parts = [(TraceGap::MissingRequirement, is_needed)];
                Verdict::of(Outcomes::of_test(node).proof(), &parts)
            }
            // The code of a test is no part of the product.
            EntityType::Symbol if branch.targets(key, Relation::ExecutableFor).next().is_some() => {
                Verdict::RETIRED
            }
            EntityType::Symbol => {
                let tests = current(branch, key, COVERERS, EntityType::Test);
                let outcomes =
                    tests.fold(Outcomes::default(), |found, (_, test, _)| found.and(Outcomes::of_test(test)));
                let parts = [
                    (TraceGap::MissingRequirement, has(IMPLEMENTED, EntityType::Req)),
                    (TraceGap::MissingTest, outcomes.any),
                ];
                Verdict::of(outcomes.proof(), &parts)
            }
            EntityType::Adr | EntityType::Flag | EntityType::Event | EntityType::Fact => Verdict::RETIRED,
        }
    }

    fn tests_of(&mut self, key: NodeKey) -> Outcomes {
        let branch = self.branch;
        *self.outcomes.entry(key).or_insert_with(|| {
            let tests = current(branch, key, TESTS, EntityType::Test);
            tests.fold(Outcomes::default(), |found, (_, test, _)| found.and(Outcomes::of_test(test)))
        })
    }

    fn specifies_any(&mut self, scenario: NodeKey) -> bool {
        let branch = self.branch;
        *self
            .specifies
            .entry(scenario)
            .or_insert_with(|| current(branch, scenario, SPECIFIED, EntityType::Req).next().is_some())
    }
}
