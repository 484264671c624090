//! Listing the files of a tree under the ignore policy, and reading them.
//!
//! Symbolic links are not followed, and nothing outside of the tree is opened. A folder with a [denied](is_denied) name
//! is not entered. Rules come from the `.gitignore` files of the tree, the nearest first, and from `info/exclude` of the
//! repository; global excludes and files above the root are not read. A folder whose rules cannot be read is skipped:
//! a file that is ignored never appears.

mod deny;
mod folder;
mod ignored;
mod options;
mod reader;
mod rules;
mod skipped;
mod visit;

pub use deny::is_denied;
pub use ignored::IgnoreRules;
pub use options::{WalkBounds, WalkOptions};
pub use reader::TreeReader;
pub use skipped::{SkipReason, Skipped};

use crate::{Workspace, WorktreeError};

/// Files and folders of a tree, and everything that was left out. All are sorted by the bytes of the path, and equal for equal
/// trees.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Walk {
    /// Regular files.
    pub files: Vec<TreeFile>,
    /// Folders that were listed, except for the root.
    pub folders: Vec<String>,
    /// Files and folders that were left out, each with the reason. What is below a skipped folder is not listed.
    pub skipped: Vec<Skipped>,
}

/// A regular file of a tree.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct TreeFile {
    /// The path from the root, with `/` between its parts.
    pub path: String,
    /// The size in bytes when it was listed.
    pub bytes: u64,
}

impl Walk {
    /// Returns true if a limit ended the walk early, or left out a folder.
    pub fn is_cut(&self) -> bool {
        self.skipped.iter().any(|skipped| skipped.reason == SkipReason::TooMany)
    }
}

impl Workspace {
    /// Lists the files of the tree. Fails if the root or `info/exclude` cannot be read; everything else that cannot be
    /// read is skipped.
    pub fn walk(&self, options: &WalkOptions) -> Result<Walk, WorktreeError> {
        visit::walk(&self.reader()?, rules::Rules::of(self)?, options)
    }

    /// Opens the root of the tree for reading its files.
    pub fn reader(&self) -> Result<TreeReader, WorktreeError> {
        TreeReader::open(self.root())
    }
}
