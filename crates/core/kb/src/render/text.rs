//! Pages as plain text: one block per row.

use super::escape::terminal;
use super::model::{Bar, Cell, Line, Page, Section, Table};

/// Renders a page as text.
pub fn text(page: &Page) -> String {
    let mut out = format!("{}\n", terminal(&page.title));
    for (name, value) in &page.facts {
        out += &format!("  {}: {}\n", terminal(name), terminal(value));
    }
    page.sections.iter().for_each(|section| out += &one_section(section));
    out
}

fn one_section(section: &Section) -> String {
    let mut out = format!("\n{}\n{}\n", section.title, "=".repeat(section.title.chars().count()));
    if !section.about.is_empty() {
        out += &format!("{}\n", terminal(&section.about));
    }
    for (name, value) in &section.scope.filters {
        out += &format!("{}: {}\n", terminal(name), terminal(value));
    }
    out += &section.scope.note().map(|note| format!("{}\n", terminal(&note))).unwrap_or_default();
    let tiles: Vec<String> =
        section.tiles.iter().map(|tile| format!("{} {}", tile.value, tile.label)).collect();
    if !tiles.is_empty() {
        out += &format!("{}\n", tiles.join(", "));
    }
    out += &section.bar.as_ref().map(bar).unwrap_or_default();
    out + &section.table.as_ref().map(table).unwrap_or_default()
}

fn bar(bar: &Bar) -> String {
    let parts: Vec<String> = bar.parts.iter().map(|part| format!("{} {}", part.value, part.label)).collect();
    format!("{}: {}\n", bar.label, parts.join(", "))
}

fn table(table: &Table) -> String {
    if table.rows.is_empty() {
        return format!("\n{}\n", table.empty);
    }
    let width = table.columns.iter().skip(1).map(|column| column.head.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for row in &table.rows {
        let mut cells = row.cells.iter();
        out += &format!("\n{}\n", cells.next().map(cell).unwrap_or_default().join("\n    "));
        for (column, lines) in table.columns.iter().skip(1).zip(cells) {
            let lines = cell(lines);
            if !lines.is_empty() {
                let separator = format!("\n    {:width$}  ", "");
                let head = column.head.to_lowercase();
                out += &format!("    {head:width$}  {}\n", lines.join(&separator));
            }
        }
    }
    out + &super::model::cut_note(table).map(|note| format!("\n{note}\n")).unwrap_or_default()
}

fn cell(cell: &Cell) -> Vec<String> {
    cell.iter().map(line).filter(|line| !line.is_empty()).collect()
}

fn line(line: &Line) -> String {
    line.iter().map(|span| terminal(span.text())).collect::<Vec<_>>().join(" ")
}
