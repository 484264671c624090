//! The tree that documents are written to.

use std::path::Path;

use cairn_base::ContentHash;
use cairn_documents::limits::SYMBOLS_BYTES_MAX;
use cairn_worktree::{FileProblem, IgnoreRules, Replaces, SkipReason, TreeReader, TreeWriter, WriteProblem};

use super::super::tree::Tree;
use super::files::FileChange;
use crate::failure::Failure;

/// The tree that documents are written to.
pub(super) struct Target {
    /// `None` if the folder does not exist, and will not.
    reader: Option<TreeReader>,
    writer: Option<TreeWriter>,
    /// The ignore policy of the working tree.
    ignored: Option<IgnoreRules>,
    /// Whether it is the tree that the KB was synced from.
    pub(super) is_home: bool,
}

impl Target {
    /// Opens the working tree, or creates and opens another folder.
    pub(super) fn open(tree: &Tree, to: Option<&Path>, dry_run: bool) -> Result<Target, Failure> {
        let root = to.unwrap_or(tree.root());
        if to.is_some() && !dry_run {
            let failed = |error| Failure::io(format_args!("create {}", root.display()), &error);
            std::fs::create_dir_all(root).map_err(failed)?;
        }
        if !root.is_dir() {
            return Ok(Target { reader: None, writer: None, ignored: None, is_home: false });
        }
        let writer = (!dry_run).then(|| TreeWriter::open(root)).transpose()?;
        let is_home = to.is_none();
        let ignored = is_home.then(|| tree.workspace.ignore_rules()).transpose()?;
        Ok(Target { reader: Some(TreeReader::open(root)?), writer, ignored, is_home })
    }

    /// Reads a document; `None` if there is none.
    pub(super) fn read(&self, path: &str) -> Result<Option<Vec<u8>>, FileProblem> {
        match self.reader.as_ref().map(|reader| reader.read(path, SYMBOLS_BYTES_MAX)) {
            None | Some(Err(FileProblem::Missing)) => Ok(None),
            Some(Ok(content)) => Ok(Some(content)),
            Some(Err(problem)) => Err(problem),
        }
    }

    /// Returns the reason why a document would be left out by a sync of the working tree.
    pub(super) fn ignores(&mut self, path: &str) -> Result<Option<SkipReason>, FileProblem> {
        self.ignored.as_mut().map_or(Ok(None), |rules| rules.skips(path))
    }

    /// Writes a document, unless it is no longer as it was when the export was planned.
    pub(super) fn write(&self, change: &FileChange, force: bool) -> Result<(), WriteProblem> {
        let Some(writer) = &self.writer else { return Ok(()) };
        let replaces = match &change.before {
            _ if force => Replaces::Anything,
            Some(before) => Replaces::Content(before),
            None => Replaces::Nothing,
        };
        writer.write(&change.path, change.text.as_bytes(), replaces)
    }
}

/// Returns true if a document has the content that was synced.
pub(super) fn is_synced(content: &[u8], hash: &str) -> bool {
    // The hash of a sync also names the reader and the lane.
    hash.rsplit('-').next().is_some_and(|digits| digits == ContentHash::of(content).to_string())
}
