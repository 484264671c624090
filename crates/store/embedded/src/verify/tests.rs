//! Indexes that were changed behind the store's back, with correct checksums.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use cairn_base::fs::SimulatedFs;
use cairn_base::{ManualClock, SeededEntropy, TenantId};
use cairn_seam::{Finding, HashedKeyspace, Keyspace, StoreError};

use super::run;
use crate::generation::Generation;
use crate::index::{Applied, Cursor};
use crate::open;
use crate::options::{Background, EmbeddedOptions};
use crate::shared::Shared;

const DIR: &str = "data/store";
const CELLS: Keyspace = Keyspace::new(10, "cells");
const SEEN: HashedKeyspace = HashedKeyspace::new(3, "seen");
const KEYS: u8 = 40;

fn reopen(fs: &SimulatedFs) -> Shared {
    let options = EmbeddedOptions {
        fs: Arc::new(fs.clone()),
        clock: Arc::new(ManualClock::new(1_700_000_000_000)),
        entropy: Arc::new(SeededEntropy::new(1)),
        segment_bytes: 16 << 10,
        reserve_bytes: 0,
        cache_bytes: 1 << 20,
        background: Background::Manual,
        ..EmbeddedOptions::default()
    };
    open::open(Path::new(DIR), options).unwrap().0
}

fn key(n: u8) -> Vec<u8> {
    [&TenantId::LOCAL.0.to_be_bytes()[..], &[n]].concat()
}

fn put(shared: &Shared, n: u8, value: &'static [u8]) {
    let body = move |tx: &mut dyn cairn_seam::WriteTx| {
        tx.hashed_put(SEEN, &key(n), value, None).map_err(|_| cairn_seam::Aborted)?;
        tx.put(CELLS, &key(n), value).map_err(|_| cairn_seam::Aborted)
    };
    shared.write(TenantId::LOCAL, Box::new(body)).unwrap();
}

/// A store with everything in the index, an image of the first half if asked for, and a forged entry.
fn forged(n: u8, value: Option<&[u8]>, has_image: bool) -> (SimulatedFs, Shared) {
    let fs = SimulatedFs::new(1);
    let shared = reopen(&fs);
    for n in 0..KEYS {
        put(&shared, n, b"first");
        if has_image && n == KEYS / 2 {
            shared.write_image().unwrap();
        }
    }
    put(&shared, 3, b"second");
    shared.apply().unwrap();
    let forged = Generation::default();
    forged.insert(CELLS.id, 1, [(Arc::from(key(n)), value.map(Arc::from))]);
    let position = shared.counters.applied_to.load(Ordering::Relaxed);
    shared.index().apply(&forged, &Cursor::default(), Applied::to(position)).unwrap();
    drop(shared);
    fs.process_kill();
    let shared = reopen(&fs);
    (fs, shared)
}

fn findings(shared: &Shared, repair: bool, keys_max: usize) -> Vec<Finding> {
    run(shared, repair, keys_max, &mut |_| true).unwrap().findings
}

#[test]
fn a_changed_added_or_removed_key_is_named_also_in_parts() {
    let rows: [(u8, Option<&[u8]>, &str); 4] = [
        (3, Some(b"first"), "has another value than in the log"),
        (7, Some(b"other"), "has another value than in the log"),
        (7, None, "is missing; the log has it at position"),
        (99, Some(b"new"), "is not in the log"),
    ];
    for (n, value, wrong) in rows {
        let (_, shared) = forged(n, value, false);
        for keys_max in [1000, 41, 7, 1] {
            let found = findings(&shared, false, keys_max);
            assert_eq!(found.len(), 1, "key {n}, {keys_max} at once: {found:?}");
            assert_eq!(found[0].file, "index.redb");
            assert!(found[0].detail.contains(wrong), "{found:?}");
            assert!(found[0].detail.contains(&format!("key 00000001{n:02x} of keyspace 10")), "{found:?}");
        }
    }
}

#[test]
fn an_image_is_where_comparing_begins() {
    let (_, shared) = forged(2, None, true);
    let found = findings(&shared, false, 9);
    assert_eq!(found.len(), 1, "{found:?}");
    assert_eq!(found[0].detail, "1 keys of the image are missing");
    let (_, shared) = forged(2, Some(b"first"), true);
    assert_eq!(findings(&shared, false, 9), [], "the same value is no difference");
}

#[test]
fn a_wrong_index_is_rebuilt_at_once_and_stays_right() {
    let (fs, shared) = forged(7, Some(b"other"), true);
    let found = findings(&shared, true, 1000);
    assert_eq!(found.len(), 1);
    assert!(found[0].repaired && found[0].detail.ends_with("rebuilt from image and log"), "{found:?}");
    assert_eq!(findings(&shared, false, 1000), []);
    drop(shared);
    fs.process_kill();
    let shared = reopen(&fs);
    assert_eq!(findings(&shared, false, 1000), []);
    let mut seen = None;
    let view = shared.view();
    let keys: [&[u8]; 1] = [&key(7)];
    view.multi_get(&shared.place, view.position, CELLS, &keys, &mut |_, value| {
        seen = value.map(<[u8]>::to_vec);
    })
    .unwrap();
    assert_eq!(seen.as_deref(), Some(&b"first"[..]));
}

#[test]
fn it_stops_when_told_to_at_every_stage() {
    let (_, shared) = forged(2, Some(b"first"), true);
    let mut stages = Vec::new();
    run(&shared, false, 7, &mut |stage| {
        stages.push(stage.name.to_owned());
        true
    })
    .unwrap();
    assert!(stages.len() > 6, "{stages:?}");
    for (stop_at, stage) in stages.iter().enumerate() {
        let mut left = stop_at;
        let stopped = run(&shared, true, 7, &mut |_| {
            left = left.wrapping_sub(1);
            left != usize::MAX
        });
        assert!(matches!(stopped, Err(StoreError::Stopped)), "at {stage}");
    }
}
