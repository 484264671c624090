//! The blobs of file trees, each once.

use std::collections::{HashMap, HashSet};

use cairn_base::ContentHash;
use cairn_seam::StoreError;
use cairn_turns::{EntryKind, TreeObject};

use crate::EngineError;

/// Blobs that are remembered; beyond, what came long ago may come again, which does no harm.
const CAME_MAX: usize = 1 << 19;

/// Reads a whole blob; the flag says whether a record names it as the root of a tree.
pub(super) type Fetch<'a> = &'a mut dyn FnMut(&ContentHash, bool) -> Result<Fetched, EngineError>;

/// A blob, as far as it can be read.
#[derive(Debug)]
pub(super) enum Fetched {
    Bytes(Vec<u8>),
    Absent,
    /// Damaged or lost: the reason.
    Unreadable(String),
}

/// What comes next of a tree.
#[derive(Debug)]
pub(super) enum Next {
    Blob(ContentHash, Vec<u8>),
    /// A blob that the tree lists, and that cannot be read.
    Unreadable(ContentHash),
}

#[derive(Debug, Default)]
pub(super) struct Trees {
    /// What came, and whether what it lists came with it.
    came: HashSet<(ContentHash, bool)>,
    /// Roots among these that cannot be read, and why.
    unreadable: HashMap<ContentHash, String>,
    /// What is still to come, and whether it lists others.
    left: Vec<(ContentHash, bool)>,
    /// The root that must be there; others that are listed need not be.
    root: Option<ContentHash>,
}

impl Trees {
    /// Whether a tree came with everything in it that can be read.
    pub(super) fn came(&self, root: &ContentHash) -> bool {
        self.came.contains(&(*root, true))
    }

    /// Why the root of a tree that came is unreadable; `None` for one that was read.
    pub(super) fn unreadable(&self, root: &ContentHash) -> Option<&str> {
        self.unreadable.get(root).map(String::as_str)
    }

    /// Begins with a tree, when none is under way.
    pub(super) fn begin(&mut self, root: Option<ContentHash>) {
        if self.came.len() >= CAME_MAX {
            self.came.clear();
            self.unreadable.clear();
        }
        self.root = root;
        self.left.extend(root.map(|root| (root, true)));
    }

    /// The next blob; `None` when no tree is under way.
    pub(super) fn next(&mut self, fetch: Fetch<'_>) -> Result<Option<Next>, EngineError> {
        while let Some((hash, lists)) = self.left.pop() {
            if !self.came.insert((hash, lists)) {
                continue;
            }
            let is_root = self.root == Some(hash);
            let bytes = match fetch(&hash, is_root)? {
                Fetched::Bytes(bytes) => bytes,
                Fetched::Absent if is_root => return Err(StoreError::BlobGone { hash }.into()),
                Fetched::Absent => continue,
                Fetched::Unreadable(reason) if is_root => {
                    self.unreadable.insert(hash, reason);
                    continue;
                }
                Fetched::Unreadable(_) => return Ok(Some(Next::Unreadable(hash))),
            };
            // Any blob may be attached as a tree; one that is none lists nothing.
            if lists && let Ok(tree) = TreeObject::parse(&hash, &bytes) {
                let entries = tree.entries.iter().map(|entry| (entry.hash, entry.kind == EntryKind::Folder));
                self.left.extend(entries.filter(|entry| !self.came.contains(entry)));
            }
            return Ok(Some(Next::Blob(hash, bytes)));
        }
        Ok(None)
    }
}
