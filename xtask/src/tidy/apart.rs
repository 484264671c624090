//! Benchmarks and fuzz targets are workspaces of their own: no command on this one compiles what only they
//! need.

use super::Finding;
use super::tree::Tree;

/// The folders of those workspaces.
const APART: &[&str] = &["bench", "fuzz"];

pub(super) fn look(tree: &Tree) -> Vec<Finding> {
    let inside = tree.crates.iter().filter(|package| is_apart(&package.folder));
    let mut findings: Vec<Finding> = inside
        .map(|package| {
            let complaint =
                format!("`{}` must be no member here: add {} to `exclude`", package.name, package.folder);
            Finding::new("Cargo.toml", complaint)
        })
        .collect();
    for folder in APART {
        let path = format!("{folder}/Cargo.toml");
        if let Some(manifest) = tree.files.get(&path)
            && !manifest.lines().any(|line| line.trim() == "[workspace]")
        {
            findings.push(Finding::new(path, "it needs a `[workspace]` of its own"));
        }
    }
    findings
}

/// Whether a folder is, or is in, one of those workspaces.
pub(super) fn is_apart(folder: &str) -> bool {
    let (first, _) = folder.split_once('/').unwrap_or((folder, ""));
    APART.contains(&first)
}

#[cfg(test)]
mod tests {
    use super::super::tree::made_up;
    use super::*;

    #[test]
    fn a_benchmark_or_fuzz_target_in_this_workspace_is_a_finding() {
        for (folder, fine) in [
            ("crates/base", true),
            ("bench", false),
            ("bench/store", false),
            ("benches", true),
            ("fuzz", false),
            ("fuzzy", true),
        ] {
            let tree = Tree { crates: vec![made_up::package("it", folder, &[])], ..Tree::default() };
            assert_eq!(look(&tree).is_empty(), fine, "{folder}");
        }
    }

    #[test]
    fn they_have_a_workspace() {
        for folder in ["bench", "fuzz"] {
            let path = format!("{folder}/Cargo.toml");
            assert!(look(&made_up::files(&[(&*path, "[workspace]\n[package]\n")])).is_empty());
            assert_eq!(look(&made_up::files(&[(&*path, "[package]\n")])).len(), 1, "{folder}");
        }
    }
}
