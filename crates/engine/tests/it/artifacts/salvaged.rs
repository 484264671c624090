//! Artifacts after a salvage: those that are left are whole, and are found.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use cairn_base::fs::{FileSystem, SimulatedFs};
use cairn_base::{Entropy, ManualClock, SeededEntropy};
use cairn_embedded::{EmbeddedStore, salvage};
use cairn_engine::{ArtifactDeletion, SearchMode, Traces, rebuild_after_loss};
use cairn_seam::Store;

use super::kit::{id, publish, register_people};
use super::power::{ada, body, open_in, options};
use super::whole::{Blobs, check};
use crate::support::NOW_MS;

const COUNT: u8 = 40;

#[test]
fn random_damage_leaves_artifacts_with_everything_that_follows_from_them() {
    let fs = SimulatedFs::new(1);
    let (store, engine) = open_in(&fs, "data", 1, SearchMode::Off);
    let (acme, _) = register_people(&engine);
    let ada = ada(acme);
    for number in 1..=COUNT {
        publish(&engine, &ada, &body(number)).unwrap();
        if number % 4 == 0 {
            let prepared =
                engine.delete_artifact(&ada, id(number - 2), &ArtifactDeletion::default()).unwrap();
            engine.commit(prepared).unwrap();
        }
        store.upkeep().unwrap();
    }
    engine.close().unwrap();
    drop((store, engine));
    let files = |fs: &SimulatedFs, dir: &str| -> Vec<PathBuf> {
        let names = fs.list(Path::new(dir)).unwrap_or_default();
        names.into_iter().map(|name| Path::new(dir).join(name)).collect()
    };
    let whole: Vec<_> = ["data", "data/blobs"]
        .into_iter()
        .flat_map(|dir| files(&fs, dir))
        .filter_map(|path| fs.read_all(&path).map(|bytes| (path, bytes)))
        .collect();
    let mut lost = 0;
    for seed in 0..20 {
        let random = SeededEntropy::new(seed);
        let below = |end: usize| usize::try_from(random.next_u64() % end.max(1) as u64).unwrap();
        let fs = SimulatedFs::new(1);
        fs.create_dir(Path::new("data")).unwrap();
        fs.create_dir(Path::new("data/blobs")).unwrap();
        whole.iter().for_each(|(path, bytes)| fs.write_raw(path, bytes));
        // Without the index what the log lost is lost.
        fs.remove(Path::new("data/index.redb")).unwrap();
        let is_segment =
            |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with("segment-"));
        let segments: Vec<_> = files(&fs, "data").into_iter().filter(|path| is_segment(path)).collect();
        for _ in 0..=below(4) {
            let path = &segments[below(segments.len())];
            let len = fs.read_all(path).unwrap().len();
            if len < 200 {
                continue;
            }
            let start = 64 + below(len - 64);
            (start..(start + 1 + below(80)).min(len)).for_each(|at| fs.flip(path, at as u64));
        }
        let mut traces = Traces::default();
        let (from, to) = (Path::new("data"), Path::new("salvaged"));
        let salvaged = salvage(from, to, options(&fs, 3), &mut traces, &mut |_| true).unwrap();
        let store = EmbeddedStore::open(to, options(&fs, 3)).unwrap();
        let clock = ManualClock::new(NOW_MS);
        rebuild_after_loss(&store, &traces, &salvaged, &clock, &mut |_| true).unwrap();
        store.close().unwrap();
        drop(store);
        let (store, engine) = open_in(&fs, "salvaged", 5, SearchMode::Off);
        let what = format!("seed {seed}");
        let artifacts = check(&*store, &engine, Blobs::MayBeLost, &what);
        let left: BTreeSet<_> = artifacts.iter().map(|known| known.id).collect();
        lost += usize::from(COUNT) - left.len();
        engine.close().unwrap();
    }
    assert!(lost > 0, "nothing was ever lost");
}
