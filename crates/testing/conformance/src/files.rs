//! Where the suites are.

use std::fs;
use std::path::{Path, PathBuf};

use cairn_base::Value;

use crate::{FormatError, Group};

/// A suite cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum SuiteError {
    /// The folder or a file in it.
    #[error("{path}: {source}", path = path.display())]
    Unreadable {
        /// Which one.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// A file is no JSON.
    #[error("{path}: {source}", path = path.display())]
    NoJson {
        /// Which one.
        path: PathBuf,
        /// What is wrong with it.
        source: cairn_base::ValueError,
    },
    /// A file is no group.
    #[error("{path}: {source}", path = path.display())]
    NoGroup {
        /// Which one.
        path: PathBuf,
        /// What is wrong with it.
        source: FormatError,
    },
    /// There is no file at all.
    #[error("{path}: there is no suite", path = path.display())]
    Empty {
        /// The folder.
        path: PathBuf,
    },
}

/// The groups of `suites/kip`.
pub fn own() -> Result<Vec<Group>, SuiteError> {
    groups(&root().join("suites/kip"))
}

/// The groups that were handed to the project, where it was unpacked beside them; `None` elsewhere, with a
/// note that says so.
pub fn shared() -> Result<Option<Vec<Group>>, SuiteError> {
    let root = root();
    // A working tree beside the repository may stand one folder deeper.
    let mut beside = root.ancestors().skip(1).take(2).map(|folder| folder.join("shared/conformance/kip"));
    let Some(folder) = beside.find(|folder| folder.is_dir()) else {
        println!("skipped: there is no folder shared/conformance/kip beside the repository");
        return Ok(None);
    };
    groups(&folder).map(Some)
}

/// The root of the repository.
fn root() -> PathBuf {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    here.ancestors().nth(3).expect("this crate is three folders below the root").to_owned()
}

fn groups(folder: &Path) -> Result<Vec<Group>, SuiteError> {
    let unreadable = |source| SuiteError::Unreadable { path: folder.to_owned(), source };
    let mut paths = Vec::new();
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        paths.push(entry.map_err(unreadable)?.path());
    }
    paths.retain(|path| path.extension().is_some_and(|ending| ending == "json"));
    paths.sort();
    if paths.is_empty() {
        return Err(SuiteError::Empty { path: folder.to_owned() });
    }
    paths.into_iter().map(read).collect()
}

fn read(path: PathBuf) -> Result<Group, SuiteError> {
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(source) => return Err(SuiteError::Unreadable { path, source }),
    };
    let value = match Value::parse_json(&bytes) {
        Ok(value) => value,
        Err(source) => return Err(SuiteError::NoJson { path, source }),
    };
    Group::from_value(&value).map_err(|source| SuiteError::NoGroup { path, source })
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn the_suite_is_large_and_its_groups_have_names_of_their_own() {
        let groups = own().unwrap();
        let cases: usize = groups.iter().map(|group| group.cases.len()).sum();
        assert!(cases >= 250, "{cases} cases");
        let names: BTreeSet<&str> = groups.iter().map(|group| group.name.as_str()).collect();
        assert_eq!(names.len(), groups.len());
    }

    #[test]
    fn a_folder_without_a_suite_is_an_error() {
        assert!(matches!(groups(&root().join("suites")), Err(SuiteError::Empty { .. })));
        assert!(matches!(groups(&root().join("no such folder")), Err(SuiteError::Unreadable { .. })));
    }
}
