//! The files of a repository, as the process that has the working tree lists and reads them.

use cairn_base::{Clock, SystemClock};
use cairn_kb::EntityType;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Reads files of a repository. Files are read by several threads.
pub trait Tree: Sync {
    /// Reads a file of the listing that has at most `bytes_max` bytes. Fails with the reason if it has more, is no
    /// regular file, or is not inside the tree any more.
    fn read(&self, path: &str, bytes_max: usize) -> Result<Vec<u8>, Skipped>;

    /// Returns the clock that bounds the time of parsing one source file.
    fn clock(&self) -> &dyn Clock {
        &SystemClock
    }
}

/// The files that may be considered, and what was left out.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Listing {
    /// Files under the ignore policy, in any order.
    pub files: Vec<ListedFile>,
    /// Files and folders that the ignore policy leaves out, in any order.
    pub excluded: Vec<Excluded>,
    /// Whether more files were there than are listed.
    pub is_truncated: bool,
}

/// A file of a repository.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct ListedFile {
    /// Its path from the root, with `/`.
    pub path: String,
    /// Its size.
    pub bytes: u64,
    /// The kind of typed document that the settings of the KB say it is.
    pub document: Option<DocumentKind>,
}

/// A kind of typed document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum DocumentKind {
    /// Markdown in the folder of a type.
    Markdown(EntityType),
    /// The symbols file.
    Symbols,
}

/// A file or folder that was left out.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
pub struct Excluded {
    /// Its path from the root.
    pub path: String,
    /// The reason.
    pub reason: Skipped,
}

/// A reason to leave a file or folder out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub enum Skipped {
    /// Folders of tools and of other projects are never inspected.
    HardDeny,
    /// A `.gitignore` names it.
    Gitignored,
    /// `.git/info/exclude` names it.
    GitInfoExclude,
    /// A repository of its own: a clone, a submodule, a linked worktree.
    NestedRepository,
    /// It is outside of the workspace.
    OutsideWorkspace,
    /// It is longer than is read.
    TooLarge,
    /// It is not UTF-8 text.
    NotText,
    /// It is no regular file.
    NotAFile,
    /// It cannot be read.
    Unreadable,
    /// There are more files than are considered.
    TooMany,
    /// Its content is not what its name says.
    Malformed,
}

impl Skipped {
    /// Returns true if the ignore policy leaves it out, and false if it was wanted.
    pub(crate) fn is_policy(self) -> bool {
        matches!(
            self,
            Skipped::HardDeny | Skipped::Gitignored | Skipped::GitInfoExclude | Skipped::NestedRepository
        )
    }

    /// The reason as a warning says it.
    pub(crate) fn message(self) -> &'static str {
        match self {
            Skipped::HardDeny | Skipped::Gitignored | Skipped::GitInfoExclude => "it is ignored",
            Skipped::NestedRepository => "it is a repository of its own",
            Skipped::OutsideWorkspace => "a symbolic link that leads out of the workspace was not followed",
            Skipped::TooLarge => "it is longer than is read",
            Skipped::NotText => "it is not UTF-8 text, or its name has control characters",
            Skipped::NotAFile => "it is no regular file",
            Skipped::Unreadable => "it cannot be read",
            Skipped::TooMany => "it has more entries than are listed",
            Skipped::Malformed => "its content is malformed",
        }
    }

    /// Its spelling.
    pub fn text(self) -> &'static str {
        match self {
            Skipped::HardDeny => "hard_deny",
            Skipped::Gitignored => "gitignored",
            Skipped::GitInfoExclude => "git_info_exclude",
            Skipped::NestedRepository => "nested_repository",
            Skipped::OutsideWorkspace => "outside_workspace",
            Skipped::TooLarge => "too_large",
            Skipped::NotText => "not_text",
            Skipped::NotAFile => "not_a_file",
            Skipped::Unreadable => "unreadable",
            Skipped::TooMany => "too_many",
            Skipped::Malformed => "malformed",
        }
    }
}
