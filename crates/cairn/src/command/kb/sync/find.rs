//! Finding the documents of a working tree.

use std::collections::BTreeSet;

use cairn_documents::limits::{MARKDOWN_BYTES_MAX, SYMBOLS_BYTES_MAX};
use cairn_kb::{EntityType, Rule};
use cairn_worktree::{Lane, Lanes, SkipReason, Skipped, Walk, WalkOptions, Workspace, WorktreeError};

use super::problem::Finding;

/// The documents of a working tree.
#[derive(Debug, Default)]
pub(in crate::command::kb) struct Documents {
    /// Files, ordered by path.
    pub(in crate::command::kb) files: Vec<DocumentFile>,
    /// Files and folders where documents could be, and which were not read.
    pub(in crate::command::kb) skipped: Vec<Skipped>,
}

/// A file in a lane.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::command::kb) struct DocumentFile {
    pub(in crate::command::kb) path: String,
    pub(in crate::command::kb) lane: Lane,
}

impl Documents {
    /// Finds the documents of the lanes in the settings.
    pub(in crate::command::kb) fn find(workspace: &Workspace) -> Result<Documents, WorktreeError> {
        let lanes = lanes(workspace)?;
        let walk = walk(workspace, &lanes)?;
        Ok(Documents::of(&lanes, walk))
    }

    fn of(lanes: &Lanes, walk: Walk) -> Documents {
        let document = |path: String| lanes.lane(&path).map(|lane| DocumentFile { path, lane });
        let files = walk.files.into_iter().filter_map(|file| document(file.path)).collect();
        let skipped = walk.skipped.into_iter().filter(|skipped| !skipped.reason.is_policy()).collect();
        Documents { files, skipped }
    }

    /// Paths of files that may be there and cannot be told: entities of such files are kept.
    pub(in crate::command::kb) fn unseen(&self) -> Unseen<'_> {
        let of = |wanted: fn(SkipReason) -> bool| {
            let found = self.skipped.iter().filter(move |skipped| wanted(skipped.reason));
            found.map(|skipped| skipped.path.as_str()).collect()
        };
        Unseen { at: of(is_error), below: of(is_link) }
    }

    /// What was skipped, as problems and warnings.
    pub(super) fn findings(&self) -> Vec<Finding> {
        self.skipped.iter().map(finding).collect()
    }
}

/// Paths of which it is unknown what files there are.
pub(in crate::command::kb) struct Unseen<'a> {
    /// Paths at and below which files are unknown.
    at: BTreeSet<&'a str>,
    /// Links, which may lead to folders: only what is below them is unknown.
    below: BTreeSet<&'a str>,
}

impl Unseen<'_> {
    /// Returns true if it is unknown whether there is a file.
    pub(in crate::command::kb) fn holds(&self, path: &str) -> bool {
        let mut above = path.char_indices().filter(|(_, letter)| *letter == '/').map(|(at, _)| &path[..at]);
        self.at.contains(".")
            || self.at.contains(path)
            || above.any(|folder| self.at.contains(folder) || self.below.contains(folder))
    }

    /// Returns true if the path is a link that is not followed.
    pub(super) fn is_link(&self, path: &str) -> bool {
        self.below.contains(path)
    }
}

/// Returns true if a path is below a folder.
pub(super) fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'))
}

impl DocumentFile {
    /// The type of entities that the lane implies.
    pub(super) fn kind(&self) -> Option<EntityType> {
        match self.lane {
            Lane::Requirements => Some(EntityType::Req),
            Lane::Scenarios => Some(EntityType::Scenario),
            Lane::Tests => Some(EntityType::Test),
            Lane::Adr => Some(EntityType::Adr),
            Lane::Flags => Some(EntityType::Flag),
            Lane::Events => Some(EntityType::Event),
            Lane::Facts => Some(EntityType::Fact),
            Lane::Symbols => None,
        }
    }

    /// Maximum bytes of the file.
    pub(super) fn bytes_max(&self) -> usize {
        if self.lane == Lane::Symbols { SYMBOLS_BYTES_MAX } else { MARKDOWN_BYTES_MAX }
    }
}

/// The lanes in the settings of a tree.
pub(in crate::command::kb) fn lanes(workspace: &Workspace) -> Result<Lanes, WorktreeError> {
    Lanes::of(&workspace.config(Rule::TEXTS)?.paths)
}

/// Lists the folders of the lanes.
pub(super) fn walk(workspace: &Workspace, lanes: &Lanes) -> Result<Walk, WorktreeError> {
    workspace.walk(&WalkOptions { below: lanes.below(), ..WalkOptions::default() })
}

/// A link is no document of this tree, and neither is a pipe. Everything else should have been read.
fn is_error(reason: SkipReason) -> bool {
    match reason {
        SkipReason::TooLarge | SkipReason::NotText | SkipReason::Unreadable | SkipReason::TooMany => true,
        SkipReason::HardDeny
        | SkipReason::Gitignored
        | SkipReason::GitInfoExclude
        | SkipReason::NestedRepository
        | SkipReason::OutsideWorkspace
        | SkipReason::NotAFile => false,
    }
}

/// Whether it may be a link to a folder, below which there may be documents.
fn is_link(reason: SkipReason) -> bool {
    matches!(reason, SkipReason::OutsideWorkspace | SkipReason::NotAFile)
}

fn finding(skipped: &Skipped) -> Finding {
    let (message, hint) = match skipped.reason {
        SkipReason::OutsideWorkspace => {
            ("a symbolic link out of the tree is not followed", "put the documents into the tree")
        }
        SkipReason::NotAFile => ("it is no regular file", "symbolic links, pipes and sockets are not read"),
        SkipReason::TooLarge => ("the path or the .gitignore is too long", "shorten it"),
        SkipReason::NotText => ("the name is not UTF-8 text, or has control characters", "rename it"),
        SkipReason::TooMany => (
            "it has too many entries or is too deep",
            "split the folder, or set `paths` in cairn-kb.toml to folders of documents",
        ),
        SkipReason::Unreadable => ("it cannot be read", "check its permissions"),
        // These are left out on purpose.
        SkipReason::HardDeny
        | SkipReason::Gitignored
        | SkipReason::GitInfoExclude
        | SkipReason::NestedRepository => ("it is ignored", ""),
    };
    Finding {
        path: skipped.path.clone(),
        line: None,
        is_error: is_error(skipped.reason),
        class: Some(skipped.reason.as_str().to_owned()),
        entity: None,
        message: message.to_owned(),
        hint: (!hint.is_empty()).then(|| hint.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_below_an_unseen_folder_is_unseen() {
        let skipped = |path: &str, reason| Skipped { path: path.to_owned(), reason };
        let mut documents = Documents {
            skipped: vec![
                skipped("a/b", SkipReason::TooMany),
                skipped("c.md", SkipReason::Unreadable),
                skipped("link", SkipReason::NotAFile),
            ],
            ..Documents::default()
        };
        let check = |documents: &Documents, path: &str, expected: bool| {
            assert_eq!(documents.unseen().holds(path), expected, "{path}");
        };
        check(&documents, "a/b/c/d.md", true);
        check(&documents, "a/b", true);
        check(&documents, "a/bc.md", false);
        check(&documents, "a/c.md", false);
        check(&documents, "c.md", true);
        check(&documents, "link", false);
        check(&documents, "link/x.md", true);
        documents.skipped.push(skipped(".", SkipReason::TooLarge));
        check(&documents, "a/c.md", true);
        let errors: Vec<bool> = documents.findings().iter().map(|finding| finding.is_error).collect();
        assert_eq!(errors, [true, true, false, true]);
    }
}
