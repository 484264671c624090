//! Reasons why a report was not read.

use std::fmt;

/// A report that was not read: nothing of it counts.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub struct ResultsError {
    /// The name of its file.
    pub file: String,
    /// Line, from 1, if the problem has one.
    pub line: Option<u32>,
    /// What is wrong.
    pub message: String,
    /// How to correct it.
    pub hint: &'static str,
}

impl fmt::Display for ResultsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.file)?;
        self.line.iter().try_for_each(|line| write!(f, ":{line}"))?;
        write!(f, ": {}", self.message)
    }
}

/// The same before the file is known.
#[derive(Debug)]
pub(super) struct Refusal {
    pub(super) line: Option<usize>,
    pub(super) message: String,
    pub(super) hint: &'static str,
}

impl Refusal {
    pub(super) fn at(line: usize, message: impl Into<String>, hint: &'static str) -> Self {
        Refusal { line: Some(line), message: message.into(), hint }
    }
}
