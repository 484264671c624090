//! `kb_coverage`: coverage of requirements, symbols and types.

mod dependents;
mod evidence;
mod requirement;
mod symbol;

use super::filter::Filter;
use super::page::Page;
use crate::Result;
use crate::branch::Branch;
use crate::limits::PAGE_DEFAULT;
use crate::model::EntityType;
use crate::tools::{
    CoverageBy, CoverageInput, CoverageOutput, CoverageRow, CoverageStatus, CoverageSummary, StatusOutput,
    TypeRow,
};

/// Returns a coverage report, ordered by type and id.
///
/// The tags decide what the report is about; the summary counts all of that, whatever the rows of the page are.
/// Only the rows of the page are worked out in full: the time is linear in the branch for every 64 of them.
pub fn coverage(branch: &Branch, input: &CoverageInput, meta: StatusOutput) -> Result<CoverageOutput> {
    let page = Page::parse(input.limit, input.offset, PAGE_DEFAULT)?;
    let kind = match input.by {
        CoverageBy::Req => Some(EntityType::Req),
        CoverageBy::Symbol => Some(EntityType::Symbol),
        CoverageBy::Type => None,
    };
    let filter = Filter::parse(kind, &input.tags, None)?;
    let (summary, rows) = match input.by {
        CoverageBy::Req => requirement::report(branch, input, &filter, page),
        CoverageBy::Symbol => symbol::report(branch, input, &filter, page),
        CoverageBy::Type => types(branch, &filter, page),
    };
    Ok(CoverageOutput { summary, rows, meta })
}

/// Whether a row with this status is returned.
fn is_shown(status: CoverageStatus, input: &CoverageInput) -> bool {
    input.include_passing || status != CoverageStatus::FullyCovered
}

fn types(branch: &Branch, filter: &Filter<'_>, page: Page) -> (CoverageSummary, Vec<CoverageRow>) {
    let mut rows: Vec<TypeRow> = Vec::new();
    for (_, node) in filter.of(branch) {
        match rows.last_mut() {
            Some(row) if row.kind == node.kind => row.count += 1,
            _ => rows.push(TypeRow { id: node.kind, kind: node.kind, count: 1 }),
        }
    }
    let (rows, total) = page.of(rows.into_iter().map(CoverageRow::Type));
    (CoverageSummary { total, ..CoverageSummary::default() }, rows)
}
