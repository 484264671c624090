//! A warm development build after one limit or one error code has changed.
//!
//! Each file that declares some is touched in turn. The figure is the mean over all limits and codes: a file counts as
//! often as it declares one. With `--tree`, other checkouts are measured in alternation.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Instant, SystemTime};

use anyhow::{Context, Result, ensure};

use super::Setting;
use crate::figure::{Figure, Report, Unit};
use crate::scratch::Scratch;
use crate::spread::median;

/// A checkout with a warm build.
struct Tree {
    root: PathBuf,
    target: Scratch,
    /// Files that declare limits or codes, and how many.
    declaring: BTreeMap<PathBuf, usize>,
    /// Seconds of each build, by file.
    seconds: BTreeMap<PathBuf, Vec<f64>>,
}

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let own =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("bench is a folder of the repository")?;
    let roots = if setting.trees.is_empty() { vec![own.to_owned()] } else { setting.trees.clone() };
    let mut trees = Vec::new();
    for (number, root) in roots.into_iter().enumerate() {
        let target = Scratch::named(&setting.dir, &format!("touch-{number}"))?;
        let tree = Tree { declaring: declaring(&root)?, root, target, seconds: BTreeMap::new() };
        tree.build()?;
        trees.push(tree);
    }
    for _ in 0..setting.pick(5, 1) {
        trees.iter_mut().try_for_each(Tree::round)?;
    }
    trees.iter().for_each(|tree| tree.report(report));
    Ok(())
}

impl Tree {
    fn build(&self) -> Result<f64> {
        let start = Instant::now();
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let status = Command::new(cargo)
            .args(["build", "--quiet", "--locked"])
            .current_dir(&self.root)
            .env("CARGO_TARGET_DIR", self.target.path())
            .status()
            .context("starting cargo")?;
        ensure!(status.success(), "the build failed ({status})");
        Ok(start.elapsed().as_secs_f64())
    }

    fn round(&mut self) -> Result<()> {
        for file in self.declaring.keys() {
            fs::File::options().append(true).open(file)?.set_modified(SystemTime::now())?;
            let took = self.build()?;
            self.seconds.entry(file.clone()).or_default().push(took);
        }
        Ok(())
    }

    fn report(&self, report: &mut Report) {
        let (mut total, mut count, mut shown) = (0.0, 0, Vec::new());
        for (file, declared) in &self.declaring {
            let seconds = median(self.seconds.get(file).cloned().unwrap_or_default());
            total += seconds * *declared as f64;
            count += declared;
            let file = file.strip_prefix(self.root.join("crates")).unwrap_or(file);
            shown.push(format!("{} {declared}: {seconds:.1} s", file.display()));
        }
        let name =
            format!("warm build after one of {count} limits and codes changed, {}", self.root.display());
        report.add(Figure::new(name, total / count.max(1) as f64, Unit::Seconds).beside(shown.join("; ")));
    }
}

/// The files below `crates` that declare limits or rows of error codes, and how many each.
fn declaring(root: &Path) -> Result<BTreeMap<PathBuf, usize>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![root.join("crates")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder)? {
            let path = entry?.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
            let is_declaring = ["limits.rs", "code.rs", "error_code.rs"].contains(&name);
            if !is_declaring || !path.parent().is_some_and(|parent| parent.ends_with("src")) {
                continue;
            }
            let source = fs::read_to_string(&path)?;
            let product = source.split("#[cfg(test)]").next().unwrap_or_default();
            let is_one = |line: &&str| line.starts_with("pub const ") || line.contains("\", wire ");
            let count = product.lines().filter(is_one).count();
            if count > 0 {
                found.insert(path, count);
            }
        }
    }
    Ok(found)
}
