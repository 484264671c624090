//! What the checks look at: the crates of the workspace and the files of the repository.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use anyhow::{Context, Result, bail};
use serde_json::Value;

use crate::run;

/// Larger files are data, not text that people wrote.
const TEXT_BYTES_MAX: u64 = 1 << 20;

/// Folders that hold nothing of ours, wherever they are.
const FOREIGN_FOLDERS: &[&str] = &[".git", "target", "node_modules", ".cairn", "corpus"];

/// Inputs that made a fuzz target fail; other folders of this name are ours.
const FUZZ_ARTIFACTS: &str = "fuzz/artifacts";

/// The repository, in memory. All paths are relative to its root and use `/`.
#[derive(Debug, Default)]
pub(super) struct Tree {
    /// The crates of the workspace.
    pub(super) crates: Vec<Crate>,
    /// The text files, by path.
    pub(super) files: BTreeMap<String, String>,
    /// Every file and folder, text or not.
    pub(super) paths: BTreeSet<String>,
}

/// A crate of the workspace.
#[derive(Debug)]
pub(super) struct Crate {
    /// The package name.
    pub(super) name: String,
    /// The folder of its manifest.
    pub(super) folder: String,
    /// What its manifest asks for.
    pub(super) dependencies: Vec<Dependency>,
}

/// One dependency of a crate.
#[derive(Debug)]
pub(super) struct Dependency {
    /// The package name of what is used.
    pub(super) name: String,
    /// What it is needed for.
    pub(super) kind: DependencyKind,
    /// The features asked for.
    pub(super) features: Vec<String>,
}

/// The table of the manifest a dependency stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum DependencyKind {
    /// `[dependencies]`
    Normal,
    /// `[dev-dependencies]`
    Dev,
    /// `[build-dependencies]`
    Build,
}

impl Tree {
    /// Reads the manifests through cargo and the files from disk.
    pub(super) fn load(root: &Path) -> Result<Tree> {
        let mut tree = Tree { crates: crates(root)?, ..Tree::default() };
        tree.walk(root, "")?;
        Ok(tree)
    }

    fn walk(&mut self, root: &Path, folder: &str) -> Result<()> {
        let path = root.join(folder);
        let entries = path.read_dir().with_context(|| format!("could not list {}", path.display()))?;
        for entry in entries {
            let entry = entry?;
            let Ok(name) = entry.file_name().into_string() else { bail!("a file name is not UTF-8") };
            if FOREIGN_FOLDERS.contains(&name.as_str()) {
                continue;
            }
            let inner = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            if inner == FUZZ_ARTIFACTS {
                continue;
            }
            self.paths.insert(inner.clone());
            if entry.file_type()?.is_dir() {
                self.walk(root, &inner)?;
            } else if entry.metadata()?.len() <= TEXT_BYTES_MAX
                && let Ok(text) = String::from_utf8(std::fs::read(entry.path())?)
            {
                self.files.insert(inner, text);
            }
        }
        Ok(())
    }

    /// The text files whose name ends like this.
    pub(super) fn files_ending<'a>(&'a self, ending: &'a str) -> impl Iterator<Item = (&'a str, &'a str)> {
        let files = self.files.iter().filter(move |(path, _)| path.ends_with(ending));
        files.map(|(path, text)| (path.as_str(), text.as_str()))
    }
}

fn crates(root: &Path) -> Result<Vec<Crate>> {
    let mut command = run::cargo(&["metadata", "--no-deps", "--format-version", "1"]);
    let output = command.output().context("could not start `cargo metadata`")?;
    if !output.status.success() {
        bail!("`cargo metadata` failed: {}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).context("`cargo metadata` made no JSON")?;
    parse(&metadata, root).context("`cargo metadata` has another shape than expected")
}

fn parse(metadata: &Value, root: &Path) -> Option<Vec<Crate>> {
    let package = |package: &Value| {
        let manifest = Path::new(package["manifest_path"].as_str()?);
        let folder = manifest.parent()?;
        let folder = folder.strip_prefix(root).unwrap_or(folder);
        let dependencies =
            package["dependencies"].as_array()?.iter().map(dependency).collect::<Option<_>>()?;
        Some(Crate { name: text(&package["name"])?, folder: folder.to_str()?.to_owned(), dependencies })
    };
    metadata["packages"].as_array()?.iter().map(package).collect()
}

fn dependency(dependency: &Value) -> Option<Dependency> {
    let kind = match dependency["kind"].as_str() {
        None => DependencyKind::Normal,
        Some("dev") => DependencyKind::Dev,
        Some("build") => DependencyKind::Build,
        Some(_) => return None,
    };
    let features = dependency["features"].as_array()?.iter().map(text).collect::<Option<_>>()?;
    Some(Dependency { name: text(&dependency["name"])?, kind, features })
}

fn text(value: &Value) -> Option<String> {
    value.as_str().map(str::to_owned)
}

/// Small made-up trees for the tests of the checks.
#[cfg(test)]
pub(super) mod made_up {
    use super::*;

    /// A tree of files, without crates.
    pub(crate) fn files(files: &[(&str, &str)]) -> Tree {
        let mut tree = Tree::default();
        for (path, text) in files {
            tree.files.insert((*path).to_owned(), (*text).to_owned());
            let mut parents = Path::new(path).ancestors().filter_map(Path::to_str).filter(|p| !p.is_empty());
            tree.paths.extend(parents.by_ref().map(str::to_owned));
        }
        tree
    }

    /// A crate named by its folder; a dependency is `name`, `dev:name` or `dev:name+feature`.
    pub(crate) fn package(name: &str, folder: &str, dependencies: &[&str]) -> Crate {
        let dependencies = dependencies.iter().map(|text| made_up_dependency(text)).collect();
        Crate { name: name.to_owned(), folder: folder.to_owned(), dependencies }
    }

    fn made_up_dependency(text: &str) -> Dependency {
        let (kind, text) = match text.split_once(':') {
            Some(("dev", name)) => (DependencyKind::Dev, name),
            Some(("build", name)) => (DependencyKind::Build, name),
            Some(_) | None => (DependencyKind::Normal, text),
        };
        let (name, feature) = text.split_once('+').unwrap_or((text, ""));
        let features = if feature.is_empty() { Vec::new() } else { vec![feature.to_owned()] };
        Dependency { name: name.to_owned(), kind, features }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_metadata_of_cargo_is_read() {
        let metadata = serde_json::json!({"packages": [{
            "name": "cairn-log",
            "manifest_path": "/here/crates/store/log/Cargo.toml",
            "dependencies": [
                {"name": "cairn-base", "kind": null, "features": []},
                {"name": "cairn-seam", "kind": "dev", "features": ["contract"]},
                {"name": "cc", "kind": "build", "features": []},
            ],
        }]});
        let crates = parse(&metadata, Path::new("/here")).expect("the shape is right");
        assert_eq!((crates[0].name.as_str(), crates[0].folder.as_str()), ("cairn-log", "crates/store/log"));
        let kinds: Vec<_> = crates[0].dependencies.iter().map(|dependency| dependency.kind).collect();
        assert_eq!(kinds, [DependencyKind::Normal, DependencyKind::Dev, DependencyKind::Build]);
        assert_eq!(crates[0].dependencies[1].features, ["contract"]);
        assert!(parse(&serde_json::json!({"packages": [{}]}), Path::new("/here")).is_none());
    }
}
