//! Verifying what is on disk, while reading and writing go on.
//!
//! Nothing here stops at the first thing that is wrong: it is written down with its file and offset, and
//! the rest is looked at too. Segments and blobs are primary: what is wrong with them is only reported.
//! Side files are derived: they are also compared with the segments they come from, and can be made
//! again (`repair.rs`).

mod blobs;
mod directory;
mod findings;
mod fold;
pub(crate) mod frames;
mod repair;
mod segments;
mod sides;
mod watch;

pub use blobs::BlobFilesCheck;
pub use directory::DirectoryCheck;
pub use findings::Findings;
pub use fold::{Fold, Part};
pub use segments::{LogCheck, LogFigures};
pub use sides::SidesCheck;
pub use watch::Watch;
