//! What commands begin with.

use cairn_kip::tree::Command;

/// A kind of command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Find,
    Upsert,
    Delete,
    Describe,
    Search,
    Explain,
    /// None of them.
    Syntax,
}

impl Kind {
    pub(super) const ALL: [Kind; 7] =
        [Kind::Find, Kind::Upsert, Kind::Delete, Kind::Describe, Kind::Search, Kind::Explain, Kind::Syntax];

    pub(super) fn of(command: &Command) -> Self {
        match command {
            Command::Find(_) => Kind::Find,
            Command::Upsert(_) => Kind::Upsert,
            Command::Delete(_) => Kind::Delete,
            Command::Describe(_) => Kind::Describe,
            Command::Search(_) => Kind::Search,
            Command::Explain { .. } => Kind::Explain,
        }
    }

    pub(super) fn name(self) -> &'static str {
        match self {
            Kind::Find => "FIND",
            Kind::Upsert => "UPSERT",
            Kind::Delete => "DELETE",
            Kind::Describe => "DESCRIBE",
            Kind::Search => "SEARCH",
            Kind::Explain => "EXPLAIN",
            Kind::Syntax => "SYNTAX",
        }
    }
}
