//! Contradictions between requirements.

use super::super::model::{Row, Scope, Section, Span, Table, Tone};
use super::cells::{column, tile};
use crate::tools::{CheckOutput, Violation};

/// The smallest sets of requirements that cannot hold together.
pub(super) fn section(check: &CheckOutput, scope: Scope) -> Section {
    Section {
        anchor: "contradictions",
        title: "Contradictions",
        about: "The smallest sets of current requirements that cannot all hold. Taking one requirement of a set away ends \
                its contradiction."
            .to_owned(),
        tiles: vec![tile(if check.count == 1 { "contradiction" } else { "contradictions" }, check.count, Tone::Bad)],
        bar: None,
        table: Some(Table {
            caption: "Contradictions with their reasons and a way out",
            columns: ["Requirements", "Reason", "Way out"].map(column).into(),
            rows: check.violations.iter().map(row).collect(),
            count: check.count,
            empty: "No current requirements contradict each other.".to_owned(),
        }),
        scope,
    }
}

fn row(violation: &Violation) -> Row {
    // The note behind the reason is for programs.
    let reason = violation.description.split(" [strict-readiness:").next().unwrap_or_default();
    let mut requirements: Vec<_> =
        violation.entity_id.split('/').map(|id| vec![Span::Id(id.to_owned())]).collect();
    if !violation.source.is_empty() {
        requirements.push(vec![Span::Dim(violation.source.clone())]);
    }
    Row {
        cells: vec![
            requirements,
            vec![vec![Span::Text(reason.to_owned())]],
            vec![vec![Span::Dim(violation.suggestion.clone())]],
        ],
        is_gap: true,
    }
}
