//! Durable commits as a share of what a raw log does in the same minutes.

use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use anyhow::{Context, Result};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore};
use cairn_seam::Store;

use super::raw_log::RawLog;
use super::record::{self, Name};
use super::{Setting, settle};
use crate::drive::{self, Run};
use crate::figure::{Figure, Report, Target, Unit};
use crate::random::Random;
use crate::scratch::Scratch;
use crate::spread::{Spread, median};

/// Producers, and the share of the raw log to reach with so many.
const STEPS: [(u32, f64); 3] = [(1, 0.65), (8, 0.50), (64, 0.40)];

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    for (producers, share) in STEPS {
        let dir = Scratch::named(&setting.dir, "commits")?;
        let raw = RawLog::create(&dir.path().join("raw"))?;
        let store = EmbeddedStore::open(&dir.path().join("store"), EmbeddedOptions::default())?;
        let contest = Contest { setting, producers, raw, store, dir, runs: AtomicU32::new(0) };
        contest.run(share, report)?;
    }
    Ok(())
}

struct Contest<'a> {
    setting: &'a Setting,
    producers: u32,
    raw: RawLog,
    store: EmbeddedStore,
    dir: Scratch,
    runs: AtomicU32,
}

impl Contest<'_> {
    fn run(&self, share: f64, report: &mut Report) -> Result<()> {
        // Also the warm-up of both.
        self.cairn()?;
        let stats = self.store.stats();
        let bytes = (stats.files.unwrap_or_default().log_bytes_written / stats.commits.max(1)) as usize;
        self.raw(bytes)?;
        let before = self.store.stats();
        let (mut raws, mut cairns) = (Vec::new(), Vec::new());
        for _ in 0..self.setting.pick(5, 1) {
            raws.push(self.raw(bytes)?);
            cairns.push(self.cairn()?);
        }
        let after = self.store.stats();
        let per_group =
            (after.commits - before.commits) as f64 / (after.groups - before.groups).max(1) as f64;
        let (raw, raw_run) = middle(&raws).context("no run of the raw log")?;
        let (cairn, cairn_run) = middle(&cairns).context("no run of cairn")?;
        let producers = self.producers;
        report.add(
            Figure::new(format!("share of raw log, {producers} producers"), cairn / raw, Unit::Ratio)
                .target(Target::AtLeast(share))
                .beside(format!("runs of cairn {}", range(&cairns))),
        );
        report.add(Figure::new(format!("cairn, {producers} producers"), cairn, Unit::PerSecond).beside(
            format!(
                "{}, {per_group:.1} commits per sync, {} waits for the applier",
                cairn_run.shown(),
                after.files.unwrap_or_default().backpressure - before.files.unwrap_or_default().backpressure
            ),
        ));
        report.add(
            Figure::new(format!("raw log, {producers} producers"), raw, Unit::PerSecond).beside(format!(
                "{}, {bytes} bytes per append, runs {}",
                raw_run.shown(),
                range(&raws)
            )),
        );
        self.store.close()?;
        Ok(())
    }

    fn raw(&self, bytes: usize) -> Result<Run> {
        let buffers: Vec<Vec<u8>> =
            (0..self.producers).map(|producer| Random::new(producer.into()).bytes(bytes)).collect();
        self.drive(&|producer, _| {
            self.raw.append(&buffers[producer as usize]);
            Ok(())
        })
    }

    fn cairn(&self) -> Result<Run> {
        let run = self.runs.fetch_add(1, Ordering::Relaxed);
        let done = self.drive(&|producer, count| {
            record::commit_one(&self.store, Name { run, producer, count })?;
            Ok(())
        });
        // What it left to its threads must not slow down the reference.
        settle(&self.store, &self.dir.path().join("store"))?;
        done
    }

    fn drive(&self, call: drive::Operation<'_>) -> Result<Run> {
        let (warm_up, measured) = self.setting.pick((500, 2000), (100, 300));
        drive::flat_out(self.producers, Duration::from_millis(warm_up), Duration::from_millis(measured), call)
    }
}

/// The median rate, and how the times of that run are spread.
fn middle(runs: &[Run]) -> Option<(f64, &Spread)> {
    let rate = median(runs.iter().map(|run| run.rate).collect());
    runs.iter().find(|run| run.rate.total_cmp(&rate).is_eq()).map(|run| (rate, &run.latency))
}

fn range(runs: &[Run]) -> String {
    let rates = || runs.iter().map(|run| run.rate);
    let (least, most) = (rates().fold(f64::INFINITY, f64::min), rates().fold(0.0, f64::max));
    format!("{least:.0}-{most:.0}/s")
}
