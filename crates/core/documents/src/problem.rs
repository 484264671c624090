//! Problems of documents, each with a file, a line and a hint.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A class of problems.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ProblemClass {
    /// The file is not text in UTF-8, or is larger than the limit.
    Unreadable,
    /// The front matter does not end: there is no closing `---`.
    MissingEnd,
    /// The front matter has no `type`, and the path implies none.
    MissingType,
    /// A required field is missing.
    MissingField,
    /// A value has an unquoted colon, so that it is no YAML.
    UnquotedColon,
    /// The YAML is invalid, or goes beyond a limit.
    Yaml,
    /// A key is probably misspelt.
    UnknownField,
    /// A value is invalid.
    InvalidField,
    /// A link is invalid. The entity is read without it.
    InvalidLink,
    /// A requirement contains scenarios or tests, which are entities of their own.
    EmbeddedEntity,
    /// An id is used twice in one document. The first entity that has it counts.
    DuplicateId,
    /// There are more problems than are listed, errors among them.
    More,
    /// A key has the spelling of another version. It was read all the same.
    RenamedField,
    /// A key is unknown and was ignored.
    IgnoredField,
    /// There are more warnings than are listed.
    MoreWarnings,
}

impl ProblemClass {
    /// Every class, in the order of the documentation.
    pub const ALL: &'static [ProblemClass] = &[
        ProblemClass::Unreadable,
        ProblemClass::MissingEnd,
        ProblemClass::MissingType,
        ProblemClass::MissingField,
        ProblemClass::UnquotedColon,
        ProblemClass::Yaml,
        ProblemClass::UnknownField,
        ProblemClass::InvalidField,
        ProblemClass::InvalidLink,
        ProblemClass::EmbeddedEntity,
        ProblemClass::DuplicateId,
        ProblemClass::More,
        ProblemClass::RenamedField,
        ProblemClass::IgnoredField,
        ProblemClass::MoreWarnings,
    ];

    /// Returns its name, as messages show it.
    pub fn text(self) -> &'static str {
        match self {
            ProblemClass::Unreadable => "unreadable file",
            ProblemClass::MissingEnd => "missing closing ---",
            ProblemClass::MissingType => "missing type",
            ProblemClass::MissingField => "missing field",
            ProblemClass::UnquotedColon => "unquoted colon",
            ProblemClass::Yaml => "invalid YAML",
            ProblemClass::UnknownField => "unknown field",
            ProblemClass::InvalidField => "invalid field",
            ProblemClass::InvalidLink => "invalid link",
            ProblemClass::EmbeddedEntity => "embedded entity",
            ProblemClass::DuplicateId => "duplicate id",
            ProblemClass::More => "more problems",
            ProblemClass::RenamedField => "renamed field",
            ProblemClass::IgnoredField => "ignored field",
            ProblemClass::MoreWarnings => "more warnings",
        }
    }

    /// Returns whether something of the document was not read. The others are warnings.
    pub fn is_error(self) -> bool {
        match self {
            ProblemClass::RenamedField | ProblemClass::IgnoredField | ProblemClass::MoreWarnings => false,
            ProblemClass::Unreadable
            | ProblemClass::MissingEnd
            | ProblemClass::MissingType
            | ProblemClass::MissingField
            | ProblemClass::UnquotedColon
            | ProblemClass::Yaml
            | ProblemClass::UnknownField
            | ProblemClass::InvalidField
            | ProblemClass::InvalidLink
            | ProblemClass::EmbeddedEntity
            | ProblemClass::DuplicateId
            | ProblemClass::More => true,
        }
    }
}

impl fmt::Display for ProblemClass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.text())
    }
}

/// A problem of a document.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Problem {
    /// Path of the document.
    pub path: String,
    /// Line, from 1, if the problem has one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Its class.
    pub class: ProblemClass,
    /// What is wrong.
    pub message: String,
    /// How to correct it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

impl Problem {
    /// Returns whether something of the document was not read.
    pub fn is_error(&self) -> bool {
        self.class.is_error()
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.path)?;
        self.line.iter().try_for_each(|line| write!(f, ":{line}"))?;
        write!(f, ": {}: {}", self.class, self.message)?;
        self.hint.iter().try_for_each(|hint| write!(f, " ({hint})"))
    }
}
