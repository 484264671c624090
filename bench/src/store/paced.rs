//! A steady pace for a minute in all: nothing that happens in the background may be felt.

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
use crate::spread::Spread;

/// So many that the pace is kept while a sync takes 12 ms (64 of 5,000 a second): with fewer of them
/// waiting, a slow disk would slow down the producers and hide how many commits queue up meanwhile.
const PRODUCERS: u32 = 64;
const RATE: u32 = 5000;
/// About what one commit puts into the log.
const RAW_BYTES: usize = 1376;

/// The store and the raw log take turns, so that whatever the machine does, it does to both.
const ROUNDS: u32 = 3;
/// How long the store may work off what was written before the raw log has the disk to itself.
const SETTLE: Duration = Duration::from_secs(8);

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "paced")?;
    let clock = drive::longest_gap_of_clock(Duration::from_secs(setting.pick(10, 1)));
    let raw_log = RawLog::create(&dir.path().join("raw"))?;
    let bytes = Random::new(1).bytes(RAW_BYTES);
    let store = EmbeddedStore::open(&dir.path().join("store"), EmbeddedOptions::default())?;
    let sealed = AtomicUsize::new(0);
    let over = AtomicBool::new(false);
    let lasting = Duration::from_secs(setting.pick(60, 3)) / ROUNDS;
    let (mut paced, mut quiet) = (Rounds::default(), Rounds::default());
    thread::scope(|scope| {
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
        let rounds = (0..ROUNDS).try_for_each(|run| -> Result<()> {
            quiet.add(drive::at_pace(PRODUCERS, RATE, lasting, &|_, _| {
                raw_log.append(&bytes);
                Ok(())
            })?);
            paced.add(drive::at_pace(PRODUCERS, RATE, lasting, &|producer, count| {
                record::commit_one(&store, Name { run, producer, count })?;
                Ok(())
            })?);
            thread::sleep(setting.pick(SETTLE, Duration::ZERO));
            Ok(())
        });
        over.store(true, Ordering::Relaxed);
        upkeep.join().expect("upkeep does not panic")?;
        rounds
    })?;
    let stats = store.stats();
    add(report, &paced, &quiet);
    let clock = clock.as_secs_f64() * 1000.0;
    report.add(
        Figure::new("longest gap of a clock, idle", clock, Unit::Millis).beside("what the machine adds"),
    );
    report.add(Figure::new("applies meanwhile", stats.files.unwrap_or_default().applies as f64, Unit::Count));
    let sealed = sealed.load(Ordering::Relaxed) as f64;
    report.add(Figure::new("segments sealed meanwhile", sealed, Unit::Count));
    report.add(Figure::new(
        "waits for the applier",
        stats.files.unwrap_or_default().backpressure as f64,
        Unit::Count,
    ));
    store.close()?;
    Ok(())
}

/// What several rounds at a steady pace came to.
#[derive(Debug, Default)]
struct Rounds {
    latency: Spread,
    /// p99.9 of each round.
    tails: Vec<f64>,
    /// The longest pause of each round.
    pauses: Vec<f64>,
}

impl Rounds {
    fn add(&mut self, paced: Paced) {
        self.tails.push(paced.latency.quantile_ms(0.999));
        self.pauses.push(paced.answers.longest_gap_ms());
        self.latency = Spread::together(vec![std::mem::take(&mut self.latency), paced.latency]);
    }
}

fn add(report: &mut Report, paced: &Rounds, quiet: &Rounds) {
    let limit = Target::AtMost(20.0);
    let each = |rounds: &[f64]| rounds.iter().map(|ms| format!("{ms:.0}")).collect::<Vec<_>>().join(", ");
    let beside = |share: f64| format!("raw log alone {:.2} ms", quiet.latency.quantile_ms(share));
    let ms = |name, share| Figure::new(name, paced.latency.quantile_ms(share), Unit::Millis);
    report.add(ms("p50", 0.5).beside(beside(0.5)));
    report.add(ms("p99", 0.99).beside(beside(0.99)));
    report.add(ms("p99.9", 0.999).target(limit).beside(format!(
        "{}; by round {} against {} ms",
        beside(0.999),
        each(&paced.tails),
        each(&quiet.tails)
    )));
    report.add(
        Figure::new("slowest", paced.latency.max_ms(), Unit::Millis)
            .beside(format!("raw log alone {:.2} ms", quiet.latency.max_ms())),
    );
    let longest = |rounds: &[f64]| rounds.iter().copied().fold(0.0, f64::max);
    report.add(Figure::new("longest pause", longest(&paced.pauses), Unit::Millis).target(limit).beside(
        format!(
            "raw log alone {:.2} ms; by round {} against {} ms",
            longest(&quiet.pauses),
            each(&paced.pauses),
            each(&quiet.pauses)
        ),
    ));
    report.add(Figure::new("commits", paced.latency.count() as f64, Unit::Count));
}
