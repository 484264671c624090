//! Tests by their sources.

use std::collections::HashMap;

use super::place::{PathEnd, Place, plain_path, stem};
use crate::branch::{Branch, NodeKey};
use crate::model::EntityType;

/// Files at one place of a report that are looked at. More than one are ambiguous anyway.
const FILES_SCANNED_MAX: usize = 256;

/// Tests with the same source, by number.
pub(super) type Group = usize;

/// Tests of a branch whose source is `file::name`, in groups with the same source.
pub(super) struct Located {
    groups: Vec<Vec<NodeKey>>,
    of_test: HashMap<NodeKey, Group>,
    sources: HashMap<String, Group>,
    /// By the name inside the file: ordered by their paths, read from the end.
    names: HashMap<String, Vec<At>>,
    /// By the folder and the name inside the file: those in `.go` files.
    go: HashMap<(String, String), Vec<Group>>,
    run: Run,
}

/// What all cases of a run say together.
#[derive(Debug, Clone, Default)]
pub(super) struct Run {
    /// Whether all cases are of one Rust package, so that a file in the root can only be of that one.
    pub(super) has_one_package: bool,
    /// Parts of the import path that all Go packages of several have in common: those of their module, and maybe more.
    pub(super) go_shared: Option<usize>,
}

/// A test at a place.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Near {
    /// Its file, or the folder of its package.
    pub(super) path: String,
    pub(super) group: Group,
    /// Whether the place names all of the path.
    pub(super) is_whole: bool,
}

/// A name in a file.
struct At {
    /// Its path without ending, part by part from the end, with a `/` behind each.
    backwards: String,
    path: String,
    group: Group,
}

impl Located {
    pub(super) fn of(branch: &Branch, run: Run) -> Self {
        let mut located = Located {
            groups: Vec::new(),
            of_test: HashMap::new(),
            sources: HashMap::new(),
            names: HashMap::new(),
            go: HashMap::new(),
            run,
        };
        for (key, node) in branch.by_type(Some(EntityType::Test)) {
            if let Some((path, name)) = node.source.split_once("::") {
                located.add(key, plain_path(path), name);
            }
        }
        for files in located.names.values_mut() {
            files.sort_by(|one, other| (&one.backwards, &one.path).cmp(&(&other.backwards, &other.path)));
        }
        located
    }

    fn add(&mut self, key: NodeKey, path: String, name: &str) {
        let new = self.groups.len();
        let group = *self.sources.entry(format!("{path}::{name}")).or_insert(new);
        self.of_test.insert(key, group);
        if let Some(tests) = self.groups.get_mut(group) {
            return tests.push(key);
        }
        self.groups.push(vec![key]);
        if let Some(file) = path.strip_suffix(".go") {
            let folder = file.rsplit_once('/').map_or("", |(folder, _)| folder);
            self.go.entry((folder.to_owned(), name.to_owned())).or_default().push(group);
        }
        let backwards = backwards(stem(&path));
        self.names.entry(name.to_owned()).or_default().push(At { backwards, path, group });
    }

    /// Tests of a group.
    pub(super) fn tests(&self, group: Group) -> &[NodeKey] {
        &self.groups[group]
    }

    /// The group of a test, if its source names a file.
    pub(super) fn group_of(&self, test: NodeKey) -> Option<Group> {
        self.of_test.get(&test).copied()
    }

    /// Tests whose source this is.
    pub(super) fn with_source(&self, source: &str) -> Option<Group> {
        self.sources.get(source).copied()
    }

    /// Returns tests at a place.
    pub(super) fn at(&self, place: &Place) -> Vec<Near> {
        match &place.path {
            PathEnd::File(file) => self.ending(stem(file), &place.name, |at| ends_with(&at.path, file)),
            // One word may be the end of many paths.
            PathEnd::Stem(path) if !path.contains('/') => {
                self.ending(path, &place.name, |at| stem(&at.path) == path)
            }
            PathEnd::Stem(path) => self.ending(path, &place.name, |_| true),
            PathEnd::Rust(package, path) => self.ending(path, &place.name, |at| {
                at.path.strip_suffix(".rs").is_some_and(|stem| self.is_of_package(stem, path, package))
            }),
            PathEnd::Go(package) => self.go(package, &place.name),
        }
    }

    /// Tests of a name whose paths end with `path`, without endings.
    fn ending(&self, path: &str, name: &str, is_it: impl Fn(&At) -> bool) -> Vec<Near> {
        let Some(files) = self.names.get(name) else { return Vec::new() };
        let end = backwards(path);
        let from = files.partition_point(|at| at.backwards < end);
        let ending = files[from..].iter().take_while(|at| at.backwards.starts_with(&end));
        let ending = ending.take(FILES_SCANNED_MAX).filter(|at| is_it(at));
        let near = |at: &At| Near { path: at.path.clone(), group: at.group, is_whole: at.backwards == end };
        ending.map(near).collect()
    }

    /// Whether the folder of a path that ends with `end` can be that of a package: it has its name, or the last part of
    /// it.
    fn is_of_package(&self, stem: &str, end: &str, package: &str) -> bool {
        let Some(folder) = stem.strip_suffix(end).map(|folder| folder.trim_end_matches('/')) else {
            return false;
        };
        if folder.is_empty() {
            return self.run.has_one_package;
        }
        let folder = folder.rsplit('/').next().unwrap_or(folder);
        let before = package.strip_suffix(folder);
        before.is_some_and(|before| before.is_empty() || before.ends_with(['-', '_']))
    }

    /// Tests in folders that are ends of an import path.
    ///
    /// The folder of a package is what follows its module. All packages of a run have the module in common, so that a
    /// folder that is less than the rest is that of another package. A single package says nothing about its module: the
    /// longest folder counts.
    fn go(&self, package: &str, name: &str) -> Vec<Near> {
        let parts = package.split('/').count();
        let starts = std::iter::once(0).chain(package.match_indices('/').map(|(at, _)| at + 1));
        let rest = self.run.go_shared.map_or(0, |shared| parts.saturating_sub(shared));
        let folders = starts.take((parts + 1).saturating_sub(rest.max(1))).map(|start| &package[start..]);
        let mut found = Vec::new();
        for folder in folders {
            let groups = self.go.get(&(folder.to_owned(), name.to_owned())).into_iter().flatten();
            let near = |group: &Group| Near { path: folder.to_owned(), group: *group, is_whole: false };
            found.extend(groups.map(near));
            if !found.is_empty() && rest == 0 {
                break;
            }
        }
        found
    }
}

/// Whether a path is another one, or ends with all of its parts.
fn ends_with(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

fn backwards(path: &str) -> String {
    let mut out = String::with_capacity(path.len() + 1);
    for part in path.split('/').rev() {
        out.push_str(part);
        out.push('/');
    }
    out
}
