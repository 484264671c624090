//! What came out of a run.

use std::fmt;

/// How many cases ran, and what was wrong with some of them.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Report {
    /// How many groups ran.
    pub groups: usize,
    /// How many cases ran.
    pub cases: usize,
    /// What was not as expected, in the order it happened.
    pub mismatches: Vec<Mismatch>,
}

/// A case, or the setup of a group, that did not go as expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mismatch {
    /// The group's name.
    pub group: String,
    /// The case's name; `setup` for the setup.
    pub case: String,
    /// The command, or the list of them.
    pub command: String,
    /// What is wrong.
    pub complaint: String,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Mismatch { group, case, command, complaint } in &self.mismatches {
            writeln!(f, "{group}: {case}\n  {command}\n     {complaint}")?;
        }
        let Report { groups, cases, mismatches } = self;
        write!(f, "{cases} cases of {groups} groups, {} not as expected", mismatches.len())
    }
}
