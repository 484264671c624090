//! The ignore policy for single paths, also of files that do not exist.

use std::collections::HashMap;

use super::{SkipReason, TreeReader, deny, folder, rules::Rules};
use crate::{FileProblem, Workspace, WorktreeError};

/// The ignore policy of a tree, for single paths. Rules are read once.
pub struct IgnoreRules {
    tree: TreeReader,
    above: Rules,
    folders: HashMap<String, Folder>,
}

/// What holds in a folder.
#[derive(Clone)]
enum Folder {
    Listed(Rules),
    Skipped(SkipReason),
}

impl Workspace {
    /// Reads the rules of the repository. Fails if the root or `info/exclude` cannot be read.
    pub fn ignore_rules(&self) -> Result<IgnoreRules, WorktreeError> {
        Ok(IgnoreRules { tree: self.reader()?, above: Rules::of(self)?, folders: HashMap::new() })
    }
}

impl IgnoreRules {
    /// Returns the reason why a [walk](Workspace::walk) would leave out a file, by its path from the root; `None` if it
    /// would list it. Fails if rules on the way there cannot be read.
    pub fn skips(&mut self, path: &str) -> Result<Option<SkipReason>, FileProblem> {
        if deny::is_denied(path, false) {
            return Ok(Some(SkipReason::HardDeny));
        }
        let above = path.rsplit_once('/').map_or("", |(folder, _)| folder);
        Ok(match self.folder(above)? {
            Folder::Listed(rules) => rules.skips(path, false),
            Folder::Skipped(reason) => Some(reason),
        })
    }

    fn folder(&mut self, path: &str) -> Result<Folder, FileProblem> {
        if let Some(known) = self.folders.get(path) {
            return Ok(known.clone());
        }
        let above = match path {
            "" => Folder::Listed(self.above.clone()),
            path => self.folder(path.rsplit_once('/').map_or("", |(above, _)| above))?,
        };
        let found = match above {
            Folder::Listed(rules) => self.below(rules, path)?,
            skipped @ Folder::Skipped(_) => skipped,
        };
        self.folders.insert(path.to_owned(), found.clone());
        Ok(found)
    }

    /// What holds in a folder, by the rules of the folder above it.
    fn below(&self, rules: Rules, path: &str) -> Result<Folder, FileProblem> {
        if let Some(reason) = rules.skips(path, true).filter(|_| !path.is_empty()) {
            return Ok(Folder::Skipped(reason));
        }
        let opened = match self.tree.folder(path) {
            Ok(opened) => opened,
            // Nothing is there yet, or nothing that rules could be in.
            Err(FileProblem::Missing | FileProblem::NotAFile) => return Ok(Folder::Listed(rules)),
            Err(problem) => return Err(problem),
        };
        if !path.is_empty() && folder::stat(&opened, b".git").is_ok() {
            return Ok(Folder::Skipped(SkipReason::NestedRepository));
        }
        Ok(Folder::Listed(rules.inside(&opened, path)?))
    }
}
