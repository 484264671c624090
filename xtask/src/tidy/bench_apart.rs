//! Benchmarks are a workspace of their own: no command on this one compiles what only they need.

use super::Finding;
use super::tree::Tree;

pub(super) fn look(tree: &Tree) -> Vec<Finding> {
    let inside = tree.crates.iter().filter(|package| is_bench(&package.folder));
    let mut findings: Vec<Finding> = inside
        .map(|package| {
            let complaint = format!("`{}` must be no member here: add bench to `exclude`", package.name);
            Finding::new("Cargo.toml", complaint)
        })
        .collect();
    if let Some(manifest) = tree.files.get("bench/Cargo.toml")
        && !manifest.lines().any(|line| line.trim() == "[workspace]")
    {
        findings.push(Finding::new("bench/Cargo.toml", "it needs a `[workspace]` of its own"));
    }
    findings
}

fn is_bench(folder: &str) -> bool {
    folder == "bench" || folder.starts_with("bench/")
}

#[cfg(test)]
mod tests {
    use super::super::tree::made_up;
    use super::*;

    #[test]
    fn a_benchmark_in_this_workspace_is_a_finding() {
        for (folder, fine) in
            [("crates/base", true), ("bench", false), ("bench/store", false), ("benches", true)]
        {
            let tree = Tree { crates: vec![made_up::package("it", folder, &[])], ..Tree::default() };
            assert_eq!(look(&tree).is_empty(), fine, "{folder}");
        }
    }

    #[test]
    fn the_benchmarks_have_a_workspace() {
        assert!(look(&made_up::files(&[("bench/Cargo.toml", "[workspace]\n[package]\n")])).is_empty());
        assert_eq!(look(&made_up::files(&[("bench/Cargo.toml", "[package]\n")])).len(), 1);
    }
}
