//! The working tree of the process that has it: CLI and MCP over stdio.
//!
//! - [`Workspace::find`] finds the root of the tree and its repository; [`Workspace::id`] names the clone.
//! - [`Workspace::branch`] reads the active branch, [`Workspace::branches`] lists all of them.
//! - [`Workspace::config`] reads the settings of the KB.
//! - [`Workspace::walk`] lists the files of the tree under the ignore policy, and a [`TreeReader`] reads them.
//! - [`Lanes`] are the documents of the KB among them, and a [`TreeWatcher`] tells when they change.
//! - [`Workspace::stamp`] tells whether git has changed anything since.
//! - [`read_inside`] reads a file of the tree and never leaves it.
//!
//! Git is never run: `.git` is read as it lies on disk, and nothing is kept between two calls, so each call sees the
//! branch that is checked out now. Refs stored as files are supported, loose and packed; a repository with reftables
//! is refused with an error. This crate opens no store, and by itself it writes two small files only: the workspace
//! id and the branch that was active last. A [`TreeWriter`] writes documents for callers.

mod active;
mod branch_name;
mod branches;
mod code;
mod config;
mod environment;
mod error;
mod file;
mod find;
mod git;
mod inside;
mod lanes;
pub mod limits;
mod remember;
mod retry;
mod stamp;
mod walk;
mod watch;
mod workspace;
mod workspace_id;
mod write;

pub use active::{ActiveBranch, BranchSource};
pub use branch_name::{BranchName, BranchNameProblem};
pub use code::WorktreeCode;
pub use config::{ConfigOrigin, KbChecks, KbConfig, KbPaths};
pub use environment::{BRANCH_VARIABLES, WORKSPACE_VARIABLES};
pub use error::WorktreeError;
pub use file::FileProblem;
pub use inside::read_inside;
pub use lanes::{Lane, Lanes};
pub use stamp::TreeStamp;
pub use walk::{
    IgnoreRules, SkipReason, Skipped, TreeFile, TreeReader, Walk, WalkBounds, WalkOptions, is_denied,
};
pub use watch::{Debounce, TreeEvent, TreeWatcher};
pub use workspace::Workspace;
pub use workspace_id::{WorkspaceId, WorkspaceIdParseError};
pub use write::{Replaces, TreeWriter, WriteProblem};
