//! KBs after a salvage: branches are whole, gone, or reported.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cairn_base::fs::{FileSystem, SimulatedFs};
use cairn_base::{Entropy, ManualClock, SeededEntropy, TenantId};
use cairn_embedded::{Background, EmbeddedOptions, EmbeddedStore, salvage};
use cairn_engine::{Engine, EngineConfig, Traces, rebuild_after_loss};
use cairn_kb::tables::{BRANCHES, VERSIONS};
use cairn_seam::Store;
use serde_json::json;

use super::doctor::{damage, lose, verify};
use super::kit::{create, fill, plain, query, reports, target, upsert};
use crate::support::NOW_MS;

const FROM: &str = "data";
const TO: &str = "salvaged";

fn options(fs: &SimulatedFs) -> EmbeddedOptions {
    EmbeddedOptions {
        fs: Arc::new(fs.clone()),
        clock: Arc::new(ManualClock::new(NOW_MS)),
        entropy: Arc::new(SeededEntropy::new(3)),
        segment_bytes: 64 << 10,
        reserve_bytes: 0,
        cache_bytes: 1 << 20,
        apply_bytes: 16 << 10,
        unapplied_bytes_max: 256 << 10,
        background: Background::Manual,
        ..EmbeddedOptions::default()
    }
}

fn open(fs: &SimulatedFs, dir: &str) -> (Arc<EmbeddedStore>, Arc<Engine>) {
    let store = Arc::new(EmbeddedStore::open(Path::new(dir), options(fs)).unwrap());
    let (clock, entropy) = (Arc::new(ManualClock::new(NOW_MS)), Arc::new(SeededEntropy::new(1)));
    let engine = Engine::open(Arc::clone(&store) as Arc<dyn Store>, clock, entropy, EngineConfig::default());
    (store, engine.unwrap())
}

/// A new store of what is left, in the same file system.
fn salvaged(fs: &SimulatedFs) -> (Arc<EmbeddedStore>, Arc<Engine>) {
    let mut traces = Traces::default();
    let (from, to) = (Path::new(FROM), Path::new(TO));
    let salvaged = salvage(from, to, options(fs), &mut traces, &mut |_| true).unwrap();
    assert!(!salvaged.has_all_records());
    let store = EmbeddedStore::open(to, options(fs)).unwrap();
    let clock = ManualClock::new(NOW_MS);
    rebuild_after_loss(&store, &traces, &salvaged, &clock, &mut |_| true).unwrap();
    store.close().unwrap();
    drop(store);
    open(fs, TO)
}

fn segments(fs: &SimulatedFs) -> Vec<PathBuf> {
    let names = fs.list(Path::new(FROM)).unwrap();
    names.iter().filter(|name| name.starts_with("segment-")).map(|name| Path::new(FROM).join(name)).collect()
}

/// Damages the last of these bytes in the log.
fn flip_last(fs: &SimulatedFs, bytes: &[u8]) {
    let found = segments(fs).into_iter().rev().find_map(|path| {
        let all = fs.read_all(&path)?;
        let at = all.windows(bytes.len()).rposition(|window| window == bytes)?;
        Some((path, at))
    });
    let (path, at) = found.expect("it is in the log");
    fs.flip(&path, at as u64);
}

#[test]
fn a_salvage_restores_the_branch_whose_record_was_lost() {
    let fs = SimulatedFs::new(1);
    let (store, engine) = open(&fs, FROM);
    create(&engine, &target("main"), None).unwrap();
    fill(&engine, &target("main"));
    create(&engine, &target("copy"), Some("main")).unwrap();
    let expected = reports(&engine, &target("main")).unwrap();
    damage(&*store, |tx, rows| lose(tx, rows, BRANCHES));
    // Only with lost bytes anything is rebuilt.
    cairn_seam::write(&*store, TenantId::LOCAL, |tx| {
        tx.put(VERSIONS, b"\0\0\0\x01\0\0\0\x63mark of loss", b"\0\0")
    })
    .unwrap();
    engine.close().unwrap();
    drop((store, engine));
    fs.remove(&Path::new(FROM).join("index.redb")).unwrap();
    flip_last(&fs, b"mark of loss");
    let (_, engine) = salvaged(&fs);
    assert_eq!(reports(&engine, &target("main")).unwrap(), expected);
    assert_eq!(query(&engine, &target("copy"), json!({})).unwrap().count, 10);
    upsert(&engine, &target("main"), &plain("req", "R-9", &[])).unwrap();
    assert_eq!(verify(&engine, false), []);
    engine.close().unwrap();
}

#[test]
fn random_damage_leaves_branches_that_are_whole_or_reported() {
    const BRANCHES_MADE: usize = 12;
    let fs = SimulatedFs::new(1);
    let (store, engine) = open(&fs, FROM);
    for number in 0..BRANCHES_MADE {
        let branch = target(&format!("b-{number}"));
        create(&engine, &branch, None).unwrap();
        fill(&engine, &branch);
        store.upkeep().unwrap();
    }
    engine.close().unwrap();
    drop((store, engine));
    let whole: Vec<_> =
        fs.list(Path::new(FROM)).unwrap().iter().map(|name| Path::new(FROM).join(name)).collect();
    let whole: Vec<_> =
        whole.into_iter().filter_map(|path| fs.read_all(&path).map(|bytes| (path, bytes))).collect();
    let (mut readable, mut lost) = (0, 0);
    for seed in 0..10 {
        let random = SeededEntropy::new(seed);
        let below = |end: usize| usize::try_from(random.next_u64() % end.max(1) as u64).unwrap();
        let fs = SimulatedFs::new(1);
        fs.create_dir(Path::new(FROM)).unwrap();
        whole.iter().for_each(|(path, bytes)| fs.write_raw(path, bytes));
        fs.remove(&Path::new(FROM).join("index.redb")).unwrap();
        let all = segments(&fs);
        for _ in 0..3 {
            let path = &all[below(all.len())];
            let len = fs.read_all(path).unwrap().len();
            let start = 64 + below(len.saturating_sub(200));
            (start..(start + 1 + below(80)).min(len)).for_each(|at| fs.flip(path, at as u64));
        }
        let (_, engine) = salvaged(&fs);
        let found = verify(&engine, true);
        for number in 0..BRANCHES_MADE {
            let branch = target(&format!("b-{number}"));
            match query(&engine, &branch, json!({})) {
                Ok(_) => {
                    upsert(&engine, &branch, &plain("req", "R-9", &[])).unwrap();
                    readable += 1;
                }
                Err(error) => {
                    let is_said = found.iter().any(|(detail, _)| detail.contains(&format!("/b-{number}\"")));
                    let is_gone = error.code().name() == "KbNoBranch";
                    assert!(is_said || is_gone, "seed {seed}, branch {number}: {error}, {found:?}");
                    lost += 1;
                }
            }
        }
        let left = verify(&engine, false);
        assert!(left.iter().all(|(detail, _)| detail.contains("is not whole")), "seed {seed}: {left:?}");
        engine.close().unwrap();
    }
    assert!(readable > 0 && lost > 0, "{readable} branches could be read and {lost} not");
}
