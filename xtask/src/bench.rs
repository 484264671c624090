//! `cargo xtask bench`: figures as ratios against a reference measured in the same run.
//!
//! Benchmarks are a workspace of their own, so that tests never compile what only they need.

use anyhow::{Result, bail};

use crate::run;

/// Runs a benchmark by name; without a name the benchmark program lists what there is.
pub(crate) fn bench(arguments: &[String]) -> Result<()> {
    if !run::root().join("bench/Cargo.toml").is_file() {
        bail!("there is no bench/Cargo.toml in this checkout");
    }
    let mut command =
        run::cargo(&["run", "--quiet", "--release", "--manifest-path", "bench/Cargo.toml", "--"]);
    run::succeed(command.args(arguments))
}
