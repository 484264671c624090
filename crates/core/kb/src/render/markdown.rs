//! Pages as Markdown with tables of GitHub's flavour.

use super::escape::markdown as escaped;
use super::model::{Cell, Page, Scope, Section, Span, Table, Tile, cut_note};

/// Renders a page as Markdown.
pub fn markdown(page: &Page) -> String {
    let mut out = format!("# {}\n\n", escaped(&page.title));
    for (name, value) in &page.facts {
        out += &format!("- {}: {}\n", escaped(name), escaped(value));
    }
    page.sections.iter().for_each(|section| out += &one_section(section));
    out
}

fn one_section(section: &Section) -> String {
    let mut out = format!("\n## {}\n", section.title);
    if !section.about.is_empty() {
        out += &format!("\n{}\n", escaped(&section.about));
    }
    let Scope { filters, .. } = &section.scope;
    out += if filters.is_empty() { "" } else { "\n" };
    for (name, value) in filters {
        out += &format!("- {}: {}\n", escaped(name), escaped(value));
    }
    out += &section.scope.note().map(|note| format!("\n{}\n", escaped(&note))).unwrap_or_default();
    // Some figures are parts of the bar as well.
    let is_new = |part: &&Tile| section.tiles.iter().all(|tile| tile.label != part.label);
    let bar = section.bar.iter().flat_map(|bar| &bar.parts).filter(is_new);
    let figures: Vec<String> = section
        .tiles
        .iter()
        .chain(bar)
        .map(|tile| format!("**{}** {}", tile.value, escaped(&tile.label)))
        .collect();
    if !figures.is_empty() {
        out += &format!("\n{}\n", figures.join(" · "));
    }
    out + &section.table.as_ref().map(table).unwrap_or_default()
}

fn table(table: &Table) -> String {
    if table.rows.is_empty() {
        return format!("\n{}\n", table.empty);
    }
    let heads: Vec<&str> = table.columns.iter().map(|column| column.head).collect();
    let rules: Vec<&str> =
        table.columns.iter().map(|column| if column.is_number { "--:" } else { "---" }).collect();
    let mut out = format!("\n| {} |\n| {} |\n", heads.join(" | "), rules.join(" | "));
    for row in &table.rows {
        let cells: Vec<String> = row.cells.iter().map(cell).collect();
        out += &format!("| {} |\n", cells.join(" | "));
    }
    out + &cut_note(table).map(|note| format!("\n{note}\n")).unwrap_or_default()
}

fn cell(cell: &Cell) -> String {
    let lines = cell.iter().map(|line| line.iter().map(span).collect::<Vec<_>>().join(" "));
    lines.collect::<Vec<_>>().join("<br>")
}

fn span(span: &Span) -> String {
    match span {
        Span::Text(text) | Span::Dim(text) => escaped(text),
        Span::Id(text) => format!("**{}**", escaped(text)),
        Span::Badge(_, text) => format!("_{}_", escaped(text)),
    }
}
