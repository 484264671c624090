//! Only `surface/*` and the binary know tokio, sockets and HTTP; everything below is synchronous.

use super::Finding;
use super::tiers::Tier;
use super::tree::Tree;

/// Crates that bring an async runtime or a network protocol with them; those named after one
/// (`tokio-util`) count too.
const ASYNC_CRATES: &[&str] = &[
    "async-std",
    "axum",
    "futures",
    "hyper",
    "reqwest",
    "rmcp",
    "smol",
    "tokio",
    "tonic",
    "tower",
    "utoipa-axum",
];

pub(super) fn look(tree: &Tree) -> Vec<Finding> {
    let below = |folder: &str| Tier::of(folder).is_some_and(|tier| tier < Tier::Surface);
    let mut findings = Vec::new();
    for package in tree.crates.iter().filter(|package| below(&package.folder)) {
        for dependency in package.dependencies.iter().filter(|dependency| is_async(&dependency.name)) {
            let complaint =
                format!("`{}` stays synchronous; `{}` belongs in a surface", package.name, dependency.name);
            findings.push(Finding::new(format!("{}/Cargo.toml", package.folder), complaint));
        }
    }
    findings
}

fn is_async(name: &str) -> bool {
    ASYNC_CRATES
        .iter()
        .any(|known| name.strip_prefix(known).is_some_and(|rest| rest.is_empty() || rest.starts_with('-')))
}

#[cfg(test)]
mod tests {
    use super::super::tree::made_up;
    use super::*;

    fn check(folder: &str, dependency: &str, fine: bool) {
        let tree = Tree { crates: vec![made_up::package("it", folder, &[dependency])], ..Tree::default() };
        assert_eq!(look(&tree).is_empty(), fine, "{dependency} in {folder}");
    }

    #[test]
    fn async_crates_stay_at_the_edges() {
        check("crates/engine", "tokio", false);
        check("crates/engine", "dev:tokio", false);
        check("crates/core/graph", "tokio-util", false);
        check("crates/base", "axum", false);
        check("crates/engine", "towering", true);
        check("crates/engine", "serde", true);
        check("crates/surface/gate", "tokio", true);
        check("crates/cairn", "tokio", true);
        check("crates/testing/simulator", "tokio", true);
    }
}
