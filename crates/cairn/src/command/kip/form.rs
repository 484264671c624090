//! In which form concepts and links are moved.

use std::path::Path;

use clap::ValueEnum;

/// What lines of a file are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Form {
    /// UPSERT commands
    Kip,
    /// Concepts and links, one JSON object a line
    Ndjson,
}

impl Form {
    /// What the name of a file says.
    pub(super) fn of_file(path: &Path) -> Option<Self> {
        let extension = path.extension()?.to_str()?.to_ascii_lowercase();
        match extension.as_str() {
            "kip" => Some(Form::Kip),
            "ndjson" | "jsonl" => Some(Form::Ndjson),
            _ => None,
        }
    }

    /// As parameters of requests have it.
    pub(super) fn name(self) -> &'static str {
        match self {
            Form::Kip => "kip",
            Form::Ndjson => "ndjson",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_file_says_what_is_in_it() {
        for (name, expected) in [
            ("a.kip", Some(Form::Kip)),
            ("a.NDJSON", Some(Form::Ndjson)),
            ("b/a.jsonl", Some(Form::Ndjson)),
            ("a.txt", None),
            ("-", None),
        ] {
            assert_eq!(Form::of_file(Path::new(name)), expected, "{name}");
        }
    }
}
