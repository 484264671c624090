//! A crate uses only tiers below its own, and of its own tier only the siblings that
//! `ARCHITECTURE.md` names.
//!
//! The siblings stand in a table below a heading that contains the word "siblings": the first cell
//! names the crate that uses, the second the crates it uses, each in backquotes, by package name
//! (`cairn-log`) or by folder (`store/log`).

use super::tree::{Crate, Dependency, DependencyKind, Tree};
use super::{Finding, apart};

/// Where a crate stands; a later tier may use an earlier one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Tier {
    /// Ids, values, seams.
    Base,
    /// Stores and the log.
    Store,
    /// What the memories mean.
    Core,
    /// The one door.
    Engine,
    /// Protocols.
    Surface,
    /// The program.
    Binary,
    /// Test equipment and tasks: may use everything, used by tests alone.
    Outside,
}

impl Tier {
    /// The tier of a folder, if it is a folder where crates may live.
    pub(super) fn of(folder: &str) -> Option<Tier> {
        if folder == "xtask" {
            return Some(Tier::Outside);
        }
        let mut parts = folder.strip_prefix("crates/")?.split('/');
        match (parts.next()?, parts.next(), parts.next()) {
            ("base", None, None) => Some(Tier::Base),
            ("store", Some(_), None) => Some(Tier::Store),
            ("core", Some(_), None) => Some(Tier::Core),
            ("engine", None, None) => Some(Tier::Engine),
            ("surface", Some(_), None) => Some(Tier::Surface),
            ("cairn", None, None) => Some(Tier::Binary),
            ("testing", _, None) => Some(Tier::Outside),
            _ => None,
        }
    }
}

pub(super) fn look(tree: &Tree) -> Vec<Finding> {
    let siblings = siblings(tree);
    let mut findings = Vec::new();
    for user in &tree.crates {
        let place = format!("{}/Cargo.toml", user.folder);
        let Some(tier) = Tier::of(&user.folder) else {
            // `apart` says what is wrong with a benchmark or fuzz target in here.
            if !apart::is_apart(&user.folder) {
                findings
                    .push(Finding::new(place, "the folder is in no tier; see the tree in ARCHITECTURE.md"));
            }
            continue;
        };
        for dependency in &user.dependencies {
            let used = tree.crates.iter().find(|used| used.name == dependency.name);
            let complaint = used.and_then(|used| complaint(user, tier, dependency, used, &siblings));
            findings.extend(complaint.map(|complaint| Finding::new(place.clone(), complaint)));
        }
    }
    findings
}

fn complaint(
    user: &Crate,
    tier: Tier,
    dependency: &Dependency,
    used: &Crate,
    siblings: &[(String, String)],
) -> Option<String> {
    let used_tier = Tier::of(&used.folder)?;
    if tier == Tier::Outside || exempt(user, dependency, used) {
        return None;
    }
    if used_tier == Tier::Outside {
        return Some(format!("product code must not use `{}`, which is for tests and tasks", used.name));
    }
    if used_tier > tier {
        return Some(format!(
            "`{}` ({tier:?}) must not use `{}` ({used_tier:?}) above it",
            user.name, used.name
        ));
    }
    let named = siblings.iter().any(|(from, to)| is_called(user, from) && is_called(used, to));
    (used_tier == tier && !named).then(|| {
        format!("`{}` uses its sibling `{}`, which ARCHITECTURE.md does not name", user.name, used.name)
    })
}

/// Tests may use test equipment and the contract every store must pass, wherever they stand, and their own
/// crate with features for tests.
fn exempt(user: &Crate, dependency: &Dependency, used: &Crate) -> bool {
    let contract = used.name == "cairn-seam" && dependency.features.iter().any(|name| name == "contract");
    let is_equipment = used.folder.starts_with("crates/testing") || contract || used.name == user.name;
    dependency.kind == DependencyKind::Dev && is_equipment
}

fn is_called(package: &Crate, name: &str) -> bool {
    package.name == name || package.folder.strip_prefix("crates/") == Some(name) || package.folder == name
}

