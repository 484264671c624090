//! File trees: what the files looked like when a turn was written.
//!
//! A tree object is a blob that lists the entries of one folder by name, kind and hash; a turn may name
//! the root of a tree. A turn without one has that of the nearest turn above it which has one.

mod attach;
mod object;
mod walk;

pub use attach::{attach, own_trees, tree_root};
pub(crate) use attach::{keep, nearest, note_child};
pub use object::{Entry, EntryKind, TreeObject};
pub use walk::{Fetch, Found, find};
