//! Test files, grouped by framework and folder.

use std::collections::BTreeMap;

use super::GeneratedFact;
use crate::candidate::{Draft, Evidence, Provider};
use crate::limits::AUTOPILOT_GROUPS_MAX;

/// Test files that are named as evidence of a group.
const EVIDENCE_FILES: usize = 5;

/// A test file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct TestFile {
    pub(crate) path: String,
    /// The framework, if it is recognised.
    pub(crate) framework: Option<&'static str>,
}

/// Test files by framework and folder.
#[derive(Debug, Default)]
pub(crate) struct Groups {
    groups: BTreeMap<(String, Option<&'static str>), Group>,
    is_truncated: bool,
}

#[derive(Debug, Default)]
struct Group {
    count: u64,
    files: Vec<String>,
}

impl Groups {
    /// Adds a test file. Files are added in the order of their paths.
    pub(crate) fn add(&mut self, file: &TestFile) {
        let key = (top_folder(&file.path), file.framework);
        if self.groups.len() >= AUTOPILOT_GROUPS_MAX && !self.groups.contains_key(&key) {
            self.is_truncated = true;
            return;
        }
        let group = self.groups.entry(key).or_default();
        group.count += 1;
        if group.files.len() < EVIDENCE_FILES {
            group.files.push(file.path.clone());
        }
    }

    /// Whether there were more groups than are held.
    pub(crate) fn is_truncated(&self) -> bool {
        self.is_truncated
    }

    /// Frameworks that were recognised.
    pub(crate) fn frameworks(&self) -> impl Iterator<Item = &'static str> {
        self.groups.keys().filter_map(|(_, framework)| *framework)
    }

    /// Returns an observation for each group.
    pub(crate) fn drafts(&self) -> Vec<Draft> {
        self.groups.iter().map(|((folder, framework), group)| draft(folder, *framework, group)).collect()
    }
}

/// The first two folders of a path: the package of a repository with several, and the folder of its tests.
fn top_folder(path: &str) -> String {
    let mut folders: Vec<&str> = path.split('/').collect();
    folders.pop();
    folders.truncate(2);
    folders.join("/")
}

fn draft(folder: &str, framework: Option<&str>, group: &Group) -> Draft {
    let shown = if folder.is_empty() { "the root" } else { folder };
    let plural = if group.count == 1 { "file" } else { "files" };
    let detail =
        framework.map_or_else(|| "test file".to_owned(), |framework| format!("{framework} test file"));
    let evidence =
        group.files.iter().map(|path| Evidence { path: path.clone(), line: None, detail: detail.clone() });
    let fact = GeneratedFact {
        provider: Provider::TestTopology,
        key: &format!("tests:{}:{folder}", framework.unwrap_or("unknown")),
        path: group.files.first().map_or(folder, String::as_str),
        fact_kind: "observation",
        title: format!("Test topology: {} in {shown}", framework.unwrap_or("tests")),
        text: format!(
            "{shown} has {} test {plural}{}.",
            group.count,
            framework.map(|framework| format!(" for {framework}")).unwrap_or_default()
        ),
        confidence: if framework.is_some() { 92 } else { 85 },
        evidence: evidence.collect(),
    };
    fact.draft()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_grouped_by_folder_and_framework() {
        let mut groups = Groups::default();
        for (path, framework) in [
            ("a.test.ts", None),
            ("src/x/a.test.ts", Some("vitest")),
            ("src/x/y/b.test.ts", Some("vitest")),
            ("src/x/c.test.ts", Some("jest")),
        ] {
            groups.add(&TestFile { path: path.to_owned(), framework });
        }
        let drafts = groups.drafts();
        let found: Vec<_> = drafts.iter().map(|draft| (draft.title.as_str(), draft.confidence.0)).collect();
        assert_eq!(
            found,
            [
                ("Test topology: tests in the root", 85),
                ("Test topology: jest in src/x", 92),
                ("Test topology: vitest in src/x", 92),
            ]
        );
        assert_eq!(drafts[2].evidence.len(), 2);
        assert_eq!(groups.frameworks().collect::<Vec<_>>(), ["jest", "vitest"]);
    }

    #[test]
    fn groups_have_a_limit() {
        let mut groups = Groups::default();
        for n in 0..=AUTOPILOT_GROUPS_MAX {
            assert!(!groups.is_truncated());
            groups.add(&TestFile { path: format!("d{n}/a.test.ts"), framework: None });
        }
        assert!(groups.is_truncated());
        assert_eq!(groups.drafts().len(), AUTOPILOT_GROUPS_MAX);
    }
}
