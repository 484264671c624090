//! Syncs: documents of a working tree become entities of a branch.
//!
//! A document owns its entities. A sync makes each of them what its document says, as a whole, removes those that no
//! document names any more, and changes no other entity. An entity that a tool has changed since has diverged: it is
//! kept and reported until the sync is forced, or until its document says the same.
//!
//! [`plan_sync`] is a function of the branch and the files: [claims] decide which file says what an entity is, the
//! [outlook] what becomes of it, [leaving] what goes, [edges] what becomes of relationships, and [bookkeeping] what is
//! written. Everything that is wrong with a document is a problem in the report, and the rest of it is synced.

mod bookkeeping;
mod candidate;
mod circles;
mod claims;
mod edges;
mod export;
mod files;
mod input;
mod leaving;
mod listing;
mod outlook;
mod plan;
mod problems;
mod relations;
mod report;
mod request;
mod store;
#[cfg(test)]
mod tests;

pub use export::{ExportInput, ExportOutput, ExportPage, ExportedEntity, export_page, exported};
pub use files::{FILE_TYPE, FileRecord, Files};
pub use input::{SyncEntity, SyncFile, SyncHeader, SyncInput};
pub use listing::list_files;
pub use plan::{End, Link, Stored, StoredEntity, StoredLink, SyncPlan, Update, plan_sync};
pub use report::{KeptReason, SyncContradiction, SyncKept, SyncProblem, SyncReport, SyncedFile, SyncedFiles};
pub use store::{Batch, Keys, batches, store_batch};
