//! Syncs: documents of a working tree become entities of a branch.

mod input;
mod report;

pub use input::{SyncEntity, SyncFile, SyncHeader, SyncInput};
pub use report::{SyncContradiction, SyncKept, SyncProblem, SyncReport, SyncedFile, SyncedFiles};
