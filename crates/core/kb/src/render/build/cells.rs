//! Cells that several sections have.

use super::super::model::{Cell, Column, Line, Span, Tile, Tone};
use crate::limits::{RENDER_CELLS_MAX, RENDER_TITLE_CHARS_MAX};
use crate::tools::{Proof, TraceCells, TraceGap};

pub(super) const fn column(head: &'static str) -> Column {
    Column { head, is_number: false }
}

pub(super) const fn number(head: &'static str) -> Column {
    Column { head, is_number: true }
}

pub(super) fn tile(label: &str, value: u64, tone: Tone) -> Tile {
    // A count of nothing is no reason to worry.
    let tone = if value == 0 && tone != Tone::Info { Tone::Plain } else { tone };
    Tile { label: label.to_owned(), value, tone }
}

pub(super) fn count(value: u64) -> Cell {
    vec![vec![Span::Text(value.to_string())]]
}

/// An entity by id, title and source, one below the other.
pub(super) fn entity(id: &str, title: &str, source: &str) -> Cell {
    let lines = [
        Span::Id(id.to_owned()),
        Span::Text(cut(title)),
        // A source that says nothing about a file is no help.
        Span::Dim(cut(source)),
    ];
    lines.into_iter().filter(|span| !span.text().is_empty()).map(|span| vec![span]).collect()
}

/// A text in one line, or nothing.
pub(super) fn words(text: &str) -> Cell {
    if text.is_empty() { Vec::new() } else { vec![vec![Span::Text(cut(text))]] }
}

/// The status of an entity.
pub(super) fn status(status: &str) -> Span {
    let tone = match status {
        "passing" | "closed" | "accepted" | "approved" => Tone::Good,
        "failing" | "rejected" => Tone::Bad,
        "skipped" | "pending" | "proposed" => Tone::Warn,
        "open" | "in_progress" => Tone::Info,
        _ => Tone::Plain,
    };
    Span::Badge(tone, if status.is_empty() { "no status".to_owned() } else { spaced(status) })
}

/// The state of the tests of an entity.
pub(super) fn proof(proof: Proof) -> (Tone, &'static str) {
    match proof {
        Proof::Passing => (Tone::Good, "passing"),
        Proof::Failing => (Tone::Bad, "failing"),
        Proof::Open => (Tone::Warn, "not run"),
        Proof::Untested => (Tone::Plain, "untested"),
        Proof::NotApplicable => (Tone::Plain, "not applicable"),
    }
}

/// Missing parts and suspect links of a row.
pub(super) fn gaps(gaps: &[TraceGap], suspect: u64) -> Cell {
    let missing = |gap: &TraceGap| match gap {
        TraceGap::MissingRequirement => "no requirement",
        TraceGap::MissingScenario => "no scenario",
        TraceGap::MissingTest => "no test",
        TraceGap::MissingSymbol => "no code",
    };
    let gaps = gaps.iter().map(|gap| vec![Span::Badge(Tone::Warn, missing(gap).to_owned())]);
    let suspect = (suspect > 0).then(|| vec![Span::Badge(Tone::Info, format!("{suspect} suspect"))]);
    gaps.chain(suspect).collect()
}

/// Words beside the id of a linked entity.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Beside {
    Nothing,
    Status,
    Title,
}

/// Linked entities, one line each.
pub(super) fn linked(cells: &TraceCells, beside: Beside) -> Cell {
    let lines = cells.items.iter().take(RENDER_CELLS_MAX).map(|cell| {
        let mut line: Line = vec![Span::Id(cell.id.clone())];
        match beside {
            Beside::Nothing => {}
            Beside::Status => line.push(status(&cell.status)),
            Beside::Title => line.push(Span::Dim(cut(&cell.title))),
        }
        if cell.suspect {
            line.push(Span::Badge(Tone::Info, "suspect".to_owned()));
        }
        line
    });
    let mut lines: Cell = lines.collect();
    let more = cells.count - lines.len() as u64;
    if more > 0 {
        lines.push(vec![Span::Dim(format!("and {more} more"))]);
    }
    lines
}

/// A word of the model for people.
pub(super) fn spaced(word: &str) -> String {
    word.replace('_', " ")
}

/// The first characters of a text.
pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(RENDER_TITLE_CHARS_MAX) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
