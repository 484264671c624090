//! `cairn kb autopilot` over source trees.

use std::fs;

use anyhow::Result;

use super::program::{Program, git};
use super::tree;
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::scratch::Scratch;
use crate::spread::median;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let sizes = [(setting.pick(2_000, 100), 5.0), (setting.pick(20_000, 200), 40.0)];
    for (count, seconds_max) in sizes {
        let dir = Scratch::named(&setting.dir, "autopilot")?;
        let root = dir.path().join("tree");
        fs::create_dir_all(&root)?;
        git(&root, &["init", "--quiet"])?;
        tree::sources(&root, count)?;
        let program = Program::new(setting, &root)?;
        let (mut seconds, mut most, mut first) = (Vec::new(), 0.0_f64, None);
        for _ in 0..setting.pick(3, 2) {
            let ran = program.run(&["kb", "autopilot", "--json"], &[0])?;
            seconds.push(ran.seconds);
            most = most.max(ran.most_mib);
            if first.get_or_insert_with(|| ran.output.clone()) != &ran.output {
                report.wrong("two runs over the same tree differ");
            }
        }
        report.add(
            Figure::new(format!("autopilot over {count} source files"), median(seconds), Unit::Seconds)
                .target(Target::Below(seconds_max))
                .beside("the whole command"),
        );
        report.add(
            Figure::new(format!("most memory over {count} source files"), most, Unit::Mebibytes)
                .target(Target::Below(500.0))
                .beside("of the command, the store included"),
        );
    }
    Ok(())
}
