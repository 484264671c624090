//! Tables for people.

use crate::terminal::Look;

/// Rows below their heads, each column as wide as it has to be.
pub(crate) fn columns<const N: usize>(heads: [&str; N], rows: &[[String; N]], look: Look) -> String {
    let heads = heads.map(str::to_owned);
    let mut widths = [0; N];
    for row in rows.iter().chain([&heads]) {
        for (width, cell) in widths.iter_mut().zip(row) {
            *width = (*width).max(cell.chars().count());
        }
    }
    let line = |row: &[String; N]| {
        let cells: Vec<_> = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        cells.join("  ").trim_end().to_owned()
    };
    let mut out = look.bold(&line(&heads)) + "\n";
    for row in rows {
        out += &line(row);
        out.push('\n');
    }
    out
}
