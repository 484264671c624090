//! A steady pace for a minute: nothing that happens in the background may be felt.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::Result;
use cairn_embedded::{EmbeddedOptions, EmbeddedStore};
use cairn_seam::Store;

use super::Setting;
use super::raw_log::RawLog;
use super::record::{self, Name};
use crate::drive::{self, Paced};
use crate::figure::{Figure, Report, Target, Unit};
use crate::random::Random;
use crate::scratch::Scratch;

/// So many that the pace is kept while a sync takes 12 ms (64 of 5,000 a second): with fewer of them
/// waiting, a slow disk would slow down the producers and hide how many commits queue up meanwhile.
const PRODUCERS: u32 = 64;
const RATE: u32 = 5000;
/// About what one commit puts into the log.
const RAW_BYTES: usize = 1376;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "paced")?;
    let clock = drive::longest_gap_of_clock(Duration::from_secs(setting.pick(10, 1)));
    let quiet = raw(setting, &dir)?;
    let store = EmbeddedStore::open(&dir.path().join("store"), EmbeddedOptions::default())?;
    let sealed = AtomicUsize::new(0);
    let over = AtomicBool::new(false);
    let lasting = Duration::from_secs(setting.pick(60, 3));
    let paced = thread::scope(|scope| {
        // As the engine does.
        let upkeep = scope.spawn(|| -> Result<()> {
            while !over.load(Ordering::Relaxed) {
                let done = store.upkeep()?.done;
                sealed.fetch_add(
                    done.iter().filter(|line| line.starts_with("sealed")).count(),
                    Ordering::Relaxed,
                );
                thread::sleep(Duration::from_secs(1));
            }
            Ok(())
        });
        let paced = drive::at_pace(PRODUCERS, RATE, lasting, &|producer, count| {
            record::commit_one(&store, Name { run: 0, producer, count })?;
            Ok(())
        });
        over.store(true, Ordering::Relaxed);
        upkeep.join().expect("upkeep does not panic")?;
        paced
    })?;
    let stats = store.stats();
    add(report, &paced, &quiet);
    let clock = clock.as_secs_f64() * 1000.0;
    report.add(
        Figure::new("longest gap of a clock, idle", clock, Unit::Millis).beside("what the machine adds"),
    );
    report.add(Figure::new("applies meanwhile", stats.applies as f64, Unit::Count));
    let sealed = sealed.load(Ordering::Relaxed) as f64;
    report.add(Figure::new("segments sealed meanwhile", sealed, Unit::Count));
    report.add(Figure::new("waits for the applier", stats.backpressure as f64, Unit::Count));
    store.close()?;
    Ok(())
}

/// The same pace on a raw log and an otherwise idle disk: what the machine itself adds.
fn raw(setting: &Setting, dir: &Scratch) -> Result<Paced> {
    let raw = RawLog::create(&dir.path().join("raw"))?;
    let bytes = Random::new(1).bytes(RAW_BYTES);
    drive::at_pace(PRODUCERS, RATE, Duration::from_secs(setting.pick(60, 3)), &|_, _| {
        raw.append(&bytes);
        Ok(())
    })
}

fn add(report: &mut Report, paced: &Paced, quiet: &Paced) {
    let limit = Target::AtMost(20.0);
    for (name, share, target) in [("p50", 0.5, None), ("p99", 0.99, None), ("p99.9", 0.999, Some(limit))] {
        let figure = Figure::new(name, paced.latency.quantile_ms(share), Unit::Millis)
            .beside(format!("raw log alone {:.2} ms", quiet.latency.quantile_ms(share)));
        report.add(match target {
            Some(target) => figure.target(target),
            None => figure,
        });
    }
    report.add(
        Figure::new("slowest", paced.latency.max_ms(), Unit::Millis)
            .beside(format!("raw log alone {:.2} ms", quiet.latency.max_ms())),
    );
    report.add(
        Figure::new("longest pause", paced.answers.longest_gap_ms(), Unit::Millis)
            .target(limit)
            .beside(format!("raw log alone {:.2} ms", quiet.answers.longest_gap_ms())),
    );
    report.add(Figure::new("commits", paced.latency.count() as f64, Unit::Count));
}
