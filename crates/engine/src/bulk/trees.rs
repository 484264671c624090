//! The blobs of file trees, each once.

use std::collections::HashSet;

use cairn_base::ContentHash;
use cairn_seam::StoreError;
use cairn_turns::{EntryKind, TreeObject};

use crate::EngineError;

/// Blobs that are remembered; beyond, what came long ago may come again, which does no harm.
const CAME_MAX: usize = 1 << 19;

/// Reads a whole blob, if it is there.
pub(super) type Fetch<'a> = &'a mut dyn FnMut(&ContentHash) -> Result<Option<Vec<u8>>, EngineError>;

#[derive(Debug, Default)]
pub(super) struct Trees {
    /// What came, and whether what it lists came with it.
    came: HashSet<(ContentHash, bool)>,
    /// What is still to come, and whether it lists others.
    left: Vec<(ContentHash, bool)>,
    /// The root that must be there; others that are listed need not be.
    root: Option<ContentHash>,
}

impl Trees {
    /// Whether a tree came with everything in it.
    pub(super) fn came(&self, root: &ContentHash) -> bool {
        self.came.contains(&(*root, true))
    }

    /// Begins with a tree, when none is under way.
    pub(super) fn begin(&mut self, root: Option<ContentHash>) {
        if self.came.len() >= CAME_MAX {
            self.came.clear();
        }
        self.root = root;
        self.left.extend(root.map(|root| (root, true)));
    }

    /// The next blob; `None` when no tree is under way.
    pub(super) fn next(&mut self, fetch: Fetch<'_>) -> Result<Option<(ContentHash, Vec<u8>)>, EngineError> {
        while let Some((hash, lists)) = self.left.pop() {
            if !self.came.insert((hash, lists)) {
                continue;
            }
            let Some(bytes) = fetch(&hash)? else {
                if self.root == Some(hash) {
                    return Err(StoreError::BlobGone { hash }.into());
                }
                continue;
            };
            // Any blob may be attached as a tree; one that is none lists nothing.
            if lists && let Ok(tree) = TreeObject::parse(&hash, &bytes) {
                let entries = tree.entries.iter().map(|entry| (entry.hash, entry.kind == EntryKind::Folder));
                self.left.extend(entries.filter(|entry| !self.came.contains(entry)));
            }
            return Ok(Some((hash, bytes)));
        }
        Ok(None)
    }
}
