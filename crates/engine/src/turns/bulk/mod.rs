//! Many turns at once: out of this store, into another one, and out of the way.

mod export;
mod import;
mod import_lines;
mod placeholder;
mod prune;
mod trees;

pub use export::Export;
pub use import::{ImportCounts, ImportItem};
pub use import_lines::{ImportLines, ImportReading};
pub use placeholder::{Placeholder, placeholder_tree};
pub use prune::PruneReport;
