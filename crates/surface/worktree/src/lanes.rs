//! The documents of a tree: files that the settings name, each in a lane.

use ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::{KbPaths, WorktreeError};

/// A lane: the documents of one type.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Lane {
    /// Requirements.
    Requirements,
    /// Scenarios.
    Scenarios,
    /// Tests.
    Tests,
    /// Decisions.
    Adr,
    /// Feature flags.
    Flags,
    /// Domain events.
    Events,
    /// Facts.
    Facts,
    /// The manifest of code symbols.
    Symbols,
}

/// The lanes of a tree. A path of the settings that names a folder means the Markdown files below it; one with `*`, `?`,
/// `[` or `{` is a glob. Where lanes overlap, the one with the longest folder wins, then the first in the order of the
/// settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Lanes {
    /// Ordered by preference.
    rows: Vec<Row>,
}

#[derive(Debug, Clone)]
struct Row {
    lane: Lane,
    /// The path of the settings without `.` parts.
    path: String,
    /// The folder or file as far as it is no glob, without `.` parts; empty for the root.
    base: String,
    /// `None` for a folder.
    glob: Option<Gitignore>,
}

impl Lane {
    /// Every lane, in the order of the settings.
    pub const ALL: [Lane; 8] = [
        Lane::Requirements,
        Lane::Scenarios,
        Lane::Tests,
        Lane::Adr,
        Lane::Flags,
        Lane::Events,
        Lane::Facts,
        Lane::Symbols,
    ];

    /// The name in the settings.
    pub fn name(self) -> &'static str {
        match self {
            Lane::Requirements => "requirements",
            Lane::Scenarios => "scenarios",
            Lane::Tests => "tests",
            Lane::Adr => "adr",
            Lane::Flags => "flags",
            Lane::Events => "events",
            Lane::Facts => "facts",
            Lane::Symbols => "symbols",
        }
    }

    /// The path in the settings.
    pub fn path(self, paths: &KbPaths) -> &str {
        match self {
            Lane::Requirements => &paths.requirements,
            Lane::Scenarios => &paths.scenarios,
            Lane::Tests => &paths.tests,
            Lane::Adr => &paths.adr,
            Lane::Flags => &paths.flags,
            Lane::Events => &paths.events,
            Lane::Facts => &paths.facts,
            Lane::Symbols => &paths.symbols,
        }
    }
}

impl Lanes {
    /// Compiles the lanes. Fails with [`Config`](WorktreeError::Config) if a glob is invalid.
    pub fn of(paths: &KbPaths) -> Result<Lanes, WorktreeError> {
        let mut rows =
            Lane::ALL.into_iter().map(|lane| row(lane, lane.path(paths))).collect::<Result<Vec<_>, _>>()?;
        // The sort is stable.
        rows.sort_by_key(|row| std::cmp::Reverse(row.base.len()));
        Ok(Lanes { rows })
    }

    /// Returns the lane of a document; `None` if the path is no document.
    pub fn lane(&self, path: &str) -> Option<Lane> {
        self.rows.iter().find(|row| row.holds(path)).map(|row| row.lane)
    }

    /// Folders and files that documents are in or are, sorted, for [`WalkOptions::below`](crate::WalkOptions::below).
    /// Empty if documents may be anywhere.
    pub fn below(&self) -> Vec<String> {
        if self.rows.iter().any(|row| row.base.is_empty()) {
            return Vec::new();
        }
        let mut below: Vec<String> = self.rows.iter().map(|row| row.base.clone()).collect();
        below.sort_unstable();
        below.dedup();
        below
    }

    /// Returns the folder to which new documents of a lane belong: the folder of the settings, or that of the glob.
    pub fn folder(&self, lane: Lane) -> &str {
        self.rows.iter().find(|row| row.lane == lane).map_or("", |row| &row.base)
    }
}

/// The rest of a row follows from its path.
impl PartialEq for Row {
    fn eq(&self, other: &Row) -> bool {
        self.lane == other.lane && self.path == other.path
    }
}

impl Eq for Row {}

impl Row {
    fn holds(&self, path: &str) -> bool {
        if let Some(glob) = &self.glob {
            return glob.matched(path, false).is_ignore();
        }
        let is_manifest = self.lane == Lane::Symbols;
        match path.strip_prefix(&self.base) {
            // The path of the settings is the file itself.
            Some("") => true,
            Some(rest) => !is_manifest && rest.starts_with('/') && is_markdown(rest),
            None => false,
        }
    }
}

