//! Folders with well-known names in the root.

use std::collections::BTreeMap;

use super::GeneratedFact;
use super::language::language_of;
use crate::candidate::{Draft, Evidence, Provider};
use crate::tree::ListedFile;

/// The folders.
const FOLDERS: [&str; 8] = ["app", "apps", "docs", "packages", "scripts", "src", "test", "tests"];
/// Files that are named as evidence.
const EVIDENCE_FILES: usize = 3;

/// Returns an observation for each well-known folder that has files. `files` are sorted by path.
pub(crate) fn drafts(files: &[ListedFile]) -> Vec<Draft> {
    FOLDERS.iter().filter_map(|folder| draft(folder, files)).collect()
}

fn draft(folder: &str, files: &[ListedFile]) -> Option<Draft> {
    let below = |file: &&ListedFile| file.path.strip_prefix(folder).is_some_and(|rest| rest.starts_with('/'));
    let mut languages: BTreeMap<&str, u64> = BTreeMap::new();
    let mut count = 0_u64;
    let mut evidence = Vec::new();
    for file in files.iter().filter(below) {
        count += 1;
        if let Some(language) = language_of(&file.path) {
            *languages.entry(language).or_default() += 1;
        }
        if evidence.len() < EVIDENCE_FILES {
            let detail = format!("a file of {folder}/");
            evidence.push(Evidence { path: file.path.clone(), line: None, detail });
        }
    }
    if count == 0 {
        return None;
    }
    let spoken: Vec<String> =
        languages.iter().map(|(language, count)| format!("{language} {count}")).collect();
    let spoken =
        if spoken.is_empty() { String::new() } else { format!("; by language: {}", spoken.join(", ")) };
    let fact = GeneratedFact {
        provider: Provider::RepoLayout,
        key: &format!("layout.{folder}"),
        path: folder,
        fact_kind: "observation",
        title: format!("Repository layout: {folder}/"),
        text: format!("The folder {folder}/ has {count} files{spoken}."),
        confidence: 84,
        evidence,
    };
    Some(fact.draft())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_with_files_are_observed() {
        let file = |path: &str| ListedFile { path: path.to_owned(), bytes: 1, document: None };
        let files = ["docs/a.md", "src/a.ts", "src/b/c.rs", "srcs/x.ts", "x/tests/y.ts"].map(file);
        let drafts = drafts(&files);
        let found: Vec<_> =
            drafts.iter().map(|draft| (draft.entity_id.as_str(), draft.path.as_str())).collect();
        assert_eq!(found, [("FACT-GEN-LAYOUT-DOCS", "docs"), ("FACT-GEN-LAYOUT-SRC", "src")]);
        assert_eq!(drafts[1].evidence.len(), 2);
    }
}
