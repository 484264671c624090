//! Commands of the shell itself: they begin with a backslash.

use std::path::PathBuf;

use crate::failure::Failure;

/// What the shell is told to do.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Backslash {
    /// Say how a command would be carried out.
    Explain(String),
    /// Carry it out, and say how that went.
    Analyze(String),
    /// Print answers as JSON, or for people.
    Json(bool),
    /// Say after each answer how long it took.
    Timing(bool),
    /// Work in another space.
    Space(String),
    /// Show types and predicates.
    Schema,
    /// Show the next page.
    Next,
    /// Read commands from a file.
    Include(PathBuf),
    /// Say what there is.
    Help,
    /// Leave.
    Quit,
}

/// Names, what follows them, and what they do.
pub(super) const COMMANDS: &[(&str, &str, &str)] = &[
    ("explain", "COMMAND", "how a FIND would be found"),
    ("analyze", "COMMAND", "the same, and how many rows each step had"),
    ("schema", "", "types and predicates, and how much there is of each"),
    ("next", "", "the next page of the last answer"),
    ("space", "NAME", "work in another space"),
    ("json", "on|off", "answers as JSON, or as tables"),
    ("timing", "on|off", "say after each answer how long it took"),
    ("i", "FILE", "read commands from a file, until one fails"),
    ("help", "", "this"),
    ("quit", "", "leave; so does Ctrl-D"),
];

/// Reads a line that begins with a backslash.
pub(super) fn parse(line: &str) -> Result<Backslash, Failure> {
    let line = line.trim();
    let line = line.strip_prefix('\\').unwrap_or(line);
    let (name, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
    let rest = rest.trim();
    let needed = |what: &str| match rest {
        "" => Err(Failure::new(format!("\\{name} needs something behind it"))
            .hint(format!("write \\{name} {what}"))),
        given => Ok(given.to_owned()),
    };
    let switch = || match rest {
        "on" => Ok(true),
        "off" => Ok(false),
        _ => Err(Failure::new(format!("\\{name} is switched on or off"))
            .hint(format!("write \\{name} on or \\{name} off"))),
    };
    let alone = |command| match rest {
        "" => Ok(command),
        _ => Err(Failure::new(format!("\\{name} has nothing behind it")).hint(format!("write \\{name}"))),
    };
    match name {
        "explain" => needed("FIND(…) WHERE { … }").map(Backslash::Explain),
        "analyze" => needed("FIND(…) WHERE { … }").map(Backslash::Analyze),
        "json" => switch().map(Backslash::Json),
        "timing" => switch().map(Backslash::Timing),
        "space" => needed("memory").map(Backslash::Space),
        "schema" => alone(Backslash::Schema),
        "next" => alone(Backslash::Next),
        "i" => needed("medicine.kip").map(|file| Backslash::Include(file.into())),
        "help" | "h" | "?" => alone(Backslash::Help),
        "quit" | "q" => alone(Backslash::Quit),
        _ => Err(Failure::new(format!("there is no \\{}", cairn_base::Harmless(name)))
            .hint("\\help says what there is")),
    }
}

/// The command that follows \explain or \analyze: it may be of several lines.
pub(super) fn explained(line: &str) -> Option<&str> {
    let line = line.trim_start().strip_prefix('\\')?;
    let (name, rest) = line.split_once(char::is_whitespace)?;
    matches!(name, "explain" | "analyze").then_some(rest)
}

/// What there is, for people.
pub(super) fn help() -> String {
    let name = |name: &str, argument: &str| format!("\\{name} {argument}").trim_end().to_owned();
    let rows: Vec<[String; 2]> = COMMANDS
        .iter()
        .map(|(command, argument, what)| [name(command, argument), (*what).to_owned()])
        .collect();
    crate::command::table(&rows)
        + "\nEverything else is KIP: FIND, SEARCH, DESCRIBE, UPSERT, DELETE, EXPLAIN. A command goes on until its\n\
           brackets are closed; an empty line ends it as it is. Tab completes, the arrows bring back what was\n\
           asked before, Ctrl-R looks for it, Ctrl-C gives up a command. DESCRIBE PRIMER is a good beginning.\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_backslash_command_is_a_name_and_what_it_needs() {
        for (line, expected) in [
            ("\\explain FIND(?x)\nWHERE {}", Backslash::Explain("FIND(?x)\nWHERE {}".to_owned())),
            ("  \\analyze\tFIND", Backslash::Analyze("FIND".to_owned())),
            ("\\json on", Backslash::Json(true)),
            ("\\timing  off ", Backslash::Timing(false)),
            ("\\space my notes", Backslash::Space("my notes".to_owned())),
            ("\\i a b.kip", Backslash::Include("a b.kip".into())),
            ("\\schema", Backslash::Schema),
            ("\\next", Backslash::Next),
            ("\\q", Backslash::Quit),
            ("\\?", Backslash::Help),
        ] {
            assert_eq!(parse(line).expect(line), expected);
        }
        for line in
            ["\\", "\\explain", "\\json", "\\json maybe", "\\space ", "\\i", "\\next 2", "\\exit", "\\Q"]
        {
            assert!(parse(line).is_err(), "{line}");
        }
    }

    #[test]
    fn help_names_every_command_that_is_understood() {
        let help = help();
        for (name, argument, _) in COMMANDS {
            assert!(help.contains(&format!("\\{name}")), "{name}");
            let argument = argument.split('|').next().unwrap_or_default();
            assert!(parse(&format!("\\{name} {argument}")).is_ok(), "{name}");
        }
    }

    #[test]
    fn only_plans_have_a_command_behind_them() {
        assert_eq!(explained("\\explain FIND("), Some("FIND("));
        assert_eq!(explained(" \\analyze\nFIND("), Some("FIND("));
        for line in ["\\space FIND(", "FIND(", "\\explain"] {
            assert_eq!(explained(line), None, "{line}");
        }
    }
}