fn row(lane: Lane, path: &str) -> Result<Row, WorktreeError> {
    let parts: Vec<&str> = path.split('/').filter(|part| !matches!(*part, "" | ".")).collect();
    let plain = parts.iter().position(|part| part.contains(['*', '?', '[', '{']));
    let base = parts[..plain.unwrap_or(parts.len())].join("/");
    let glob = match plain {
        None => None,
        Some(_) => Some(glob(&parts.join("/")).map_err(|message| WorktreeError::Config {
            file: "settings of the KB",
            line: None,
            message: format!("`paths.{}` is no glob, {message}; correct it, or name a folder", lane.name()),
        })?),
    };
    Ok(Row { lane, path: parts.join("/"), base, glob })
}

/// A glob of the whole path. `*` and `?` stand for no slash.
fn glob(path: &str) -> Result<Gitignore, String> {
    let mut builder = GitignoreBuilder::new(".");
    builder.allow_unclosed_class(false);
    builder.add_line(None, &format!("/{path}")).map_err(|error| error.to_string())?;
    builder.build().map_err(|error| error.to_string())
}

fn is_markdown(path: &str) -> bool {
    path.strip_suffix(".md").is_some_and(|stem| !stem.is_empty() && !stem.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(change: impl FnOnce(&mut KbPaths)) -> Lanes {
        let mut paths = KbPaths::default();
        change(&mut paths);
        Lanes::of(&paths).unwrap()
    }

    fn check(lanes: &Lanes, path: &str, expected: Option<Lane>) {
        assert_eq!(lanes.lane(path), expected, "{path}");
    }

    #[test]
    fn a_folder_means_the_markdown_below_it() {
        let lanes = lanes(|paths| paths.tests = "./t//e/".into());
        check(&lanes, "documentation/requirements/a.md", Some(Lane::Requirements));
        check(&lanes, "documentation/requirements/in/deep/a.md", Some(Lane::Requirements));
        check(&lanes, "documentation/requirements/a.txt", None);
        check(&lanes, "documentation/requirements/.md", None);
        check(&lanes, "documentation/requirements2/a.md", None);
        check(&lanes, "documentation/requirements", Some(Lane::Requirements));
        check(&lanes, "documentation/symbols.yaml", Some(Lane::Symbols));
        check(&lanes, "documentation/symbols.yaml/a.md", None);
        check(&lanes, "documentation/tests/a.md", None);
        check(&lanes, "t/e/a.md", Some(Lane::Tests));
        assert_eq!(lanes.folder(Lane::Tests), "t/e");
        assert!(lanes.below().contains(&"documentation/symbols.yaml".to_owned()));
    }

    #[test]
    fn a_glob_stays_a_glob() {
        let lanes = lanes(|paths| {
            paths.requirements = "docs/**/req-*.md".into();
            paths.adr = "docs/adr/*.{md,markdown}".into();
            paths.symbols = "src/*/symbols.yaml".into();
        });
        check(&lanes, "docs/req-1.md", Some(Lane::Requirements));
        check(&lanes, "docs/a/b/req-1.md", Some(Lane::Requirements));
        check(&lanes, "x/docs/req-1.md", None);
        check(&lanes, "docs/adr/one.markdown", Some(Lane::Adr));
        check(&lanes, "docs/adr/in/one.md", None);
        check(&lanes, "src/a/symbols.yaml", Some(Lane::Symbols));
        check(&lanes, "src/a/b/symbols.yaml", None);
        // The longer folder wins.
        check(&lanes, "docs/adr/req-1.md", Some(Lane::Adr));
        assert_eq!(lanes.folder(Lane::Requirements), "docs");
        assert!(lanes.below().contains(&"docs".to_owned()));
    }

    #[test]
    fn a_glob_from_the_root_looks_everywhere() {
        let lanes = lanes(|paths| paths.facts = "**/*.fact.md".into());
        check(&lanes, "a.fact.md", Some(Lane::Facts));
        check(&lanes, "a/b.fact.md", Some(Lane::Facts));
        assert!(lanes.below().is_empty());
    }

    #[test]
    fn overlapping_lanes_have_an_order() {
        let lanes = lanes(|paths| {
            paths.requirements = "docs".into();
            paths.tests = "docs".into();
            paths.flags = "docs/flags".into();
        });
        check(&lanes, "docs/a.md", Some(Lane::Requirements));
        check(&lanes, "docs/flags/a.md", Some(Lane::Flags));
    }

    #[test]
    fn an_invalid_glob_is_an_error() {
        for bad in ["docs/[a", "docs/{a"] {
            let paths = KbPaths { adr: bad.into(), ..KbPaths::default() };
            let error = Lanes::of(&paths).unwrap_err().to_string();
            assert!(error.contains("paths.adr"), "{error}");
        }
    }
}
