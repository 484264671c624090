//! Every crate is on the code map of `ARCHITECTURE.md`.
//!
//! A crate is on it when the text names its folder (`crates/store/log`), or when a line of a tree
//! or table starts with the folder below `crates` and a slash (`store/log/   the commit log`).

use super::Finding;
use super::tree::{Crate, Tree};

pub(super) fn look(tree: &Tree) -> Vec<Finding> {
    let Some(map) = tree.files.get("ARCHITECTURE.md") else {
        return vec![Finding::new("ARCHITECTURE.md", "the file is missing")];
    };
    let missing = tree.crates.iter().filter(|package| !is_on(map, package));
    missing.map(|package| Finding::new("ARCHITECTURE.md", complaint(package))).collect()
}

fn complaint(package: &Crate) -> String {
    format!("`{}` in {} is not on the code map", package.name, package.folder)
}

fn is_on(map: &str, package: &Crate) -> bool {
    let folder = package.folder.as_str();
    let short = folder.strip_prefix("crates/").unwrap_or(folder);
    names_whole(map, folder, short != folder) || map.lines().any(|line| starts_row(line, short))
}

/// Whether the text names the folder and not merely a longer one (`crates/cairn` is in no way
/// named by `crates/cairn-old`). A folder outside `crates` is too short a word for that.
fn names_whole(map: &str, folder: &str, telling: bool) -> bool {
    let ends = |rest: &str| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '-' || c == '_');
    telling && map.match_indices(folder).any(|(at, _)| ends(&map[at + folder.len()..]))
}

fn starts_row(line: &str, short: &str) -> bool {
    let word = line.trim_start_matches(|c: char| c.is_whitespace() || "|`-*".contains(c));
    word.strip_prefix(short).is_some_and(|rest| rest.starts_with('/'))
}

#[cfg(test)]
mod tests {
    use super::super::tree::made_up;
    use super::*;

    fn check(map: &str, folder: &str, found: bool) {
        let mut tree = made_up::files(&[("ARCHITECTURE.md", map)]);
        tree.crates = vec![made_up::package("the-crate", folder, &[])];
        assert_eq!(look(&tree).is_empty(), found, "{folder} in {map:?}");
    }

    #[test]
    fn a_crate_is_named_by_its_folder_or_by_a_row() {
        check("see `crates/store/log`.", "crates/store/log", true);
        check("crates/\n  store/log/      the commit log", "crates/store/log", true);
        check("| `engine/` | the one door |", "crates/engine", true);
        check("- `xtask/`: tasks", "xtask", true);
        check("the engine is here", "crates/engine", false);
        check("cargo xtask tidy", "xtask", false);
        check("see crates/store/logbook", "crates/store/log", false);
        check("  store/log_old/", "crates/store/log", false);
    }

    #[test]
    fn a_missing_map_is_a_finding() {
        assert_eq!(look(&Tree::default()), [Finding::new("ARCHITECTURE.md", "the file is missing")]);
    }
}
