//! Each promise kept under many seeds, and each thing not promised seen broken under some.

mod capacity;
mod faults;
mod names;
mod power;
mod unsynced;

use std::path::Path;
use std::sync::Arc;

use super::super::{File, FileSystem};
use super::{Fault, SimulatedFs};

const SEEDS: std::ops::Range<u64> = 0..200;

fn dir() -> &'static Path {
    Path::new("/data")
}

fn path(name: &str) -> std::path::PathBuf {
    dir().join(name)
}

/// A disk with an empty directory.
fn disk(seed: u64) -> SimulatedFs {
    let fs = SimulatedFs::new(seed);
    fs.create_dir(dir()).unwrap();
    fs
}

/// A disk with one file in it, bytes and name durable.
fn disk_with(seed: u64, name: &str, bytes: &[u8]) -> (SimulatedFs, Arc<dyn File>) {
    let fs = disk(seed);
    let file = create_synced(&fs, name, bytes);
    (fs, file)
}

fn create_synced(fs: &SimulatedFs, name: &str, bytes: &[u8]) -> Arc<dyn File> {
    let file = create(fs, name, bytes);
    file.sync_data().unwrap();
    fs.sync_dir(dir()).unwrap();
    file
}

/// Creates a file whose bytes and name are not durable.
fn create(fs: &SimulatedFs, name: &str, bytes: &[u8]) -> Arc<dyn File> {
    let file = fs.create(&path(name)).unwrap();
    file.write_at(bytes, 0).unwrap();
    file
}

fn rename(fs: &SimulatedFs, from: &str, to: &str) {
    fs.rename(&path(from), &path(to)).unwrap();
}

fn bytes_of(fs: &SimulatedFs, name: &str) -> Option<Vec<u8>> {
    fs.read_all(path(name))
}

fn list(fs: &SimulatedFs) -> Vec<String> {
    fs.list(dir()).unwrap()
}

/// Asserts that each outcome happens under some seed, and nothing else under any.
fn check_outcomes<T: Ord + std::fmt::Debug + Clone>(outcomes: &[T], run: impl Fn(u64) -> T) {
    let mut seen = std::collections::BTreeSet::new();
    for seed in SEEDS {
        let outcome = run(seed);
        assert!(outcomes.contains(&outcome), "seed {seed} came to {outcome:?}");
        seen.insert(outcome);
    }
    let missing: Vec<_> = outcomes.iter().filter(|outcome| !seen.contains(outcome)).collect();
    assert!(missing.is_empty(), "no seed came to {missing:?}");
}
