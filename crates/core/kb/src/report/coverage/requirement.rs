//! Coverage of requirements: their scenarios, tests and symbols.

use std::collections::{BTreeSet, HashMap};

use super::super::filter::Filter;
use super::super::page::Page;
use super::dependents::Dependents;
use super::evidence::{Evidence, implementers, scenarios, scope, tests};
use super::is_shown;
use crate::branch::{Branch, Node, NodeKey};
use crate::limits::COVERAGE_TESTS_MAX;
use crate::tools::{CoverageInput, CoverageRow, CoverageStatus, CoverageSummary, ReqRow};

/// Counts all requirements and returns the rows of the page.
pub(super) fn report(
    branch: &Branch,
    input: &CoverageInput,
    filter: &Filter<'_>,
    page: Page,
) -> (CoverageSummary, Vec<CoverageRow>) {
    let mut counts = Counts::default();
    let mut verified = HashMap::new();
    let mut shown = Vec::new();
    for (key, node) in filter.of(branch) {
        let gap = is_evaluated(node).then(|| Gap::of(branch, key, &mut verified));
        counts.add(gap);
        if is_shown(status(gap), input) {
            shown.push((key, node, gap));
        }
    }
    let (rows, _) = page.of(shown.into_iter());
    let evidence: Vec<Evidence> = rows.iter().map(|(key, ..)| Evidence::of(branch, *key)).collect();
    let symbols = symbols(branch, input, &rows.iter().map(|(key, ..)| *key).collect::<Vec<_>>(), &evidence);
    let rows = rows.iter().zip(&evidence).zip(symbols).map(|(((_, node, gap), evidence), symbols)| {
        CoverageRow::Req(Box::new(row(branch, node, *gap, evidence, symbols)))
    });
    (counts.summary(), rows.collect())
}

/// Whether a requirement must be covered.
fn is_evaluated(node: &Node) -> bool {
    node.priority.as_deref().is_some_and(|priority| priority.to_lowercase().ends_with("must"))
}

/// The missing evidence of a requirement that must be covered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gap {
    Nothing,
    Scenario,
    Test,
    Both,
}

impl Gap {
    /// Finds it. `verified` remembers which scenarios have a test.
    fn of(branch: &Branch, requirement: NodeKey, verified: &mut HashMap<NodeKey, bool>) -> Self {
        let mut is_verified =
            |scenario| *verified.entry(scenario).or_insert_with(|| tests(branch, scenario).next().is_some());
        let has_scenario = scenarios(branch, requirement).next().is_some();
        let has_test = tests(branch, requirement).next().is_some()
            || scenarios(branch, requirement).any(&mut is_verified);
        match (has_scenario, has_test) {
            (true, true) => Gap::Nothing,
            (false, true) => Gap::Scenario,
            (true, false) => Gap::Test,
            (false, false) => Gap::Both,
        }
    }

    fn text(self) -> Option<&'static str> {
        match self {
            Gap::Nothing => None,
            Gap::Scenario => Some("missing_scenario"),
            Gap::Test => Some("missing_test"),
            Gap::Both => Some("missing_scenario_and_test"),
        }
    }
}

fn status(gap: Option<Gap>) -> CoverageStatus {
    match gap {
        None => CoverageStatus::NotApplicable,
        Some(Gap::Nothing) => CoverageStatus::FullyCovered,
        Some(Gap::Scenario | Gap::Test | Gap::Both) => CoverageStatus::Uncovered,
    }
}

#[derive(Debug, Default)]
struct Counts {
    not_applicable: u64,
    covered: u64,
    scenario: u64,
    test: u64,
    both: u64,
}

impl Counts {
    fn add(&mut self, gap: Option<Gap>) {
        *match gap {
            None => &mut self.not_applicable,
            Some(Gap::Nothing) => &mut self.covered,
            Some(Gap::Scenario) => &mut self.scenario,
            Some(Gap::Test) => &mut self.test,
            Some(Gap::Both) => &mut self.both,
        } += 1;
    }

    fn summary(&self) -> CoverageSummary {
        let uncovered = self.scenario + self.test + self.both;
        let evaluated = self.covered + uncovered;
        CoverageSummary {
            total: evaluated + self.not_applicable,
            evaluated: Some(evaluated),
            fully_covered: Some(self.covered),
            uncovered: Some(uncovered),
            not_applicable: Some(self.not_applicable),
            missing_scenario: Some(self.scenario),
            missing_test: Some(self.test),
            missing_scenario_and_test: Some(self.both),
        }
    }
}

/// Symbols of a requirement.
#[derive(Debug, Clone, Copy)]
struct SymbolCounts {
    direct: u64,
    transitive: u64,
}

fn symbols(
    branch: &Branch,
    input: &CoverageInput,
    keys: &[NodeKey],
    evidence: &[Evidence],
) -> Vec<SymbolCounts> {
    let direct: Vec<u64> = keys.iter().map(|key| implementers(branch, *key).count() as u64).collect();
    let transitive = if input.include_transitive.unwrap_or(true) {
        Dependents::of(branch).symbol_counts(branch, keys, evidence)
    } else {
        direct.clone()
    };
    direct
        .into_iter()
        .zip(transitive)
        .map(|(direct, transitive)| SymbolCounts { direct, transitive })
        .collect()
}

fn row(branch: &Branch, node: &Node, gap: Option<Gap>, evidence: &Evidence, symbols: SymbolCounts) -> ReqRow {
    let tests: Vec<&Node> = evidence.tests().filter_map(|key| branch.node(key)).collect();
    let distinct = |text: fn(&Node) -> &str| -> Vec<String> {
        tests.iter().map(|test| text(test)).collect::<BTreeSet<_>>().into_iter().map(str::to_owned).collect()
    };
    ReqRow {
        id: node.id.to_string(),
        kind: node.kind,
        title: node.title.to_string(),
        status: node.status.to_string(),
        priority: node.priority.as_deref().map(str::to_owned),
        scenario_count: evidence.scenario_count,
        test_count: tests.len() as u64,
        direct_symbol_count: symbols.direct,
        transitive_symbol_count: symbols.transitive,
        gaps: gap.and_then(Gap::text).map(str::to_owned).into_iter().collect(),
        evaluated: gap.is_some(),
        coverage_status: status(gap),
        coverage_depth: evidence.depth(branch).to_owned(),
        direct_tests: listed(branch, &evidence.direct),
        scenario_tests: listed(branch, &evidence.through_scenarios),
        test_statuses: distinct(|test| &test.status),
        verification_scopes: distinct(scope),
    }
}

/// The first ids of entities, in their order.
fn listed(branch: &Branch, keys: &BTreeSet<NodeKey>) -> Vec<String> {
    let mut ids: Vec<&str> = keys.iter().filter_map(|key| Some(&*branch.node(*key)?.id)).collect();
    ids.sort_unstable();
    ids.into_iter().take(COVERAGE_TESTS_MAX).map(str::to_owned).collect()
}
