//! Finding a path in a tree.

use cairn_base::ContentHash;

use super::object::{Entry, EntryKind, TreeObject};
use crate::error::TurnsError;

/// Reads a whole blob; [`TurnsError::NoBlob`] if it is not there.
pub type Fetch<'a> = &'a mut dyn FnMut(&ContentHash) -> Result<Vec<u8>, TurnsError>;

/// What a path leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// A folder, the root included.
    Folder(ContentHash, TreeObject),
    /// A file or a link; links are not followed.
    Leaf(Entry),
}

/// Follows a path from the root of a tree; `None` when there is nothing. Empty parts and `.` stand for
/// the folder they are in; `..` is a name like any other, and no entry has it.
pub fn find(root: &ContentHash, path: &str, fetch: Fetch<'_>) -> Result<Option<Found>, TurnsError> {
    let mut folder = (*root, TreeObject::parse(root, &fetch(root)?)?);
    let mut parts = path.split('/').filter(|part| !matches!(*part, "" | ".")).peekable();
    while let Some(part) = parts.next() {
        let Some(entry) = folder.1.entry(part) else { return Ok(None) };
        if entry.kind == EntryKind::Folder {
            folder = (entry.hash, TreeObject::parse(&entry.hash, &fetch(&entry.hash)?)?);
        } else {
            return Ok(parts.peek().is_none().then(|| Found::Leaf(entry.clone())));
        }
    }
    Ok(Some(Found::Folder(folder.0, folder.1)))
}
