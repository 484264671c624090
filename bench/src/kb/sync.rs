//! `cairn kb sync`, from the command line to the store and back.

use std::fs;

use anyhow::{Result, ensure};

use super::program::{Program, git};
use super::tree;
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::scratch::Scratch;
use crate::spread::median;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let count = setting.pick(5_000, 200);
    let (mut cold, mut unchanged, mut one) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..setting.pick(5, 1) {
        let dir = Scratch::named(&setting.dir, &format!("sync-{round}"))?;
        let root = dir.path().join("tree");
        fs::create_dir_all(&root)?;
        git(&root, &["init", "--quiet"])?;
        tree::documents(&root, count)?;
        let program = Program::new(setting, &root)?;
        cold.push(program.run(&["kb", "sync"], &[0])?.seconds);
        let status = program.run(&["kb", "query", "--limit", "1", "--json"], &[0])?.output;
        let status: serde_json::Value = serde_json::from_str(&status)?;
        ensure!(status["count"] == count, "{} entities of {count} documents", status["count"]);
        for again in 0..3 {
            unchanged.push(program.run(&["kb", "sync"], &[0])?.seconds);
            let changed = tree::document(again * 5).replace("# Details", "# More details");
            fs::write(root.join(format!("documentation/requirements/{:06}.md", again * 5)), changed)?;
            one.push(program.run(&["kb", "sync"], &[0])?.seconds);
        }
    }
    let about = format!("the whole command, {count} files, no server running");
    report.add(
        Figure::new("cold sync", median(cold), Unit::Seconds)
            .target(Target::Below(5.0))
            .beside(about.clone()),
    );
    report.add(
        Figure::new("sync of an unchanged tree", median(unchanged), Unit::Seconds)
            .target(Target::Below(0.3))
            .beside(about.clone()),
    );
    report.add(Figure::new("sync after one file changed", median(one), Unit::Seconds).beside(about));
    Ok(())
}
