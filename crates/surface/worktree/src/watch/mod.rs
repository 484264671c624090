//! Events of the file system about the documents of a tree.

mod debounce;
mod relevant;
mod watcher;

pub use debounce::Debounce;
pub use watcher::{TreeEvent, TreeWatcher};
