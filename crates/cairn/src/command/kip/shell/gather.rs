//! From lines to commands.
//!
//! In a script a command goes on until the next one begins, until an empty line, or until the end, so that
//! ORDER BY and LIMIT may stand on lines of their own. Nothing ends inside of brackets.

use cairn_kip::{MarkKind, is_unfinished, marks};

use super::backslash::explained;

/// A command of a script.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Gathered {
    /// As it was written.
    pub(super) text: String,
    /// The line it began on, from 1.
    pub(super) line: usize,
}

/// Lines of a command that may go on.
#[derive(Debug, Default)]
pub(super) struct Gather {
    text: String,
    /// The line the text began on.
    begun: usize,
    /// Lines that came.
    lines: usize,
}

impl Gather {
    /// Takes a line, without its end. Gives the command that ended before it or with it.
    pub(super) fn push(&mut self, line: &str) -> Option<Gathered> {
        self.lines += 1;
        let may_end = line.trim().is_empty() || begins_command(line) || is_one_line(&self.text);
        let ends = may_end && !goes_on(&self.text);
        let done = if ends { self.finish() } else { None };
        if self.text.is_empty() {
            self.begun = self.lines;
        }
        self.text += line;
        self.text.push('\n');
        done
    }

    /// What is left when no line comes any more.
    pub(super) fn finish(&mut self) -> Option<Gathered> {
        let text = std::mem::take(&mut self.text);
        let is_command = text.trim_start().starts_with('\\')
            || marks(&text).iter().any(|mark| mark.kind != MarkKind::Comment);
        is_command.then_some(Gathered { text, line: self.begun })
    }

    /// Bytes that are held.
    pub(super) fn bytes(&self) -> usize {
        self.text.len()
    }
}

/// Whether a text has to go on to be a command.
pub(super) fn goes_on(text: &str) -> bool {
    match explained(text) {
        Some(command) => is_unfinished(command),
        None if is_one_line(text) => false,
        // Nothing but comments is a beginning too, but there is nothing to lose.
        None => is_unfinished(text) && marks(text).iter().any(|mark| mark.kind != MarkKind::Comment),
    }
}

/// Whether nothing can follow on another line.
fn is_one_line(text: &str) -> bool {
    text.trim_start().starts_with('\\') && explained(text).is_none()
}

fn begins_command(line: &str) -> bool {
    const FIRST: [&str; 6] = ["FIND", "UPSERT", "DELETE", "DESCRIBE", "SEARCH", "EXPLAIN"];
    let line = line.trim_start();
    let word = line.split(|character: char| !character.is_ascii_alphabetic()).next().unwrap_or_default();
    line.starts_with('\\') || FIRST.contains(&word)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(script: &str, expected: &[(usize, &str)]) {
        let mut gather = Gather::default();
        let mut found: Vec<Gathered> = script.lines().filter_map(|line| gather.push(line)).collect();
        found.extend(gather.finish());
        let found: Vec<_> = found.iter().map(|one| (one.line, one.text.trim())).collect();
        assert_eq!(found, expected, "{script:?}");
    }

    #[test]
    fn a_command_goes_on_until_the_next_one_begins() {
        check(
            "FIND(?x)\nWHERE {\n\n  ?x {type: \"T\"}\n}\nORDER BY ?x.name\nLIMIT 2\nDESCRIBE PRIMER\n\\next\n",
            &[
                (1, "FIND(?x)\nWHERE {\n\n  ?x {type: \"T\"}\n}\nORDER BY ?x.name\nLIMIT 2"),
                (8, "DESCRIBE PRIMER"),
                (9, "\\next"),
            ],
        );
    }

    #[test]
    fn inside_of_brackets_nothing_begins_or_ends() {
        let upsert = "UPSERT {\nCONCEPT {\n{type: \"T\", name: \"x\"}\nSET ATTRIBUTES {\n\nFIND: 1 } } }";
        check(&format!("{upsert}\nUPSERT {{"), &[(1, upsert), (7, "UPSERT {")]);
        check("EXPLAIN\nFIND(?x)\nDESCRIBE", &[(1, "EXPLAIN\nFIND(?x)\nDESCRIBE")]);
    }

    #[test]
    fn comments_and_empty_lines_are_no_commands() {
        check("\n\n// nothing\n\n", &[]);
        check("// about\nDESCRIBE DOMAINS // all\n\n// end", &[(2, "DESCRIBE DOMAINS // all")]);
    }

    #[test]
    fn a_plan_may_have_several_lines_and_other_backslashes_one() {
        check(
            "\\explain FIND(?x)\nWHERE { ?x {type: \"T\"} }\n\\json on\nDESCRIBE PRIMER",
            &[
                (1, "\\explain FIND(?x)\nWHERE { ?x {type: \"T\"} }"),
                (3, "\\json on"),
                (4, "DESCRIBE PRIMER"),
            ],
        );
    }

    #[test]
    fn what_is_wrong_ends_where_the_next_begins() {
        check("\\json off\nLIMIT 3", &[(1, "\\json off"), (2, "LIMIT 3")]);
        check("FIND(?x)) WHERE {\nDESCRIBE PRIMER", &[(1, "FIND(?x)) WHERE {"), (2, "DESCRIBE PRIMER")]);
    }
}
