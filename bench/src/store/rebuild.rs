//! Rebuilding the index when it is gone: from the log, and from an image.

use std::fs;
use std::path::Path;
use std::time::Instant;

use anyhow::{Context, Result};
use cairn_base::{Position, TenantId};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore};
use cairn_seam::{KeyRange, Keyspace, Snapshot, Store, StoreError, Visit};

use super::Setting;
use crate::figure::{Figure, Report, Target, Unit};
use crate::random::Random;
use crate::scratch::Scratch;

const TENANT: TenantId = TenantId(7);
const KEYS: Keyspace = Keyspace::new(904, "bench-keys");
const BATCH: u64 = 100;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "rebuild")?;
    let keys = setting.pick(1_000_000, 20_000);
    let store = EmbeddedStore::open(dir.path(), EmbeddedOptions::default())?;
    write(&store, keys)?;
    store.close()?;
    drop(store);

    let seconds = rebuild(dir.path(), keys, report)?;
    report.add(
        Figure::new("from the log", keys as f64 / seconds, Unit::PerSecond)
            .target(Target::AtLeast(100_000.0))
            .beside(format!("{keys} scattered keys in {seconds:.2} s")),
    );
    let store = EmbeddedStore::open(dir.path(), EmbeddedOptions::default())?;
    store.write_image()?;
    store.close()?;
    drop(store);
    let seconds = rebuild(dir.path(), keys, report)?;
    report.add(
        Figure::new("from an image", keys as f64 / seconds, Unit::PerSecond)
            .beside(format!("{keys} keys in {seconds:.2} s")),
    );
    Ok(())
}

/// Scattered keys of 24 bytes with values of 40.
fn write(store: &EmbeddedStore, keys: u64) -> Result<()> {
    let mut random = Random::new(5);
    for _ in 0..keys / BATCH {
        let rows: Vec<([u8; 24], Vec<u8>)> = (0..BATCH)
            .map(|_| {
                let mut key = [0; 24];
                key[..4].copy_from_slice(&TENANT.0.to_be_bytes());
                key[4..].copy_from_slice(&random.bytes(20));
                (key, random.bytes(40))
            })
            .collect();
        cairn_seam::write(store, TENANT, move |tx| {
            rows.iter().try_for_each(|(key, value)| tx.put(KEYS, key, value))?;
            Ok::<_, StoreError>(())
        })?;
    }
    Ok(())
}

/// Removes the index and times the next opening.
fn rebuild(dir: &Path, keys: u64, report: &mut Report) -> Result<f64> {
    fs::remove_file(dir.join("index.redb")).context("removing the index")?;
    let start = Instant::now();
    let store = EmbeddedStore::open(dir, EmbeddedOptions::default())?;
    let seconds = start.elapsed().as_secs_f64();
    if store.open_report().rebuilt.is_none() {
        report.wrong("the index was gone and was not rebuilt");
    }
    let found = count(&*store.snapshot(Position::START)?)?;
    if found != keys {
        report.wrong(format!("the rebuilt index holds {found} keys of {keys}"));
    }
    store.close()?;
    Ok(seconds)
}

fn count(snapshot: &dyn Snapshot) -> Result<u64> {
    let mut found = 0;
    snapshot.multi_scan(KEYS, &[KeyRange::prefix(&TENANT.0.to_be_bytes())], &mut |_, _, _| {
        found += 1;
        Visit::Continue
    })?;
    Ok(found)
}
