//! Coverage of symbols: the requirements that they implement.

use super::super::filter::Filter;
use super::super::page::Page;
use super::is_shown;
use crate::branch::{Branch, Node, NodeKey};
use crate::model::{EntityType, Relation};
use crate::tools::{CoverageInput, CoverageRow, CoverageStatus, CoverageSummary, SymbolRow};

/// Counts all symbols and returns the rows of the page.
pub(super) fn report(
    branch: &Branch,
    input: &CoverageInput,
    filter: &Filter<'_>,
    page: Page,
) -> (CoverageSummary, Vec<CoverageRow>) {
    let (mut covered, mut uncovered, mut not_applicable) = (0, 0, 0);
    let mut shown = Vec::new();
    for (key, node) in filter.of(branch) {
        let status = status(branch, key);
        match status {
            CoverageStatus::FullyCovered => covered += 1,
            CoverageStatus::Uncovered => uncovered += 1,
            CoverageStatus::NotApplicable => not_applicable += 1,
        }
        if is_shown(status, input) {
            shown.push((key, node, status));
        }
    }
    let summary = CoverageSummary {
        total: covered + uncovered + not_applicable,
        fully_covered: Some(covered),
        uncovered: Some(uncovered),
        not_applicable: Some(not_applicable),
        ..CoverageSummary::default()
    };
    let (rows, _) = page.of(shown.into_iter());
    let rows = rows.into_iter().map(|(key, node, status)| row(branch, key, node, status));
    (summary, rows.map(|row| CoverageRow::Symbol(Box::new(row))).collect())
}

/// The code of a test implements no requirement, so nothing is missing.
fn status(branch: &Branch, key: NodeKey) -> CoverageStatus {
    if ends(branch, key, Relation::Implements, EntityType::Req).next().is_some() {
        CoverageStatus::FullyCovered
    } else if branch.targets(key, Relation::ExecutableFor).next().is_some() {
        CoverageStatus::NotApplicable
    } else {
        CoverageStatus::Uncovered
    }
}

/// Existing ends of one type.
fn ends(
    branch: &Branch,
    key: NodeKey,
    relation: Relation,
    kind: EntityType,
) -> impl Iterator<Item = NodeKey> {
    let targets = branch.targets(key, relation);
    targets.filter(move |end| branch.node(*end).is_some_and(|node| node.kind == kind))
}

fn row(branch: &Branch, key: NodeKey, node: &Node, status: CoverageStatus) -> SymbolRow {
    let gap = (status == CoverageStatus::Uncovered).then(|| "missing_requirement".to_owned());
    SymbolRow {
        id: node.id.to_string(),
        kind: node.kind,
        title: node.title.to_string(),
        status: node.status.to_string(),
        direct_requirement_count: ends(branch, key, Relation::Implements, EntityType::Req).count() as u64,
        test_count: ends(branch, key, Relation::CoveredBy, EntityType::Test).count() as u64,
        gaps: gap.into_iter().collect(),
        coverage_status: status,
    }
}
