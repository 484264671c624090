//! The traceability matrix, and code, tests and scenarios with gaps.

use super::super::model::{Bar, Row, Scope, Section, Span, Table, Tile, Tone};
use super::cells::{Beside, column, entity, gaps, linked, proof, status, tile, words};
use crate::tools::{MatrixBy, MatrixOutput, MatrixRow, MatrixSummary, Proof, TraceGap};

/// The matrix of requirements.
pub(super) fn requirements(matrix: &MatrixOutput, scope: Scope) -> Section {
    let summary = &matrix.summary;
    let gap = |gap: TraceGap| summary.gaps.get(gap.text()).copied().unwrap_or(0);
    Section {
        anchor: "matrix",
        title: "Traceability matrix",
        about: "Each requirement with the scenarios that specify it, the tests that verify it, directly or through a \
                scenario, and the symbols that implement it. Entities that are deprecated or superseded are left out \
                unless asked for."
            .to_owned(),
        tiles: vec![
            tile("requirements", summary.total, Tone::Info),
            tile("with gaps", summary.with_gaps, Tone::Warn),
            tile("without scenario", gap(TraceGap::MissingScenario), Tone::Warn),
            tile("without test", gap(TraceGap::MissingTest), Tone::Warn),
            tile("without code", gap(TraceGap::MissingSymbol), Tone::Warn),
            tile(
                if scope.filters.is_empty() { "suspect links" } else { "suspect links of the branch" },
                summary.suspect_links,
                Tone::Info,
            ),
        ],
        bar: Some(Bar { label: "Requirements by the state of their tests", parts: proofs(summary) }),
        table: Some(Table {
            caption: "Requirements with their scenarios, tests and symbols",
            columns: ["Requirement", "Priority", "Status", "Scenarios", "Tests", "Symbols", "Verified", "Gaps"]
                .map(column)
                .into(),
            rows: matrix.rows.iter().map(requirement).collect(),
            count: matrix.count,
            empty: if summary.total == 0 {
                scope.none("requirements")
            } else {
                "No requirement has a gap.".to_owned()
            },
        }),
        scope,
    }
}

fn proofs(summary: &MatrixSummary) -> Vec<Tile> {
    let part = |of: &Proof| {
        let (tone, label) = proof(*of);
        Tile { label: label.to_owned(), value: summary.proofs.get(of.text()).copied().unwrap_or(0), tone }
    };
    Proof::ALL.iter().map(part).collect()
}

fn requirement(row: &MatrixRow) -> Row {
    let (tone, label) = proof(row.proof);
    Row {
        cells: vec![
            entity(&row.id, &row.title, &row.source),
            words(row.priority.as_deref().unwrap_or_default()),
            vec![vec![status(&row.status)]],
            linked(&row.scenarios, Beside::Nothing),
            linked(&row.tests, Beside::Status),
            linked(&row.symbols, Beside::Title),
            vec![vec![Span::Badge(tone, label.to_owned())]],
            gaps(&row.gaps, row.suspect),
        ],
        is_gap: row.has_gap(),
    }
}

/// Entities of another type; `None` for requirements.
pub(super) fn untraced(matrix: &MatrixOutput, scope: &impl Fn(&str) -> Scope) -> Option<Section> {
    let (anchor, title, about, caption, first, things, [every, holds]) = match matrix.by {
        MatrixBy::Req => return None,
        MatrixBy::Symbol => (
            "code",
            "Code with gaps",
            "Symbols that implement no requirement, that no test covers, whose tests fail, or whose links are suspect. The code of tests is left out.",
            "Symbols with gaps",
            "Symbol",
            "symbols",
            ["Every symbol", "implements a requirement and is covered by a test that does not fail."],
        ),
        MatrixBy::Test => (
            "tests",
            "Tests with gaps",
            "Tests that verify no requirement, neither directly nor through a scenario, that fail, or whose links are suspect.",
            "Tests with gaps",
            "Test",
            "tests",
            ["Every test", "verifies a requirement, and none fails."],
        ),
        MatrixBy::Scenario => (
            "scenarios",
            "Scenarios with gaps",
            "Scenarios that specify no requirement, that no test verifies, whose tests fail, or whose links are suspect.",
            "Scenarios with gaps",
            "Scenario",
            "scenarios",
            ["Every scenario", "specifies a requirement and is verified by a test."],
        ),
    };
    let summary = &matrix.summary;
    let tiles = vec![
        tile("in all", summary.total, Tone::Info),
        tile(
            "without requirement",
            summary.gaps.get(TraceGap::MissingRequirement.text()).copied().unwrap_or(0),
            Tone::Warn,
        ),
        tile(
            "without test",
            summary.gaps.get(TraceGap::MissingTest.text()).copied().unwrap_or(0),
            Tone::Warn,
        ),
        tile("failing", summary.proofs.get(Proof::Failing.text()).copied().unwrap_or(0), Tone::Bad),
    ];
    // Tests are their own tests.
    let tiles = tiles.into_iter().filter(|tile| matrix.by != MatrixBy::Test || tile.label != "without test");
    let scope = scope(anchor);
    let empty = match (summary.total, scope.filters.is_empty()) {
        (0, _) => scope.none(things),
        (_, true) => format!("{every} {holds}"),
        (_, false) => format!("{every} that passes the filters {holds}"),
    };
    let columns = [first, "Status", "Requirements", "Tests", "Verified", "Gaps"];
    Some(Section {
        anchor,
        title,
        about: about.to_owned(),
        tiles: tiles.collect(),
        bar: None,
        table: Some(Table {
            caption,
            columns: columns.map(column).into(),
            rows: matrix.rows.iter().map(untraced_row).collect(),
            count: matrix.count,
            empty,
        }),
        scope,
    })
}

fn untraced_row(row: &MatrixRow) -> Row {
    let (tone, label) = proof(row.proof);
    Row {
        cells: vec![
            entity(&row.id, &row.title, &row.source),
            vec![vec![status(&row.status)]],
            linked(&row.requirements, Beside::Title),
            linked(&row.tests, Beside::Status),
            vec![vec![Span::Badge(tone, label.to_owned())]],
            gaps(&row.gaps, row.suspect),
        ],
        is_gap: row.has_gap(),
    }
}
