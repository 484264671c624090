//! Events that may change what a sync does.

use std::path::{Path, PathBuf};

use crate::{Lanes, Workspace, config, is_denied};

/// Decides which paths of events matter.
#[derive(Debug)]
pub(super) struct Relevant {
    root: PathBuf,
    /// Files whose content decides about all documents.
    settings: Vec<PathBuf>,
    lanes: Lanes,
    below: Vec<String>,
}

impl Relevant {
    pub(super) fn of(workspace: &Workspace, lanes: Lanes) -> Relevant {
        let root = workspace.root().to_owned();
        let mut settings: Vec<PathBuf> = config::FILES.iter().map(|file| root.join(file)).collect();
        if let Some(git) = &workspace.git {
            settings.push(git.own.join("HEAD"));
            settings.push(git.common.join("info/exclude"));
        }
        Relevant { root, settings, below: lanes.below(), lanes }
    }

    /// Returns true if an event about the path is a reason to sync.
    pub(super) fn is(&self, path: &Path) -> bool {
        if path == self.root || self.settings.iter().any(|file| file == path) {
            return true;
        }
        let Some(inside) = path.strip_prefix(&self.root).ok().and_then(Path::to_str) else { return false };
        if is_denied(inside, false) {
            return false;
        }
        let folder = inside.rsplit_once('/').map_or("", |(folder, _)| folder);
        let is_within = |path: &str, base: &str| {
            path.strip_prefix(base)
                .is_some_and(|rest| base.is_empty() || rest.is_empty() || rest.starts_with('/'))
        };
        // A folder that comes, goes or is renamed has no extension that tells.
        let leads_there = self.below.iter().any(|below| is_within(below, inside));
        let is_inside = self.below.is_empty() || self.below.iter().any(|below| is_within(inside, below));
        let rules = inside.ends_with(".gitignore")
            && (self.below.is_empty()
                || self.below.iter().any(|below| is_within(below, folder) || is_within(folder, below)));
        let is_folder =
            || is_inside && (self.root.join(inside).is_dir() || Path::new(inside).extension().is_none());
        leads_there || rules || self.lanes.lane(inside).is_some() || is_folder()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::KbPaths;

    #[test]
    fn only_documents_and_what_decides_about_them_matter() {
        let lanes = Lanes::of(&KbPaths::default()).unwrap();
        let root = PathBuf::from("/no/such/tree");
        let settings = vec![root.join("cairn-kb.toml"), PathBuf::from("/no/such/git/HEAD")];
        let relevant = Relevant { root, settings, below: lanes.below(), lanes };
        let check = |path: &str, expected: bool| {
            assert_eq!(relevant.is(Path::new(path)), expected, "{path}");
        };
        check("/no/such/tree", true);
        check("/no/such/git/HEAD", true);
        check("/no/such/git/index", false);
        check("/no/such/tree/cairn-kb.toml", true);
        check("/no/such/tree/Cargo.toml", false);
        check("/no/such/tree/documentation", true);
        check("/no/such/tree/documentation/requirements", true);
        check("/no/such/tree/documentation/requirements/a.md", true);
        check("/no/such/tree/documentation/requirements/sub", true);
        check("/no/such/tree/documentation/requirements/a.md.swp", false);
        check("/no/such/tree/documentation/requirements/.gitignore", true);
        check("/no/such/tree/documentation/other/a.md", false);
        check("/no/such/tree/documentation/symbols.yaml", true);
        check("/no/such/tree/.gitignore", true);
        check("/no/such/tree/src/.gitignore", false);
        check("/no/such/tree/src", false);
        check("/no/such/tree/.git/documentation", false);
        check("/elsewhere/a.md", false);
    }
}
