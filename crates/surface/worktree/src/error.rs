//! Why a working tree cannot be used.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use cairn_base::{ErrorCode, Harmless};

use crate::{BranchName, BranchNameProblem, FileProblem, WorktreeCode, limits};

/// Situations a caller can act on.
#[derive(Debug, thiserror::Error)]
pub enum WorktreeError {
    /// No folder from here up is the working tree of a repository.
    #[error("{} is not in a git repository; run inside one, or set CAIRN_BRANCH", shown(start))]
    NotAGitRepo {
        /// The folder that the search started at.
        start: PathBuf,
    },
    /// The repository has no working tree.
    #[error("{} is a bare git repository; run in one of its worktrees, or set CAIRN_BRANCH", shown(path))]
    BareRepository {
        /// The repository.
        path: PathBuf,
    },
    /// HEAD is detached, and not exactly one branch points at its commit.
    #[error(
        "HEAD is detached at {head}, and {}; switch to a branch or set CAIRN_BRANCH",
        Candidates(candidates)
    )]
    DetachedHead {
        /// The commit, or the ref that is no branch.
        head: String,
        /// Branches that point at the commit, in order.
        candidates: Vec<BranchName>,
    },
    /// An environment variable names no branch.
    #[error("{variable} is no branch name, {problem}: {:?}; correct or unset {variable}", Harmless(value).to_string())]
    EnvBranch {
        /// The variable.
        variable: &'static str,
        /// Its value.
        value: String,
        /// The rule that the value breaks.
        problem: BranchNameProblem,
    },
    /// An environment variable names no folder.
    #[error("{variable} names no folder that can be read: {}; correct or unset {variable}", shown(path))]
    EnvWorkspace {
        /// The variable.
        variable: &'static str,
        /// Its value.
        path: PathBuf,
    },
    /// The folder that the search starts at cannot be read.
    #[error("could not read the folder {}: {source}", shown(path))]
    Start {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// A file of git cannot be read.
    #[error("the git file {} {problem}; repair the repository, or set CAIRN_BRANCH", shown(path))]
    GitUnreadable {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: FileProblem,
    },
    /// Refs are stored as reftables.
    #[error("{} stores its refs as reftables, which cairn does not read; set CAIRN_BRANCH", shown(path))]
    Reftable {
        /// The repository.
        path: PathBuf,
    },
    /// The checked-out branch has a name that cairn cannot use.
    #[error("the branch {:?} cannot have a KB, {problem}; rename it, or set CAIRN_BRANCH", Harmless(name).to_string())]
    BranchName {
        /// The name, with replacement characters where it is not UTF-8.
        name: String,
        /// The rule that it breaks.
        problem: BranchNameProblem,
    },
    /// HEAD or the refs changed during every attempt.
    #[error("branches of {} change too fast to be read; try again, or set CAIRN_BRANCH", shown(path))]
    GitChanging {
        /// The repository.
        path: PathBuf,
    },
    /// A file of cairn in the repository is damaged.
    #[error("{} {problem}; restore it, or remove it to start with an empty KB", shown(path))]
    State {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        problem: FileProblem,
    },
    /// A file of cairn in the repository could not be written.
    #[error("could not write {}: {source}; make its folder writable", shown(path))]
    StateWrite {
        /// The file.
        path: PathBuf,
        /// The error of the system.
        source: io::Error,
    },
    /// The configuration of the KB is invalid.
    #[error("{file}{}: {message}", Line(*line))]
    Config {
        /// The file, from the root of the tree.
        file: &'static str,
        /// The line, where it is known.
        line: Option<usize>,
        /// What is wrong, and what to do.
        message: String,
    },
    /// The system does not watch a folder.
    #[error("could not watch {}: {message}; sync without --watch", shown(path))]
    Watch {
        /// The folder.
        path: PathBuf,
        /// The error of the system.
        message: String,
    },
    /// A path is not one inside the tree.
    #[error("invalid path {:?}, {problem}; name a file below the root of the tree", Harmless(path).to_string())]
    PathRefused {
        /// The path.
        path: String,
        /// The rule that it breaks.
        problem: &'static str,
    },
    /// A file of the tree cannot be read.
    #[error("the file {:?} {problem}", Harmless(path).to_string())]
    FileRefused {
        /// The path from the root of the tree.
        path: String,
        /// What is wrong with it.
        problem: FileProblem,
    },
}

