//! The things that an export has, one for each line.

use std::sync::Arc;

use cairn_base::{ContentHash, ContextId, TurnId};

use crate::context::Context;
use crate::limits;
use crate::turn::{Turn, TurnPayload};

/// One thing of an export.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExportItem {
    /// Comes first, and is the same in every export of a store: imports are told apart by it.
    Header {
        /// Which store it is.
        store: String,
    },
    /// A bundle of the registry, as it was sent.
    Bundle(Vec<u8>),
    /// A context.
    Context(Context),
    /// A turn.
    Turn(Box<ExportedTurn>),
    /// A blob of a file tree.
    Blob(ContentHash, Vec<u8>),
    /// The head of a context when the last turn was the newest one of all.
    Head(ContextId, TurnId, TurnId),
    /// Comes last.
    End(ExportCounts, UnreadableParts),
}

/// A turn, and what belongs to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ExportedTurn {
    /// The turn.
    pub turn: Turn,
    /// The name of its type.
    pub type_name: Arc<str>,
    /// Its own file tree.
    pub tree: Option<ExportedTree>,
    /// Its payload.
    pub payload: TurnPayload,
}

/// A turn's own file tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ExportedTree {
    /// Its root, which came before as a blob.
    Root(ContentHash),
    /// Its root cannot be read: the reason.
    Unreadable(String),
}

/// How much there was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct ExportCounts {
    /// Contexts.
    pub contexts: u64,
    /// Turns with their payloads.
    pub turns: u64,
    /// Blobs of file trees.
    pub blobs: u64,
    /// Bundles of the registry.
    pub bundles: u64,
}

/// The parts of an export that are missing from it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct UnreadableParts {
    /// Number of turns without their payload.
    pub turns: u64,
    /// Number of turns without their file tree, because its root is unreadable.
    pub trees: u64,
    /// Number of blobs that whole file trees list.
    pub blobs: u64,
    /// Number of bundles of the registry.
    pub bundles: u64,
    /// The first turns without payload or tree, at most [`limits::EXPORT_UNREADABLE_LISTED_MAX`].
    pub turn_ids: Vec<TurnId>,
    /// The first unreadable blobs of file trees and bundles, as many at the most.
    pub blob_hashes: Vec<ContentHash>,
}

impl UnreadableParts {
    /// Whether the export is whole.
    pub fn is_empty(&self) -> bool {
        self.turns + self.trees + self.blobs + self.bundles == 0
    }

    /// Counts a turn that comes without its payload, its tree, or both.
    pub fn turn(&mut self, id: TurnId, without_payload: bool, without_tree: bool) {
        self.turns += u64::from(without_payload);
        self.trees += u64::from(without_tree);
        if (without_payload || without_tree) && self.turn_ids.len() < limits::EXPORT_UNREADABLE_LISTED_MAX {
            self.turn_ids.push(id);
        }
    }

    /// Counts a blob that a tree lists.
    pub fn blob(&mut self, hash: ContentHash) {
        self.blobs += 1;
        self.list(hash);
    }

    /// Counts a bundle of the registry.
    pub fn bundle(&mut self, hash: ContentHash) {
        self.bundles += 1;
        self.list(hash);
    }

    fn list(&mut self, hash: ContentHash) {
        if self.blob_hashes.len() < limits::EXPORT_UNREADABLE_LISTED_MAX {
            self.blob_hashes.push(hash);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_is_counted_and_the_first_are_named() {
        let max = limits::EXPORT_UNREADABLE_LISTED_MAX as u64;
        let mut parts = UnreadableParts::default();
        parts.turn(TurnId(9), false, false);
        assert!(parts.is_empty() && parts.turn_ids.is_empty());
        for number in 1..=max + 2 {
            parts.turn(TurnId(number), true, number == 1);
            parts.blob(ContentHash::of(&number.to_le_bytes()));
        }
        parts.bundle(ContentHash::of(b"bundle"));
        assert_eq!((parts.turns, parts.trees, parts.blobs, parts.bundles), (max + 2, 1, max + 2, 1));
        assert_eq!((parts.turn_ids.len() as u64, parts.blob_hashes.len() as u64), (max, max));
        assert_eq!(parts.turn_ids.last(), Some(&TurnId(max)));
    }
}
