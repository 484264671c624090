//! Many turns at once: out of this store, into another one, and out of the way.

mod export;
mod import;
mod prune;
mod trees;

pub use export::{Export, ExportCounts, ExportItem, ExportedTurn};
pub use import::{ImportCounts, ImportItem};
pub use prune::PruneReport;
