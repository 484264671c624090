//! Files and folders that are left out.

use crate::FileProblem;

/// A file or folder that was left out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Skipped {
    /// The path from the root, `.` for the root itself, with replacement characters where it is not UTF-8.
    pub path: String,
    /// The reason.
    pub reason: SkipReason,
}

/// The reason why a file or folder is left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum SkipReason {
    /// A part of the path has a denied name.
    HardDeny,
    /// A `.gitignore` names it.
    Gitignored,
    /// `info/exclude` of the repository names it.
    GitInfoExclude,
    /// A folder below the root that is a repository of its own: a clone, a submodule, a linked worktree.
    NestedRepository,
    /// A symbolic link that leads out of the tree.
    OutsideWorkspace,
    /// The file, its path, or the rules of the folder are longer than allowed.
    TooLarge,
    /// The content or the name is not UTF-8 text.
    NotText,
    /// A symbolic link inside of the tree, a pipe, a socket or a device.
    NotAFile,
    /// The system refuses to read it, or it vanished meanwhile.
    Unreadable,
    /// The folder has too many entries or is too deep, or the tree has too many.
    TooMany,
}

impl SkipReason {
    /// Every reason, in order.
    pub const ALL: [SkipReason; 10] = [
        SkipReason::HardDeny,
        SkipReason::Gitignored,
        SkipReason::GitInfoExclude,
        SkipReason::NestedRepository,
        SkipReason::OutsideWorkspace,
        SkipReason::TooLarge,
        SkipReason::NotText,
        SkipReason::NotAFile,
        SkipReason::Unreadable,
        SkipReason::TooMany,
    ];

    /// The word for programs.
    pub fn as_str(self) -> &'static str {
        match self {
            SkipReason::HardDeny => "hard_deny",
            SkipReason::Gitignored => "gitignored",
            SkipReason::GitInfoExclude => "git_info_exclude",
            SkipReason::NestedRepository => "nested_repository",
            SkipReason::OutsideWorkspace => "outside_workspace",
            SkipReason::TooLarge => "too_large",
            SkipReason::NotText => "not_text",
            SkipReason::NotAFile => "not_a_file",
            SkipReason::Unreadable => "unreadable",
            SkipReason::TooMany => "too_many",
        }
    }

    /// Returns true if the ignore policy leaves it out, and false if it is wanted and cannot be read.
    pub fn is_policy(self) -> bool {
        match self {
            SkipReason::HardDeny
            | SkipReason::Gitignored
            | SkipReason::GitInfoExclude
            | SkipReason::NestedRepository => true,
            SkipReason::OutsideWorkspace
            | SkipReason::TooLarge
            | SkipReason::NotText
            | SkipReason::NotAFile
            | SkipReason::Unreadable
            | SkipReason::TooMany => false,
        }
    }
}

impl From<&FileProblem> for SkipReason {
    fn from(problem: &FileProblem) -> Self {
        match problem {
            FileProblem::NotAFile => SkipReason::NotAFile,
            FileProblem::TooLong { .. } => SkipReason::TooLarge,
            FileProblem::Outside => SkipReason::OutsideWorkspace,
            FileProblem::NotUtf8 => SkipReason::NotText,
            FileProblem::Missing | FileProblem::Content(_) | FileProblem::Io(_) => SkipReason::Unreadable,
        }
    }
}
