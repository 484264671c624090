//! `cairn kb check --staged`, as the pre-commit hook runs it.

use std::fs;

use anyhow::Result;

use super::program::{Program, git};
use super::tree;
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::scratch::Scratch;
use crate::spread::Spread;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "staged")?;
    let root = dir.path().join("tree");
    fs::create_dir_all(&root)?;
    git(&root, &["init", "--quiet"])?;
    let (files, changed) = (setting.pick(2_000, 100), 50);
    tree::sources(&root, files)?;
    tree::documents(&root, setting.pick(5_000, 100))?;
    git(&root, &["add", "--all"])?;
    git(&root, &["commit", "--quiet", "--message", "first"])?;
    let program = Program::new(setting, &root)?;
    program.run(&["kb", "sync"], &[0])?;
    for number in 0..changed {
        let ending = ["ts", "py", "rs", "go", "java"][number % 5];
        let path = root.join(format!("src/part0000/file{number:06}.{ending}"));
        let text = tree::source(number)
            .replace("Handles case 3", "implements REQ-0")
            .replace("handles case 3", "implements REQ-0");
        fs::write(path, text)?;
    }
    git(&root, &["add", "--all"])?;
    let mut times = Vec::new();
    for _ in 0..setting.pick(20, 3) {
        // Exit code 1 names symbols without a requirement, which is a result as good as another.
        let ran = program.run(&["kb", "check", "--staged", "--json"], &[0, 1])?;
        times.push(std::time::Duration::from_secs_f64(ran.seconds));
    }
    let times = Spread::new(times);
    report.add(
        Figure::new(
            format!("check --staged of {changed} changed files, p50"),
            times.quantile_ms(0.5),
            Unit::Millis,
        )
        .target(Target::Below(200.0))
        .beside(format!("{}, the whole command, no server running", times.shown())),
    );
    Ok(())
}
