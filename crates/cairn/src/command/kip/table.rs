//! Tables with as many columns as somebody asked for.

use cairn_kip::width as columns;

use crate::terminal::Look;

/// Between two columns.
const GAP: usize = 2;
/// A column is not cut to less than this, however many there are.
const LEAST: usize = 8;

/// Rows below their heads.
#[derive(Debug, Default)]
pub(in crate::command) struct Table {
    pub(in crate::command) heads: Vec<String>,
    /// As many cells each as there are heads.
    pub(in crate::command) rows: Vec<Vec<String>>,
}

impl Table {
    /// In lines that fit into the width of a terminal, if there is one.
    pub(in crate::command) fn render(&self, look: Look) -> String {
        let mut widths: Vec<usize> = self.heads.iter().map(|head| columns(head)).collect();
        for row in &self.rows {
            for (width, cell) in widths.iter_mut().zip(row) {
                *width = (*width).max(columns(cell));
            }
        }
        if let Some(room) = look.width {
            let cap = cap(&widths, room);
            widths.iter_mut().for_each(|width| *width = (*width).min(cap));
        }
        let mut out = look.bold(&line(&self.heads, &widths)) + "\n";
        for row in &self.rows {
            out += &line(row, &widths);
            out.push('\n');
        }
        out
    }
}

/// The width that no column may have more of, so that all of them fit: narrow ones stay as they are.
fn cap(widths: &[usize], room: usize) -> usize {
    let room = room.saturating_sub(GAP * widths.len().saturating_sub(1));
    let mut sorted = widths.to_vec();
    sorted.sort_unstable();
    let (mut left, mut columns) = (room, sorted.len());
    for width in sorted {
        let fair = left / columns.max(1);
        if width > fair {
            return fair.max(LEAST);
        }
        left -= width;
        columns -= 1;
    }
    usize::MAX
}

fn line(cells: &[String], widths: &[usize]) -> String {
    let cells = cells.iter().zip(widths).map(|(cell, width)| padded(&shortened(cell, *width), *width));
    let line = cells.collect::<Vec<_>>().join(&" ".repeat(GAP));
    line.trim_end().to_owned()
}

fn shortened(cell: &str, width: usize) -> String {
    if columns(cell) <= width {
        return cell.to_owned();
    }
    let (mut end, mut used) = (0, 0);
    for (at, character) in cell.char_indices() {
        let next = at + character.len_utf8();
        used += columns(&cell[at..next]);
        if used >= width {
            break;
        }
        end = next;
    }
    format!("{}…", &cell[..end])
}

/// A text with spaces behind it, as wide as a column.
pub(in crate::command) fn padded(text: &str, width: usize) -> String {
    format!("{text}{}", " ".repeat(width.saturating_sub(columns(text))))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(rows: &[[&str; 3]]) -> Table {
        let texts = |row: &[&str; 3]| row.iter().map(|cell| (*cell).to_owned()).collect();
        Table { heads: texts(&["?d.name", "n", "about"]), rows: rows.iter().map(texts).collect() }
    }

    #[test]
    fn columns_are_as_wide_as_they_need_where_there_is_room() {
        let table = table(&[["Aspirin", "2", "an acid"], ["Ä", "10", ""]]);
        let plain = Look { colour: false, width: None };
        assert_eq!(table.render(plain), "?d.name  n   about\nAspirin  2   an acid\nÄ        10\n");
        let coloured = table.render(Look { colour: true, width: Some(80) });
        assert!(coloured.starts_with("\u{1b}[1m?d.name  n   about\u{1b}[0m\n"), "{coloured:?}");
        assert!(!coloured[20..].contains("\u{1b}[1m"), "only the heads stand out");
    }

    #[test]
    fn only_wide_columns_are_cut_to_fit() {
        let long = "x".repeat(200);
        let table = table(&[["Aspirin", "2", &long], [&long, "10", &long]]);
        for width in [40, 60, 81] {
            let text = table.render(Look { colour: false, width: Some(width) });
            assert!(text.lines().all(|line| line.chars().count() <= width), "{width}: {text}");
            assert!(text.contains("Aspirin") && text.contains("  10  ") && text.contains('…'), "{text}");
        }
        let narrow = table.render(Look { colour: false, width: Some(5) });
        assert!(narrow.contains("Aspirin"), "there is a least width: {narrow}");
        let whole = table.render(Look { colour: false, width: None });
        assert!(whole.contains(&long), "nothing is cut where nobody looks");
    }

    #[test]
    fn characters_take_the_columns_that_they_have_on_a_terminal() {
        let wide = table(&[["漢字", "1", "a"], ["e\u{301}", "2", "b"]]);
        let plain = wide.render(Look { colour: false, width: None });
        assert_eq!(plain, "?d.name  n  about\n漢字     1  a\ne\u{301}        2  b\n");
        assert_eq!(shortened("漢字漢字", 6), "漢字…");
        assert_eq!(shortened("漢字漢字", 5), "漢字…");
        assert_eq!(shortened("漢字漢字", 4), "漢…");
    }

    #[test]
    fn a_table_without_rows_has_its_heads() {
        assert_eq!(table(&[]).render(Look { colour: false, width: Some(80) }), "?d.name  n  about\n");
    }
}
