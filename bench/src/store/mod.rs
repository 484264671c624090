//! `store`: the figures of the embedded store.

mod build;
pub(crate) mod child;
mod commits;
mod index_size;
mod kill;
mod memory;
mod open;
mod paced;
pub(crate) mod raw_log;
mod rebuild;
pub(crate) mod record;
mod touch;
mod traversal;
mod writer;

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use std::{fs, thread};

use anyhow::{Result, bail};
use cairn_embedded::EmbeddedStore;

pub(crate) use crate::measure::Setting;
use crate::measure::{Measurement, row};

/// Every measurement, in the order they run.
pub(crate) const MEASUREMENTS: &[Measurement] = &[
    row("commits", "durable commits by 1, 8 and 64 producers, as a share of a raw log", commits::run),
    row("paced", "5,000 commits/s for a minute: latency, and the longest pause", paced::run),
    row("traversal", "3-hop traversals, as a share of bare redb", traversal::run),
    row("rebuild", "rebuilding the index from the log and from an image", rebuild::run),
    row("index-size", "size of the index after 10,000,000 updates", index_size::run),
    row("open", "opening 1,000,000 records after a clean stop and after kill -9", open::run),
    row("memory", "memory after 1,000,000 and 2,000,000 records", memory::run),
    row("kill", "200 rounds of kill -9: acknowledged writes that are gone", kill::run),
    Measurement {
        name: "build",
        about: "cold release build of the binary, and its size",
        by_default: false,
        run: build::run,
    },
    Measurement {
        name: "touch",
        about: "warm development build after one limit or error code changed, of each --tree in alternation",
        by_default: false,
        run: touch::run,
    },
];

/// Waits until the background work of a store has come to rest, so that it is not measured twice.
fn settle(store: &EmbeddedStore, dir: &Path) -> Result<()> {
    const QUIET: Duration = Duration::from_millis(700);
    const PATIENCE: Duration = Duration::from_secs(120);
    store.apply_now()?;
    let began = Instant::now();
    let (mut since, mut last) = (Instant::now(), files(dir)?);
    while since.elapsed() < QUIET {
        thread::sleep(Duration::from_millis(50));
        let now = files(dir)?;
        if now != last {
            (since, last) = (Instant::now(), now);
        }
        if began.elapsed() > PATIENCE {
            bail!("the store does not come to rest");
        }
    }
    Ok(())
}

/// Names and sizes of the files in a directory. Files may come and go meanwhile.
fn files(dir: &Path) -> Result<Vec<(PathBuf, u64)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(dir)? {
        let entry = entry?;
        if let Ok(metadata) = entry.metadata() {
            files.push((entry.path(), metadata.len()));
        }
    }
    files.sort();
    Ok(files)
}
