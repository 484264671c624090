//! A mistake for people: what, where, the line with a mark under the place, and what to do.

mod width;

use std::fmt::Write;

use cairn_base::Harmless;

use crate::place::{before, line_column};
use crate::{KipError, Span};
pub use width::width;

/// Characters that are shown before and after where the mistake begins: a line may be a megabyte.
const SHOWN_BEFORE: usize = 60;
const SHOWN_AFTER: usize = 60;

/// A mistake in a text, for a terminal. `file` is where the text is from, if that has a name.
///
/// ```text
/// KIP_1001 InvalidSyntax: expected `,` or `}`, found `name`
///  --> drugs.kip:2:20
///   |
/// 2 |   ?d {type: "Drug" name: "x"}
///   |                    ^^^^
/// hint: put a comma before `name`, or `}` if the list ends here
/// ```
pub fn report(error: &KipError, text: &str, file: Option<&str>) -> String {
    let mut out = format!("{} {}: {}\n", error.code, error.code.name(), Harmless(&error.message));
    match error.span {
        Some(span) => place(&mut out, text, span, file),
        None => out.extend(file.map(|file| format!(" --> {}\n", Harmless(file)))),
    }
    out.push_str(&format!("hint: {}\n", Harmless(error.advice())));
    out
}

fn place(out: &mut String, text: &str, span: Span, file: Option<&str>) {
    let (line, column) = line_column(text, span);
    let at = match file {
        Some(file) => format!("{}:{line}:{column}", Harmless(file)),
        None => format!("line {line}, column {column}"),
    };
    let (shown, indent, marks) = marked(text, span);
    let number = line.to_string();
    let margin = " ".repeat(number.len());
    let indent = " ".repeat(indent);
    let marks = "^".repeat(marks);
    // Writing to a string cannot fail.
    let _ = writeln!(out, "{margin}--> {at}\n{margin} |\n{number} | {shown}\n{margin} | {indent}{marks}");
}

/// The line in which a part of a text begins, as it is shown; the columns before that part, and its own.
fn marked(text: &str, span: Span) -> (String, usize, usize) {
    let start = before(text, span.start as usize).len();
    let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let line_end = text[start..].find('\n').map_or(text.len(), |at| start + at);
    let (left, right) = (&text[line_start..start], text[start..line_end].trim_end_matches('\r'));
    let skipped = left.chars().count().saturating_sub(SHOWN_BEFORE);
    let mut shown: String = left.chars().skip(skipped).map(display).collect();
    if skipped > 0 {
        shown.insert(0, '…');
    }
    let indent = width(&shown);
    let length = before(text, span.end as usize).len().saturating_sub(start);
    let mut marks = 0;
    for (at, character) in right.char_indices().take(SHOWN_AFTER) {
        let display = display(character);
        marks += if at < length { width(&display) } else { 0 };
        shown.push_str(&display);
    }
    if right.chars().nth(SHOWN_AFTER).is_some() {
        shown.push('…');
    }
    (shown.trim_end().to_owned(), indent, marks.max(1))
}

fn display(character: char) -> String {
    match character {
        '\t' => "    ".to_owned(),
        _ => Harmless(character.encode_utf8(&mut [0; 4])).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KipCode;

    fn check(text: &str, marked: &str, expected: &str) {
        let at = text.find(marked).expect(text);
        let error =
            KipError::new(KipCode::NotFound, "gone").hint("look").at(Span::new(at, at + marked.len()));
        let report = report(&error, text, Some("x"));
        let lines: Vec<&str> = report.lines().skip(3).take(2).map(|line| &line[4..]).collect();
        assert_eq!(lines.join("\n"), expected, "{report}");
    }

    #[test]
    fn the_mark_is_under_the_place() {
        check("ab cd ef", "cd", "ab cd ef\n   ^^");
        check("\t\tab\tcd", "cd", "        ab    cd\n              ^^");
        check("漢字 ab", "ab", "漢字 ab\n     ^^");
        check("ab 漢字🪨 x", "漢字🪨", "ab 漢字🪨 x\n   ^^^^^^");
        check("e\u{301}e\u{301} ab", "ab", "e\u{301}e\u{301} ab\n   ^^");
        check("\u{1b}[31m ab\r\ncd", "ab", "\\u{1b}[31m ab\n           ^^");
        check("a\n  b(\nc", "(\nc", "  b(\n   ^");
        check("ab", "", "ab\n^");
    }

    #[test]
    fn long_lines_are_cut_around_the_place() {
        let text = format!("{}!{}", "a".repeat(100_000), "b".repeat(100_000));
        let expected = format!("…{}!{}…\n{}^", "a".repeat(60), "b".repeat(59), " ".repeat(61));
        check(&text, "!", &expected);
    }

    #[test]
    fn the_whole_report() {
        let error = KipError::new(KipCode::NotFound, "it is gone").hint("look elsewhere");
        assert_eq!(report(&error, "", None), "KIP_3002 NotFound: it is gone\nhint: look elsewhere\n");
        assert_eq!(
            report(&error.clone().at(Span::new(99, 200)), "1\n2", None),
            "KIP_3002 NotFound: it is gone\n --> line 2, column 2\n  |\n2 | 2\n  |  ^\nhint: look elsewhere\n"
        );
        let named = report(&error.at(Span::new(0, 1)), "1", Some("a\u{7}.kip"));
        assert!(named.contains(" --> a\\u{7}.kip:1:1\n"), "{named}");
    }
}
