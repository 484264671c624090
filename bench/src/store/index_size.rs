//! How large the index gets when the same keys are written again and again.

use std::fs;
use std::os::unix::fs::MetadataExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::Instant;

use anyhow::Result;
use cairn_base::TenantId;
use cairn_embedded::{EmbeddedOptions, EmbeddedStore};
use cairn_seam::{Keyspace, Store, StoreError};

use super::Setting;
use crate::figure::{Figure, Report, Target, Unit, mib};
use crate::random::{Random, mix};
use crate::scratch::Scratch;

const TENANT: TenantId = TenantId(7);
const KEYS: Keyspace = Keyspace::new(905, "bench-updates");
const KEY_BYTES: u64 = 20;
const VALUE_BYTES: u64 = 100;
const BATCH: u64 = 100;
const PRODUCERS: u64 = 4;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "index-size")?;
    let (updates, keys) = setting.pick((10_000_000, 1_000_000), (200_000, 20_000));
    let store = EmbeddedStore::open(dir.path(), EmbeddedOptions::default())?;
    let batches = AtomicU64::new(0);
    let start = Instant::now();
    thread::scope(|scope| {
        let produce = || -> Result<()> {
            loop {
                let batch = batches.fetch_add(1, Ordering::Relaxed);
                if batch >= updates / BATCH {
                    return Ok(());
                }
                update(&store, batch, keys)?;
            }
        };
        let threads: Vec<_> = (0..PRODUCERS).map(|_| scope.spawn(produce)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("a producer does not panic"))
    })?;
    store.apply_now()?;
    let seconds = start.elapsed().as_secs_f64();
    let open_bytes = store.stats().files.unwrap_or_default().index_bytes;
    let files = store.stats().files.unwrap_or_default();
    store.close()?;
    drop(store);
    let closed = fs::metadata(dir.path().join("index.redb"))?;
    let live_bytes = keys * (KEY_BYTES + VALUE_BYTES);
    let times = |bytes: u64| bytes as f64 / live_bytes as f64;
    report.add(
        Figure::new("index file by live data", times(open_bytes), Unit::Times)
            .target(Target::AtMost(3.0))
            .beside(format!("{:.0} MiB for {:.0} MiB", mib(open_bytes), mib(live_bytes))),
    );
    // redb doubles its file; blocks that were never written take no room. A block is 512 bytes by definition.
    report.add(
        Figure::new("the same after closing", times(closed.len()), Unit::Times)
            .beside(format!("{:.0} MiB of blocks in use", mib(closed.blocks() * 512))),
    );
    report.add(
        Figure::new("updates, applied", updates as f64 / seconds, Unit::PerSecond)
            .beside(format!("{} applies, {} waits for the applier", files.applies, files.backpressure)),
    );
    Ok(())
}

/// Sets some of the keys. The first rounds go over all of them, so that every key is there.
fn update(store: &EmbeddedStore, batch: u64, keys: u64) -> Result<()> {
    let mut random = Random::new(batch);
    let rows: Vec<([u8; 20], Vec<u8>)> = (0..BATCH)
        .map(|at| {
            let number = batch * BATCH + at;
            let number = if number < keys { number } else { random.below(keys) };
            (key(number), random.bytes(VALUE_BYTES as usize))
        })
        .collect();
    cairn_seam::write(store, TENANT, move |tx| {
        rows.iter().try_for_each(|(key, value)| tx.put(KEYS, key, value))?;
        Ok::<_, StoreError>(())
    })?;
    Ok(())
}

fn key(number: u64) -> [u8; 20] {
    let mut key = [0; 20];
    key[..4].copy_from_slice(&TENANT.0.to_be_bytes());
    key[4..12].copy_from_slice(&mix(number).to_be_bytes());
    key[12..].copy_from_slice(&number.to_be_bytes());
    key
}
