//! Pages as one HTML file without anything from elsewhere. It reads without its script, which only filters and sorts.

use std::fmt::Write;

use super::escape::push_html;
use super::model::{Bar, Cell, Line, Page, Row, Section, Span, Table, Tile, cut_note};

const STYLE: &str = include_str!("page.css");
const SCRIPT: &str = include_str!("page.js");

/// Tables with more rows scroll inside of their frame.
const TALL_ROWS: usize = 15;
/// Tables with more rows have columns that do not follow from all of their cells.
const LARGE_ROWS: usize = 500;

/// Renders a page as HTML.
pub fn html(page: &Page) -> String {
    let mut out = String::new();
    out += "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n";
    out += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
    out += "<meta name=\"color-scheme\" content=\"light dark\">\n";
    out += "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'; \
            script-src 'unsafe-inline'; base-uri 'none'; form-action 'none'\">\n";
    element(&mut out, "title", "", &page.title);
    out += &format!("\n<style>\n{STYLE}</style>\n</head>\n<body>\n");
    out += "<a class=\"skip\" href=\"#main\">Skip to content</a>\n";
    head(&mut out, page);
    out += "<main id=\"main\">\n";
    page.sections.iter().for_each(|section| one_section(&mut out, section));
    out += &format!(
        "</main>\n<footer>Made by cairn from the snapshot above: the same state gives the same page.</footer>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    );
    out
}

fn head(out: &mut String, page: &Page) {
    out.push_str("<header>\n");
    element(out, "h1", "", &page.title);
    out.push('\n');
    facts(out, &page.facts);
    out.push_str("<nav aria-label=\"Sections\">\n<ul>\n");
    for section in &page.sections {
        let count = section.table.as_ref().map(|table| table.count);
        // Writing to a text does not fail.
        let _ = write!(out, "<li><a href=\"#{}\">{}", section.anchor, section.title);
        if let Some(count) = count {
            let _ = write!(out, " <span class=\"count\">{count}</span>");
        }
        out.push_str("</a></li>\n");
    }
    out.push_str("</ul>\n</nav>\n</header>\n");
}

fn facts(out: &mut String, facts: &[(String, String)]) {
    out.push_str("<dl class=\"facts\">\n");
    for (name, value) in facts {
        out.push_str("<div>");
        element(out, "dt", "", name);
        element(out, "dd", "", value);
        out.push_str("</div>\n");
    }
    out.push_str("</dl>\n");
}

fn one_section(out: &mut String, section: &Section) {
    let Section { anchor, title, about, scope, tiles, bar: parts, table: rows } = section;
    let _ = write!(
        out,
        "<section id=\"{anchor}\" aria-labelledby=\"{anchor}-title\">\n<h2 id=\"{anchor}-title\">{title}</h2>\n"
    );
    if !about.is_empty() {
        element(out, "p", "about", about);
        out.push('\n');
    }
    if !scope.filters.is_empty() {
        facts(out, &scope.filters);
    }
    if let Some(note) = scope.note() {
        element(out, "p", "about", &note);
        out.push('\n');
    }
    if !tiles.is_empty() {
        out.push_str("<ul class=\"tiles\">\n");
        tiles.iter().for_each(|one| tile(out, one));
        out.push_str("</ul>\n");
    }
    parts.iter().for_each(|parts| bar(out, parts));
    rows.iter().for_each(|rows| table(out, anchor, rows));
    out.push_str("</section>\n");
}

fn tile(out: &mut String, tile: &Tile) {
    let _ =
        write!(out, "<li class=\"tile {}\"><span class=\"value\">{}</span> ", tile.tone.name(), tile.value);
    element(out, "span", "label", &tile.label);
    out.push_str("</li>\n");
}

/// A bar of parts, with the same as a legend: colours alone say nothing.
fn bar(out: &mut String, bar: &Bar) {
    let total: u64 = bar.parts.iter().map(|part| part.value).sum();
    if total == 0 {
        return;
    }
    let _ = write!(
        out,
        "<figure class=\"bar\">\n<figcaption>{}</figcaption>\n<div class=\"parts\" aria-hidden=\"true\">",
        bar.label
    );
    let mut end = 0;
    for part in bar.parts.iter().filter(|part| part.value > 0) {
        // In hundredths of a percent, so that all of them together are the whole.
        let start = end * 10_000 / total;
        end += part.value;
        let width = end * 10_000 / total - start;
        let _ = write!(
            out,
            "<span class=\"{}\" style=\"width:{}.{:02}%\"></span>",
            part.tone.name(),
            width / 100,
            width % 100
        );
    }
    out.push_str("</div>\n<ul class=\"legend\">\n");
    for part in bar.parts.iter().filter(|part| part.value > 0) {
        let _ = write!(
            out,
            "<li><span class=\"dot {}\" aria-hidden=\"true\"></span><b>{}</b> ",
            part.tone.name(),
            part.value
        );
        push_html(out, &part.label);
        out.push_str("</li>\n");
    }
    out.push_str("</ul>\n</figure>\n");
}

fn table(out: &mut String, anchor: &str, table: &Table) {
    if table.rows.is_empty() {
        element(out, "p", "empty", &table.empty);
        out.push('\n');
        return;
    }
    let has_gaps = table.rows.iter().any(|row| row.is_gap) && !table.rows.iter().all(|row| row.is_gap);
    let _ = write!(
        out,
        "<div class=\"tools\" hidden>\n<label>Filter <input type=\"search\" autocomplete=\"off\" aria-controls=\"{anchor}-table\"></label>\n"
    );
    if has_gaps {
        out.push_str("<label class=\"check\"><input type=\"checkbox\"> Only rows with gaps</label>\n");
    }
    out.push_str("<span class=\"shown\" role=\"status\"></span>\n</div>\n");
    let size = match table.rows.len() {
        rows if rows > LARGE_ROWS => " tall large",
        rows if rows > TALL_ROWS => " tall",
        _ => "",
    };
    let _ = write!(
        out,
        "<div class=\"scroll{size}\" role=\"region\" aria-label=\"{}\" tabindex=\"0\">\n<table id=\"{anchor}-table\">\n<caption>{}</caption>\n<thead>\n<tr>",
        table.caption, table.caption
    );
    for column in &table.columns {
        let class = if column.is_number { " class=\"number\"" } else { "" };
        let _ = write!(out, "<th scope=\"col\"{class}>{}</th>", column.head);
    }
    out.push_str("</tr>\n</thead>\n<tbody>\n");
    table.rows.iter().for_each(|one| row(out, table, one));
    out.push_str("</tbody>\n</table>\n</div>\n");
    if let Some(note) = cut_note(table) {
        element(out, "p", "note", &note);
        out.push('\n');
    }
}

fn row(out: &mut String, table: &Table, row: &Row) {
    out.push_str(if row.is_gap { "<tr class=\"gap\">" } else { "<tr>" });
    for (at, (column, lines)) in table.columns.iter().zip(&row.cells).enumerate() {
        let tag = if at == 0 { "th scope=\"row\"" } else { "td" };
        let class = if column.is_number { " class=\"number\"" } else { "" };
        let _ = write!(out, "<{tag}{class}>");
        cell(out, lines);
        out.push_str(if at == 0 { "</th>" } else { "</td>" });
    }
    out.push_str("</tr>\n");
}

fn cell(out: &mut String, cell: &Cell) {
    match &cell[..] {
        [] => {}
        [only] => line(out, only),
        many => many.iter().for_each(|one| {
            out.push_str("<div>");
            line(out, one);
            out.push_str("</div>");
        }),
    }
}

fn line(out: &mut String, line: &Line) {
    for (at, span) in line.iter().enumerate() {
        if at > 0 {
            out.push(' ');
        }
        match span {
            Span::Text(text) => element(out, "bdi", "", text),
            Span::Id(text) => element(out, "bdi", "id", text),
            Span::Dim(text) => element(out, "bdi", "dim", text),
            Span::Badge(tone, text) => element(out, "span", &format!("badge {}", tone.name()), text),
        }
    }
}

/// Writes an element with a text; `class` may be empty.
fn element(out: &mut String, tag: &str, class: &str, text: &str) {
    let class = if class.is_empty() { String::new() } else { format!(" class=\"{class}\"") };
    let _ = write!(out, "<{tag}{class}>");
    push_html(out, text);
    let _ = write!(out, "</{tag}>");
}
