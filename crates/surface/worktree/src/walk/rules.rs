//! The rules of `.gitignore` files and of `info/exclude`.

use std::cell::Cell;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::rc::Rc;

use ignore::Match;
use ignore::gitignore::{Gitignore, GitignoreBuilder};

use super::SkipReason;
use super::reader::read_in;
use crate::file::{self, Links};
use crate::limits::{GITIGNORE_BYTES_MAX, GITIGNORE_BYTES_TOTAL_MAX};
use crate::{FileProblem, Workspace, WorktreeError};

const FILE: &str = ".gitignore";

/// The rules that hold in a folder: those of its `.gitignore` and of the folders above it, then those of the repository.
#[derive(Clone)]
pub(super) struct Rules {
    nearest: Option<Rc<Level>>,
    shared: Rc<Shared>,
}

/// The rules of one folder.
struct Level {
    matcher: Gitignore,
    /// Path from the folder to the root, with a slash behind it, if the folder is above the root.
    prefix: String,
    /// Bytes of the path of the folder, with the slash behind it, if it is below the root.
    base: usize,
    above: Option<Rc<Level>>,
}

struct Shared {
    exclude: Gitignore,
    /// The path of the root from the top of the repository, with a slash behind it.
    prefix: String,
    /// Bytes of rules that may still be read.
    bytes_left: Cell<usize>,
}

impl Rules {
    /// The rules of the repository, and of its folders above the root. Fails if one of their files cannot be read.
    pub(super) fn of(workspace: &Workspace) -> Result<Rules, WorktreeError> {
        let mut shared = Shared {
            exclude: Gitignore::empty(),
            prefix: String::new(),
            bytes_left: Cell::new(GITIGNORE_BYTES_TOTAL_MAX),
        };
        if let Some(git) = &workspace.git {
            let path = git.common.join("info/exclude");
            match file::read(&path, Links::Follow, GITIGNORE_BYTES_MAX).and_then(|text| matcher(&text)) {
                Ok(matcher) => shared.exclude = matcher,
                Err(FileProblem::Missing | FileProblem::NotAFile) => {}
                Err(problem) => return Err(WorktreeError::git(&path, problem)),
            }
            let above = workspace.root.strip_prefix(&git.tree).ok();
            let above = above.map(|path| path.to_string_lossy()).filter(|path| !path.is_empty());
            shared.prefix = above.map_or_else(String::new, |path| format!("{path}/"));
        }
        let mut rules = Rules { nearest: None, shared: Rc::new(shared) };
        if let Some(git) = &workspace.git {
            rules.add_above(&git.tree)?;
        }
        Ok(rules)
    }

    /// Adds the rules of the folders from the top of the repository to the one above the root.
    fn add_above(&mut self, top: &Path) -> Result<(), WorktreeError> {
        let prefix = self.shared.prefix.clone();
        let starts = std::iter::once(0).chain(prefix.match_indices('/').map(|(at, _)| at + 1));
        for start in starts.filter(|start| *start < prefix.len()) {
            let path = top.join(&prefix[..start]).join(FILE);
            let bytes_max = GITIGNORE_BYTES_MAX.min(self.shared.bytes_left.get());
            // Git follows no link there, either.
            let text = match file::read(&path, Links::Refuse, bytes_max) {
                Ok(text) => text,
                Err(FileProblem::Missing | FileProblem::NotAFile) => continue,
                Err(problem) => return Err(WorktreeError::git(&path, problem)),
            };
            self.add(&text, prefix[start..].to_owned(), 0)
                .map_err(|problem| WorktreeError::git(&path, problem))?;
        }
        Ok(())
    }

    /// Adds the rules of a file, which go before those that are there.
    fn add(&mut self, text: &[u8], prefix: String, base: usize) -> Result<(), FileProblem> {
        self.shared.bytes_left.set(self.shared.bytes_left.get().saturating_sub(text.len()));
        let matcher = matcher(text)?;
        if !matcher.is_empty() {
            let level = Level { matcher, prefix, base, above: self.nearest.take() };
            self.nearest = Some(Rc::new(level));
        }
        Ok(())
    }

    /// The rules in a folder below: those of its own `.gitignore` go before these. `path` is the path of the folder.
    pub(super) fn inside(&self, folder: &OwnedFd, path: &str) -> Result<Rules, FileProblem> {
        let bytes_max = GITIGNORE_BYTES_MAX.min(self.shared.bytes_left.get());
        let text = match read_in(folder, FILE, bytes_max) {
            Ok(text) => text,
            // Git follows no link there, either.
            Err(FileProblem::Missing | FileProblem::NotAFile) => return Ok(self.clone()),
            Err(problem) => return Err(problem),
        };
        let base = if path.is_empty() { 0 } else { path.len() + 1 };
        let mut rules = self.clone();
        rules.add(&text, String::new(), base)?;
        Ok(rules)
    }

    /// The reason to skip a path of the tree. The nearest file that says something about it decides, and in it the last
    /// rule.
    pub(super) fn skips(&self, path: &str, is_folder: bool) -> Option<SkipReason> {
        let mut level = self.nearest.as_deref();
        while let Some(Level { matcher, prefix, base, above }) = level {
            let below = path.get(*base..).unwrap_or(path);
            let matched = match prefix.as_str() {
                "" => matcher.matched(below, is_folder),
                prefix => matcher.matched(format!("{prefix}{below}"), is_folder),
            };
            match matched {
                Match::Ignore(_) => return Some(SkipReason::Gitignored),
                Match::Whitelist(_) => return None,
                Match::None => level = above.as_deref(),
            }
        }
        if self.shared.exclude.is_empty() {
            return None;
        }
        let path = format!("{}{path}", self.shared.prefix);
        let is_excluded = self.shared.exclude.matched(path, is_folder).is_ignore();
        is_excluded.then_some(SkipReason::GitInfoExclude)
    }
}

/// Compiles the lines of a file. A line that is no rule says nothing, as in git.
fn matcher(text: &[u8]) -> Result<Gitignore, FileProblem> {
    let text = String::from_utf8_lossy(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text));
    // With this root, paths are taken as they are given.
    let mut builder = GitignoreBuilder::new(".");
    for line in text.lines() {
        // An invalid glob matches nothing.
        let _ = builder.add_line(None, line);
    }
    builder.build().map_err(|_| FileProblem::Content("its rules are too large"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(rules: &str, path: &str, is_folder: bool, ignored: bool) {
        let found = matcher(rules.as_bytes()).unwrap().matched(path, is_folder).is_ignore();
        assert_eq!(found, ignored, "{rules:?} of {path}");
    }

    #[test]
    fn rules_are_those_of_git() {
        check("*.log", "a/b.log", false, true);
        check("\u{feff}*.log", "b.log", false, true);
        check("/a.md\n", "a.md", false, true);
        check("/a.md\n", "b/a.md", false, false);
        check("docs/", "docs", true, true);
        check("docs/", "docs", false, false);
        check("docs/*.md\n!docs/keep.md\n", "docs/keep.md", false, false);
        check("docs/*.md\n!docs/keep.md\n", "docs/x.md", false, true);
        check("docs/**\n", "docs/a/b", false, true);
        check("# a\n", "# a", false, false);
        check("\\#a", "#a", false, true);
        check("[", "[", false, true);
        check("a.md\r\n", "a.md", false, true);
        check("", "a", false, false);
    }
}