impl WorktreeError {
    /// The row of the error-code table.
    pub fn code(&self) -> ErrorCode {
        match self {
            WorktreeError::NotAGitRepo { .. } | WorktreeError::BareRepository { .. } => {
                WorktreeCode::NotAGitRepo
            }
            WorktreeError::DetachedHead { .. } => WorktreeCode::DetachedHead,
            WorktreeError::EnvBranch { .. } | WorktreeError::EnvWorkspace { .. } => WorktreeCode::EnvOverride,
            WorktreeError::Start { .. } => ErrorCode::NotFound,
            WorktreeError::GitUnreadable { .. }
            | WorktreeError::Reftable { .. }
            | WorktreeError::BranchName { .. } => WorktreeCode::GitUnreadable,
            WorktreeError::GitChanging { .. } => WorktreeCode::GitChanging,
            WorktreeError::State { .. } | WorktreeError::StateWrite { .. } => WorktreeCode::WorkspaceState,
            WorktreeError::Config { .. } => WorktreeCode::KbConfig,
            WorktreeError::Watch { .. } => ErrorCode::Unavailable,
            WorktreeError::PathRefused { .. } => ErrorCode::InvalidRequest,
            WorktreeError::FileRefused { problem, .. } => match problem {
                FileProblem::Missing => ErrorCode::NotFound,
                FileProblem::TooLong { .. } => ErrorCode::TooLarge,
                FileProblem::NotAFile
                | FileProblem::Outside
                | FileProblem::NotUtf8
                | FileProblem::Content(_)
                | FileProblem::Io(_) => ErrorCode::InvalidRequest,
            },
        }
    }

    /// What to do next.
    pub fn hint(&self) -> &'static str {
        self.code().hint()
    }

    pub(crate) fn git(path: &Path, problem: FileProblem) -> Self {
        WorktreeError::GitUnreadable { path: path.to_owned(), problem }
    }
}

fn shown(path: &Path) -> String {
    Harmless(&path.to_string_lossy()).to_string()
}

/// The branches of an ambiguous commit: all of them, or the first ones and their number.
struct Candidates<'a>(&'a [BranchName]);

impl fmt::Display for Candidates<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((first, others)) = self.0.split_first() else {
            return f.write_str("no branch points at it");
        };
        write!(f, "{} branches point at it: {}", self.0.len(), Harmless(first.as_str()))?;
        for name in others.iter().take(limits::BRANCH_CANDIDATES_SHOWN_MAX - 1) {
            write!(f, ", {}", Harmless(name.as_str()))?;
        }
        match self.0.len().saturating_sub(limits::BRANCH_CANDIDATES_SHOWN_MAX) {
            0 => Ok(()),
            more => write!(f, " and {more} more"),
        }
    }
}

struct Line(Option<usize>);

impl fmt::Display for Line {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |line| write!(f, ":{line}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_ambiguous_commit_names_ten_branches_and_the_number_of_the_others() {
        let names = |count: usize| -> Vec<BranchName> {
            (0..count).map(|n| BranchName::parse(&format!("b{n}")).unwrap()).collect()
        };
        let text = |count| Candidates(&names(count)).to_string();
        assert_eq!(text(0), "no branch points at it");
        assert_eq!(text(2), "2 branches point at it: b0, b1");
        assert_eq!(text(10), "10 branches point at it: b0, b1, b2, b3, b4, b5, b6, b7, b8, b9");
        assert_eq!(text(12), "12 branches point at it: b0, b1, b2, b3, b4, b5, b6, b7, b8, b9 and 2 more");
    }

    #[test]
    fn whatever_hides_the_branch_names_the_variable_that_overrides_it() {
        let path = PathBuf::from("here");
        let problem = || FileProblem::Missing;
        for error in [
            WorktreeError::NotAGitRepo { start: path.clone() },
            WorktreeError::BareRepository { path: path.clone() },
            WorktreeError::DetachedHead { head: "0".repeat(40), candidates: Vec::new() },
            WorktreeError::GitUnreadable { path: path.clone(), problem: problem() },
            WorktreeError::Reftable { path: path.clone() },
            WorktreeError::BranchName { name: "x".into(), problem: BranchNameProblem::Control },
            WorktreeError::GitChanging { path },
        ] {
            assert!(error.to_string().contains("CAIRN_BRANCH"), "{error}");
            assert!(error.hint().contains("CAIRN_BRANCH"), "{error}");
        }
    }

    #[test]
    fn a_path_cannot_write_to_the_terminal() {
        let error = WorktreeError::NotAGitRepo { start: PathBuf::from("a\u{1b}[2Jb") };
        assert!(!error.to_string().contains('\u{1b}'), "{error}");
    }
}