/// The pairs (user, used) of the table of siblings.
fn siblings(tree: &Tree) -> Vec<(String, String)> {
    let text = tree.files.get("ARCHITECTURE.md").map_or("", String::as_str);
    let mut inside = false;
    let mut pairs = Vec::new();
    for line in text.lines() {
        if line.starts_with('#') {
            inside = line.to_lowercase().contains("siblings");
        }
        let mut cells = line.trim().trim_start_matches('|').split('|');
        if let (true, true, Some(from), Some(to)) =
            (inside, line.trim_start().starts_with('|'), cells.next(), cells.next())
        {
            for from in quoted(from) {
                pairs.extend(quoted(to).map(|to| (from.to_owned(), to.to_owned())));
            }
        }
    }
    pairs
}

/// The words in backquotes.
fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::super::tree::made_up;
    use super::*;

    const TABLE: &str = "# Map\n| `cairn-seam` | `cairn-log` |\n## Siblings\n\n| crate | uses | why |\n|---|---|---|\n| `store/embedded` | `cairn-log`, `store/seam` | it is built on them |\n";

    /// The complaints about one crate in a small workspace.
    fn check(name: &str, folder: &str, dependencies: &[&str], expected: &[&str]) {
        let mut tree = made_up::files(&[("ARCHITECTURE.md", TABLE)]);
        tree.crates = vec![
            made_up::package("cairn-base", "crates/base", &[]),
            made_up::package("cairn-seam", "crates/store/seam", &[]),
            made_up::package("cairn-log", "crates/store/log", &[]),
            made_up::package("cairn-engine", "crates/engine", &[]),
            made_up::package("cairn-gate", "crates/surface/gate", &[]),
            made_up::package("cairn-testkit", "crates/testing/testkit", &["cairn-gate"]),
            made_up::package("xtask", "xtask", &[]),
        ];
        tree.crates.push(made_up::package(name, folder, dependencies));
        let complaints: Vec<String> = look(&tree).into_iter().map(|finding| finding.complaint).collect();
        assert_eq!(complaints, expected, "{name} using {dependencies:?}");
    }

    #[test]
    fn dependencies_go_down() {
        check("cairn-graph", "crates/core/graph", &["cairn-base", "cairn-seam", "serde"], &[]);
        check(
            "cairn-graph",
            "crates/core/graph",
            &["cairn-engine"],
            &["`cairn-graph` (Core) must not use `cairn-engine` (Engine) above it"],
        );
        check(
            "cairn-graph",
            "crates/core/graph",
            &["build:cairn-gate"],
            &["`cairn-graph` (Core) must not use `cairn-gate` (Surface) above it"],
        );
    }

    #[test]
    fn siblings_are_named_in_the_architecture() {
        check("cairn-embedded", "crates/store/embedded", &["cairn-log", "cairn-seam"], &[]);
        let complaint = "`cairn-pg` uses its sibling `cairn-seam`, which ARCHITECTURE.md does not name";
        check("cairn-pg", "crates/store/pg", &["cairn-seam"], &[complaint]);
    }

    #[test]
    fn tests_may_use_test_equipment_and_the_contract_and_nothing_else() {
        let dependencies = ["dev:cairn-testkit", "dev:cairn-seam+contract"];
        check("cairn-pg", "crates/store/pg", &dependencies, &[]);
        check("cairn-pg", "crates/store/pg", &["dev:cairn-pg+testing"], &[]);
        let complaint = "`cairn-pg` uses its sibling `cairn-log`, which ARCHITECTURE.md does not name";
        check("cairn-pg", "crates/store/pg", &["dev:cairn-log+testing"], &[complaint]);
        let complaint = "`cairn-pg` (Store) must not use `cairn-engine` (Engine) above it";
        check("cairn-pg", "crates/store/pg", &["dev:cairn-engine"], &[complaint]);
        let complaint = "product code must not use `cairn-testkit`, which is for tests and tasks";
        check("cairn-pg", "crates/store/pg", &["cairn-testkit"], &[complaint]);
        let complaint = "product code must not use `xtask`, which is for tests and tasks";
        check("cairn-pg", "crates/store/pg", &["dev:xtask"], &[complaint]);
    }

    #[test]
    fn a_crate_stands_in_a_tier() {
        check("stray", "crates/stray", &[], &["the folder is in no tier; see the tree in ARCHITECTURE.md"]);
        check(
            "deep",
            "crates/store/log/deep",
            &[],
            &["the folder is in no tier; see the tree in ARCHITECTURE.md"],
        );
    }
}
