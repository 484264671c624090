//! How long opening takes, after a clean stop and after kill -9. The page cache is warm in both.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::Result;
use cairn_embedded::{EmbeddedOptions, EmbeddedStore};
use cairn_seam::Store;

use super::Setting;
use super::record::{self, Name};
use super::writer::Writer;
use crate::figure::{Figure, Report, Target, Unit};
use crate::random::Random;
use crate::scratch::Scratch;
use crate::spread::{median, ms};

const ROUNDS: u32 = 5;
const PRODUCERS: u32 = 8;
/// Records in one transaction while filling the store: only their number matters here.
const BATCH: u64 = 10;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "open")?;
    fill(dir.path(), setting.pick(1_000_000, 20_000))?;
    let mut times = Vec::new();
    for _ in 0..ROUNDS {
        let (store, time) = open(dir.path())?;
        times.push(time);
        store.close()?;
    }
    report.add(
        Figure::new("after a clean stop", median(times.clone()), Unit::Millis)
            .target(Target::Below(100.0))
            .beside(listed(&times)),
    );

    let (mut times, mut replayed) = (Vec::new(), Vec::new());
    let mut random = Random::new(6);
    for round in 0..ROUNDS {
        let writer = Writer::start(dir.path(), 1 + round, PRODUCERS)?;
        writer.wait_until_writing()?;
        thread::sleep(Duration::from_millis(setting.pick(1500, 200) + random.below(1500)));
        writer.kill()?;
        let (store, time) = open(dir.path())?;
        times.push(time);
        replayed.push(store.open_report().replayed.to_string());
        store.close()?;
    }
    report.add(
        Figure::new("after kill -9", median(times.clone()), Unit::Millis)
            .target(Target::Below(500.0))
            .beside(format!("{}; replayed {}", listed(&times), replayed.join(", "))),
    );
    Ok(())
}

fn open(dir: &Path) -> Result<(EmbeddedStore, f64)> {
    let start = Instant::now();
    let store = EmbeddedStore::open(dir, EmbeddedOptions::default())?;
    Ok((store, ms(start.elapsed())))
}

fn fill(dir: &Path, records: u64) -> Result<()> {
    let store = EmbeddedStore::open(dir, EmbeddedOptions::default())?;
    let next = AtomicU64::new(0);
    thread::scope(|scope| {
        let produce = || -> Result<()> {
            loop {
                let first = next.fetch_add(BATCH, Ordering::Relaxed);
                if first >= records {
                    return Ok(());
                }
                let name = |count| Name { run: 0, producer: 0, count };
                record::commit(&store, (first..first + BATCH).map(|count| name(count).record()).collect())?;
            }
        };
        let threads: Vec<_> = (0..PRODUCERS).map(|_| scope.spawn(produce)).collect();
        threads.into_iter().try_for_each(|thread| thread.join().expect("a producer does not panic"))
    })?;
    store.close()?;
    Ok(())
}

fn listed(times: &[f64]) -> String {
    times.iter().map(|time| format!("{time:.0}")).collect::<Vec<_>>().join(", ") + " ms"
}
