//! Settings of a walk.

use crate::limits::{TREE_FOLDER_ENTRIES_MAX, TREE_PATH_PARTS_MAX, WALK_ENTRIES_MAX};

/// Settings of a walk. The default lists the whole tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct WalkOptions {
    /// Folders and files to list, as paths from the root without `.` parts; empty for the whole tree. Other folders
    /// are entered only where they lead there.
    pub below: Vec<String>,
    /// Leaves out environments, output of builds and code of others, too.
    pub discovery: bool,
    /// Maximum bytes of a file; longer ones are skipped.
    pub file_bytes_max: Option<u64>,
    /// Bounds of the walk.
    pub bounds: WalkBounds,
}

/// Bounds of a walk.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WalkBounds {
    /// Maximum files and folders that are looked at.
    pub entries_max: usize,
    /// Maximum entries of one folder; a folder with more is skipped as a whole.
    pub folder_entries_max: usize,
    /// Maximum parts of a path.
    pub parts_max: usize,
}

impl Default for WalkBounds {
    fn default() -> Self {
        WalkBounds {
            entries_max: WALK_ENTRIES_MAX,
            folder_entries_max: TREE_FOLDER_ENTRIES_MAX,
            parts_max: TREE_PATH_PARTS_MAX,
        }
    }
}

impl WalkOptions {
    /// Returns true if the path is one that is listed, or leads to one.
    pub(super) fn is_wanted(&self, path: &str, is_folder: bool) -> bool {
        self.below.is_empty()
            || self.below.iter().any(|below| is_within(path, below) || (is_folder && is_within(below, path)))
    }
}

/// Returns true if `path` is `folder` or below it.
fn is_within(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder).is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_leads_to_a_wanted_path_is_wanted() {
        let options = WalkOptions { below: vec!["a/b".into(), "c.yaml".into()], ..WalkOptions::default() };
        let check = |path, file, folder| {
            assert_eq!(
                (options.is_wanted(path, false), options.is_wanted(path, true)),
                (file, folder),
                "{path}"
            );
        };
        check("a", false, true);
        check("a/b", true, true);
        check("a/b/x.md", true, true);
        check("a/bc", false, false);
        check("c.yaml", true, true);
        check("c", false, false);
        check("d", false, false);
        assert!(WalkOptions::default().is_wanted("anything", false));
    }
}
