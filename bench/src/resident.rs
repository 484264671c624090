//! Memory of this process, as the kernel counts it.

use std::fs;

use anyhow::{Context, Result};

const OWN: &str = "/proc/self/status";

/// Mebibytes in memory now.
pub(crate) fn now_mib() -> Result<f64> {
    field(OWN, "VmRSS:")
}

/// The most so far.
pub(crate) fn most_mib() -> Result<f64> {
    field(OWN, "VmHWM:")
}

/// A field of a status file, in mebibytes.
pub(crate) fn field(path: &str, name: &str) -> Result<f64> {
    let status = fs::read_to_string(path).context("memory is known on Linux only")?;
    let line = status.lines().find_map(|line| line.strip_prefix(name)).context("the kernel does not say")?;
    let kib: f64 = line.trim().trim_end_matches("kB").trim().parse()?;
    Ok(kib / 1024.0)
}

/// Has the kernel forget the most so far.
pub(crate) fn forget_most() -> Result<()> {
    fs::write("/proc/self/clear_refs", "5").context("resetting the most memory so far")
}
