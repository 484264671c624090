//! Compaction of a half-dead log while appends go on.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use cairn_base::{Clock, ManualClock, SystemClock};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore};
use cairn_seam::{Blob, Compaction, Store, StoreError, write};

use super::{Live, TENANT, next_number, noise, put};
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::scratch::Scratch;

const PRODUCERS: u32 = 8;

/// Time on the wall that can be moved; elapsed time as it is.
#[derive(Debug)]
struct Later(ManualClock);

impl Clock for Later {
    fn now_ms(&self) -> u64 {
        self.0.now_ms()
    }

    fn monotonic(&self) -> Duration {
        SystemClock.monotonic()
    }
}

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "compaction")?;
    let wall = ManualClock::new(SystemClock.now_ms());
    let options = EmbeddedOptions { clock: Arc::new(Later(wall.clone())), ..EmbeddedOptions::default() };
    let store = EmbeddedStore::open(&dir.path().join("store"), options)?;
    let mut live = Vec::new();
    for round in 0..setting.pick(160_u64, 30) {
        let blobs = (0..100).map(|_| Blob::new(noise(next_number(), 64 << 10)));
        let blobs = blobs.collect::<Result<Vec<_>, _>>()?;
        // A little less than half of each segment lives.
        live.extend(
            blobs
                .iter()
                .map(Blob::hash)
                .enumerate()
                .filter(|(at, _)| (at + round as usize) % 20 < 9)
                .map(|(_, hash)| hash),
        );
        write::<_, StoreError>(&store, TENANT, move |tx| {
            blobs.iter().try_for_each(|blob| tx.put_blob(blob))
        })?;
    }
    wall.advance(Duration::from_secs(25 * 60 * 60));
    thread::sleep(Duration::from_secs(2));
    let bytes = store.stats().files.unwrap_or_default().log_bytes as f64;
    let (stop, appended) = (AtomicBool::new(false), AtomicU64::new(0));
    let live = Live(Arc::new(live));
    let (alone, meanwhile, seconds, figures) = thread::scope(|scope| -> Result<_> {
        for _ in 0..PRODUCERS {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) && put(&store, next_number(), 1 << 10).is_ok() {
                    appended.fetch_add(1, Ordering::Relaxed);
                }
            });
        }
        let measure = |work: &dyn Fn() -> Result<Vec<(&'static str, u64)>>| -> Result<_> {
            let (before, began) = (appended.load(Ordering::Relaxed), Instant::now());
            let figures = work()?;
            let seconds = began.elapsed().as_secs_f64();
            Ok(((appended.load(Ordering::Relaxed) - before) as f64 / seconds, seconds, figures))
        };
        let wait = || {
            thread::sleep(Duration::from_millis(setting.pick(3000, 300)));
            Ok(Vec::new())
        };
        let first = measure(&wait);
        let compacted = measure(&|| Ok(store.compact(&Compaction::default(), &live, &mut |_| true)?.figures));
        let last = measure(&wait);
        stop.store(true, Ordering::Relaxed);
        let (compacted, first, last) = (compacted?, first?, last?);
        Ok(((first.0 + last.0) / 2.0, compacted.0, compacted.1, compacted.2))
    })?;
    let packed = figures.iter().find(|(name, _)| *name == "segments_rewritten").context("no figure")?.1;
    ensure!(packed > 0, "nothing was rewritten");
    let freed = figures.iter().find(|(name, _)| *name == "bytes_freed").context("no figure")?.1;
    report.add(
        Figure::new("compaction of a half-dead log", bytes / seconds / 1e6, Unit::MegabytesPerSecond)
            .target(Target::AtLeast(100.0))
            .beside(format!(
                "{packed} segments of {:.0} MB rewritten, {} MB freed",
                bytes / 1e6,
                freed / 1_000_000
            )),
    );
    report.add(
        Figure::new("appends meanwhile, share of their rate", meanwhile / alone, Unit::Ratio)
            .target(Target::AtLeast(0.7))
            .beside(format!("{meanwhile:.0}/s against {alone:.0}/s with {PRODUCERS} producers of 1 KiB")),
    );
    store.close()?;
    Ok(())
}
