//! The borders of front matter.

/// The parts of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Split<'a> {
    /// There is no front matter.
    None,
    /// The front matter does not end.
    NoEnd,
    /// Front matter, which begins on line 2, and the text below it.
    Whole { front: &'a str, body: &'a str, body_line: u32 },
}

/// Whether bytes begin with the first line of front matter.
pub(super) fn begins(bytes: &[u8]) -> bool {
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let line = bytes.split(|byte| *byte == b'\n').next().unwrap_or_default();
    is_border(line)
}

/// Splits a text whose lines end with `\n`.
pub(super) fn split(text: &str) -> Split<'_> {
    let mut lines = text.split_inclusive('\n');
    let Some(first) = lines.next().filter(|first| is_border(first.as_bytes())) else { return Split::None };
    let mut at = first.len();
    for (line_number, line) in (2..).zip(lines) {
        let end = at + line.len();
        if is_border(line.as_bytes()) {
            return Split::Whole {
                front: &text[first.len()..at],
                body: &text[end..],
                body_line: line_number + 1,
            };
        }
        at = end;
    }
    Split::NoEnd
}

/// Whether a line is just `---`. Space behind it does not count.
fn is_border(line: &[u8]) -> bool {
    line.strip_prefix(b"---").is_some_and(|rest| rest.iter().all(u8::is_ascii_whitespace))
}

/// The body as it is kept: without empty lines before it and white space behind it.
pub(crate) fn plain_body(body: &str) -> &str {
    let body = body.trim_end();
    let mut start = 0;
    for line in body.split_inclusive('\n') {
        if !line.trim().is_empty() {
            break;
        }
        start += line.len();
    }
    &body[start..]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: Option<(&str, &str, u32)>) {
        let found = match split(text) {
            Split::Whole { front, body, body_line } => Some((front, body, body_line)),
            Split::None | Split::NoEnd => None,
        };
        assert_eq!(found, expected, "{text:?}");
    }

    #[test]
    fn front_matter_is_between_two_lines_of_dashes() {
        check("---\na: 1\n---\nbody\n", Some(("a: 1\n", "body\n", 4)));
        check("---  \n---", Some(("", "", 3)));
        check("---\na: |\n  ---\n---\n", Some(("a: |\n  ---\n", "", 5)));
        check("---\na: 1\n", None);
        check("---\na: 1\n----\n", None);
        check("# Title\n---\na: 1\n---\n", None);
        check("--- # comment\n---\n", None);
        check("", None);
        assert_eq!(split("---\n"), Split::NoEnd);
        assert_eq!(split("text"), Split::None);
        assert!(begins(b"\xef\xbb\xbf---\r\n\xff"));
        assert!(!begins(b"\xff---\n"));
    }

    #[test]
    fn a_body_keeps_its_indentation_and_loses_empty_lines_around_it() {
        assert_eq!(plain_body("\n \n    code\n\ntext\n\n"), "    code\n\ntext");
        assert_eq!(plain_body(" \n\t\n"), "");
        assert_eq!(plain_body("text"), "text");
    }
}
