//! Parts of the page.

use std::path::Path;

/// The whole page `docs/kb.md`.
pub(super) fn read() -> String {
    read_page("kb.md")
}

/// A whole page of `docs`.
pub(super) fn read_page(name: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../docs").join(name);
    std::fs::read_to_string(path).expect("the page is read")
}

/// The text below a heading, up to the next one.
pub(super) fn section<'a>(page: &'a str, heading: &str) -> &'a str {
    let start = page.find(&format!("# {heading}\n")).unwrap_or_else(|| panic!("no heading `{heading}`"));
    let rest = page[start..].split_once('\n').expect("a heading ends").1;
    let end = rest.find("\n#").map_or(rest.len(), |end| end + 1);
    &rest[..end]
}

/// Rows of the table of a section, without its head and without backticks.
pub(super) fn rows(section: &str) -> Vec<Vec<String>> {
    let rows = section.lines().filter(|line| line.starts_with("| ")).skip(1);
    let cells =
        |row: &str| row.trim_matches('|').split(" | ").map(|cell| cell.trim().replace('`', "")).collect();
    rows.map(cells).collect()
}

/// Blocks of JSON of a section: the words behind `json`, and the text.
pub(super) fn json_blocks(section: &str) -> Vec<(&str, &str)> {
    let blocks = section.split("```json ").skip(1);
    blocks
        .map(|block| block.split_once("```").expect("a block ends").0.split_once('\n').expect("two lines"))
        .collect()
}
