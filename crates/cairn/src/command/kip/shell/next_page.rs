//! The command that goes on where another one ended.

use cairn_kip::tree::{Command, Describe, Slot};
use cairn_kip::{Span, Spanned};

/// The same command behind a cursor; `None` for those that have no pages.
pub(super) fn after(command: &Command, cursor: &str) -> Option<String> {
    let behind = Some(Spanned::new(Slot::Is(cursor.to_owned()), Span::default()));
    let next = match command.clone() {
        Command::Find(mut find) => {
            find.cursor = behind;
            Command::Find(find)
        }
        Command::Describe(Describe::Types { of, limit, .. }) => {
            Command::Describe(Describe::Types { of, limit, cursor: behind })
        }
        Command::Describe(_)
        | Command::Upsert(_)
        | Command::Delete(_)
        | Command::Search(_)
        | Command::Explain { .. } => return None,
    };
    Some(cairn_kip::one_line(&next))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(command: &str, expected: Option<&str>) {
        let parsed = cairn_kip::parse(command).expect(command);
        assert_eq!(after(&parsed, "a\"b").as_deref(), expected, "{command}");
    }

    #[test]
    fn pages_go_on_behind_a_cursor() {
        check(
            "FIND(?x) WHERE { ?x {type: \"T\"} } LIMIT 2 CURSOR \"old\"",
            Some("FIND(?x) WHERE { ?x {type: \"T\"} } LIMIT 2 CURSOR \"a\\\"b\""),
        );
        check("DESCRIBE CONCEPT TYPES", Some("DESCRIBE CONCEPT TYPES CURSOR \"a\\\"b\""));
        check("DESCRIBE PRIMER", None);
        check("SEARCH CONCEPT \"x\"", None);
    }
}
