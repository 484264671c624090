//! A cold release build of the binary, as somebody who just cloned the repository has it.

use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use anyhow::{Context, Result, ensure};

use super::Setting;
use crate::figure::{Figure, Report, Target, Unit, mib};
use crate::scratch::Scratch;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let target = Scratch::named(&setting.dir, "build")?;
    let root =
        Path::new(env!("CARGO_MANIFEST_DIR")).parent().context("bench is a folder of the repository")?;
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let build = || -> Result<f64> {
        let start = Instant::now();
        let status = Command::new(&cargo)
            .args(["build", "--release", "--quiet", "--locked", "-p", "cairn"])
            .current_dir(root)
            .env("CARGO_TARGET_DIR", target.path())
            .status()
            .context("starting cargo")?;
        ensure!(status.success(), "the build failed ({status})");
        Ok(start.elapsed().as_secs_f64())
    };
    let cores = std::thread::available_parallelism()?;
    report.add(
        Figure::new("cold release build", build()?, Unit::Seconds)
            .target(Target::Below(300.0))
            .beside(format!("{cores} cores")),
    );
    // The release profile strips it.
    let bytes = fs::metadata(target.path().join("release/cairn"))?.len();
    report.add(Figure::new("stripped binary", mib(bytes), Unit::Mebibytes).target(Target::Below(25.0)));
    Ok(())
}
