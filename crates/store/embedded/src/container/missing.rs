//! The list of what a partial backup lacks: lines of text, in the file `MISSING` of a container.
//!
//! ```text
//! cairn missing 1
//! lost segment-0000000003.log 4096 8192 67112960 67117056 2 0 not a valid frame
//! lost blobs/9f….blob 64 65600 - - - 1 a chunk of the blob does not verify
//! more 17
//! ```
//!
//! `lost` has a file, the range of bytes, the range of positions, how many transactions and blobs cannot
//! be read, and what is wrong; `-` stands for what cannot be told. `more` counts places that are not
//! listed. The lines come from outside: whatever could do something to a terminal is refused.

use std::fmt::Write as _;
use std::ops::Range;

use cairn_seam::{Missing, MissingList, limits};

/// The name of the file in a container.
pub(crate) const NAME: &str = "MISSING";
/// Longer than any list of ours.
pub(crate) const BYTES_MAX: u64 = 1 << 20;
const FIRST_LINE: &str = "cairn missing 1";
const FILE_BYTES_MAX: usize = 128;
const DETAIL_BYTES_MAX: usize = 256;

/// The list as text.
pub(crate) fn to_text(list: &MissingList) -> String {
    let mut text = format!("{FIRST_LINE}\n");
    for Missing { file, bytes, positions, transactions, blobs, detail } in &list.places {
        let number = |number: Option<u64>| number.map_or_else(|| "-".to_owned(), |number| number.to_string());
        let [from, to] = [bytes.start, bytes.end];
        let [first, last] =
            positions.as_ref().map_or([None; 2], |at| [Some(at.start), Some(at.end)]).map(number);
        let [transactions, blobs] = [*transactions, *blobs].map(number);
        writeln!(text, "lost {file} {from} {to} {first} {last} {transactions} {blobs} {}", plain(detail))
            .expect("a string takes everything");
    }
    if list.left_out > 0 {
        writeln!(text, "more {}", list.left_out).expect("a string takes everything");
    }
    text
}

/// Reads a list; `None` when it is none.
pub(crate) fn parse(text: &[u8]) -> Option<MissingList> {
    let text = std::str::from_utf8(text).ok()?;
    let mut lines = text.strip_suffix('\n')?.split('\n');
    if lines.next()? != FIRST_LINE {
        return None;
    }
    let mut list = MissingList::default();
    for line in lines {
        if list.left_out > 0 || line.chars().any(char::is_control) {
            return None;
        }
        match line.split_once(' ')? {
            ("lost", rest) if list.places.len() < limits::FINDINGS_MAX => list.places.push(place(rest)?),
            ("more", count) => list.left_out = count.parse().ok().filter(|count| *count > 0)?,
            _ => return None,
        }
    }
    Some(list)
}

fn place(line: &str) -> Option<Missing> {
    let mut words = line.splitn(8, ' ');
    let file = words.next()?;
    let is_name =
        |name: &str| (1..=FILE_BYTES_MAX).contains(&name.len()) && name.chars().all(|c| c.is_ascii_graphic());
    let bytes = range(words.next()?, words.next()?)??;
    let positions = range(words.next()?, words.next()?)?;
    let [transactions, blobs] = [number(words.next()?)?, number(words.next()?)?];
    let detail = words.next().filter(|detail| detail.len() <= DETAIL_BYTES_MAX)?;
    let detail = detail.to_owned();
    is_name(file).then(|| Missing { file: file.to_owned(), bytes, positions, transactions, blobs, detail })
}

/// A number, or `-` for none.
fn number(word: &str) -> Option<Option<u64>> {
    if word == "-" { Some(None) } else { word.parse().ok().map(Some) }
}

fn range(from: &str, to: &str) -> Option<Option<Range<u64>>> {
    match (number(from)?, number(to)?) {
        (Some(from), Some(to)) if from <= to => Some(Some(from..to)),
        (None, None) => Some(None),
        _ => None,
    }
}

/// One line that is not too long.
fn plain(detail: &str) -> String {
    let mut line: String = detail.chars().map(|c| if c.is_control() { ' ' } else { c }).collect();
    while line.len() > DETAIL_BYTES_MAX {
        line.pop();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list() -> MissingList {
        let segment = Missing {
            file: "segment-0000000003.log".into(),
            bytes: 4096..8192,
            positions: Some(70_000..74_096),
            transactions: Some(2),
            blobs: Some(0),
            detail: "not a valid frame".into(),
        };
        let blob = Missing {
            file: "blobs/00.blob".into(),
            bytes: 0..0,
            positions: None,
            transactions: None,
            blobs: Some(1),
            detail: "the file is missing".into(),
        };
        MissingList { places: vec![segment, blob], left_out: 17 }
    }

    #[test]
    fn a_list_reads_back() {
        for list in [list(), MissingList { left_out: 0, ..list() }, MissingList::default()] {
            assert_eq!(parse(to_text(&list).as_bytes()), Some(list));
        }
        let mut odd = list();
        odd.places[0].detail = "two\nlines\u{1b}".repeat(100);
        let read = parse(to_text(&odd).as_bytes()).expect("it is one line");
        assert!(read.places[0].detail.starts_with("two lines two") && read.places.len() == 2);
    }

    #[test]
    fn lines_that_make_no_sense_are_refused() {
        let text = to_text(&list());
        for (from, to) in [
            ("cairn missing 1", "cairn missing 2"),
            ("4096 8192", "8192 4096"),
            ("4096 8192", "4096"),
            ("4096 8192", "- -"),
            ("70000", "-"),
            ("lost ", "list "),
            ("blobs/00", "blobs/\u{1b}[2J"),
            ("the file", "the\u{7}file"),
            ("more 17", "more 0"),
            ("more 17\n", "more 17\nmore 1\n"),
            ("more 17\n", "more 17"),
        ] {
            assert!(text.contains(from), "{from}");
            assert_eq!(parse(text.replace(from, to).as_bytes()), None, "{from} -> {to}");
        }
        assert_eq!(parse(b""), None);
        assert_eq!(parse(&[0xff]), None);
    }
}
