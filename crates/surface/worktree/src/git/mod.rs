//! Reading a repository as it lies on disk.

mod dir;
mod head;
mod loose;
mod packed;
mod pointer;

pub(crate) use dir::{GitDir, is_repository};
pub(crate) use head::Head;
pub(crate) use loose::loose_branches;
pub(crate) use packed::packed_branches;
pub(crate) use pointer::{Commit, Pointer};
