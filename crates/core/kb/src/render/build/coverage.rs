//! Coverage of requirements.

use super::super::model::{Bar, Row, Scope, Section, Span, Table, Tile, Tone};
use super::cells::{column, count, entity, number, spaced, tile, words};
use crate::tools::{CoverageOutput, CoverageRow, CoverageStatus, ReqRow};

/// Requirements that must be covered, and how they are.
pub(super) fn section(coverage: &CoverageOutput, scope: Scope) -> Section {
    let summary = &coverage.summary;
    let of = |count: Option<u64>| count.unwrap_or(0);
    let rows: Vec<Row> = coverage.rows.iter().filter_map(row).collect();
    Section {
        anchor: "coverage",
        title: "Coverage",
        about: "Requirements whose priority ends with “must” need a scenario and a test. The evidence is the strongest \
                that the tests of a requirement give."
            .to_owned(),
        tiles: vec![
            tile("must be covered", of(summary.evaluated), Tone::Info),
            tile("fully covered", of(summary.fully_covered), Tone::Good),
            tile("uncovered", of(summary.uncovered), Tone::Bad),
            tile("without scenario", of(summary.missing_scenario), Tone::Warn),
            tile("without test", of(summary.missing_test), Tone::Warn),
            tile("without both", of(summary.missing_scenario_and_test), Tone::Bad),
        ],
        bar: Some(Bar {
            label: "Requirements by coverage",
            parts: vec![
                part("fully covered", of(summary.fully_covered), Tone::Good),
                part("uncovered", of(summary.uncovered), Tone::Bad),
                part("not applicable", of(summary.not_applicable), Tone::Plain),
            ],
        }),
        table: Some(Table {
            caption: "Requirements with their coverage and evidence",
            columns: vec![
                column("Requirement"),
                column("Priority"),
                number("Scenarios"),
                number("Tests"),
                number("Symbols"),
                number("Transitive"),
                column("Evidence"),
                column("Coverage"),
            ],
            count: summary.total.max(rows.len() as u64),
            rows,
            empty: scope.none("requirements"),
        }),
        scope,
    }
}

fn part(label: &str, value: u64, tone: Tone) -> Tile {
    Tile { label: label.to_owned(), value, tone }
}

fn row(row: &CoverageRow) -> Option<Row> {
    match row {
        CoverageRow::Req(row) => Some(requirement(row)),
        CoverageRow::Symbol(_) | CoverageRow::Type(_) => None,
    }
}

fn requirement(row: &ReqRow) -> Row {
    let (tone, label) = match row.coverage_status {
        CoverageStatus::FullyCovered => (Tone::Good, "fully covered"),
        CoverageStatus::Uncovered => (Tone::Bad, "uncovered"),
        CoverageStatus::NotApplicable => (Tone::Plain, "not applicable"),
    };
    let mut coverage = vec![vec![Span::Badge(tone, label.to_owned())]];
    coverage.extend(row.gaps.iter().map(|gap| vec![Span::Dim(spaced(gap))]));
    Row {
        cells: vec![
            entity(&row.id, &row.title, ""),
            words(row.priority.as_deref().unwrap_or_default()),
            count(row.scenario_count),
            count(row.test_count),
            count(row.direct_symbol_count),
            count(row.transitive_symbol_count),
            words(&row.evidence()),
            coverage,
        ],
        is_gap: row.coverage_status == CoverageStatus::Uncovered,
    }
}
