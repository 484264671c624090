//! Many turns at once: out of this store, into another one, and out of the way.

mod export;
mod import;
mod placeholder;
mod prune;
mod trees;
mod unreadable;

pub use export::{Export, ExportCounts, ExportItem, ExportedTree, ExportedTurn};
pub use import::{ImportCounts, ImportItem};
pub use placeholder::{Placeholder, placeholder_tree};
pub use prune::PruneReport;
pub use unreadable::UnreadableParts;
