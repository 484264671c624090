//! `cargo xtask serve`: one command from a clone to a running server.

use std::os::unix::process::CommandExt;
use std::process::Command;

use anyhow::{Context, Result};

use crate::run;

/// Builds cairn in release mode and becomes it, so that signals reach the server itself.
pub(crate) fn serve(arguments: &[String]) -> Result<()> {
    run::succeed(&mut run::cargo(&["build", "--release", "--package", "cairn"]))?;
    let binary = run::target_folder().join("release").join("cairn");
    let error = Command::new(&binary).arg("serve").args(arguments).exec();
    Err(error).with_context(|| format!("could not start {}", binary.display()))
}
