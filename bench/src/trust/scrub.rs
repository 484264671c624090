//! Background verification: the rate it reaches when nothing holds it back, and the processor time that it
//! costs appends at its default rate.

use std::num::NonZeroU64;
use std::path::Path;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use cairn_embedded::{EmbeddedOptions, EmbeddedStore};
use cairn_seam::{LocalStore, ScrubPolicy, Store};

use crate::figure::{Figure, Report, Target, Unit, mib};
use crate::measure::Setting;
use crate::scratch::Scratch;
use crate::spread::median;
use crate::store::record::{self, Name};
use crate::turns::load::{Framing, Load, Span};
use crate::turns::server::Server;
use crate::turns::writers::{Source, Writers};

const COST_PERCENT: f64 = 3.0;
const CONNECTIONS: usize = 64;
/// Records of one commit while the store is filled.
const BATCH: u64 = 64;
/// A pass takes no longer than this.
const PATIENCE: Duration = Duration::from_secs(600);

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    unthrottled(setting, report)?;
    cost(setting, report)
}

fn unthrottled(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "scrub-rate")?;
    let store = EmbeddedStore::open(dir.path(), EmbeddedOptions::default())?;
    fill(&store, setting.pick(1 << 30, 32 << 20))?;
    store.close()?;
    drop(store);
    let store = EmbeddedStore::open(dir.path(), EmbeddedOptions::default())?;
    let began = Instant::now();
    store.set_scrub(Some(ScrubPolicy { rate: NonZeroU64::MAX, every: Duration::from_secs(86_400) }));
    while store.scrub_status().passes == 0 {
        if began.elapsed() > PATIENCE {
            bail!("the pass does not end");
        }
        thread::sleep(Duration::from_millis(5));
    }
    let seconds = began.elapsed().as_secs_f64();
    let status = store.scrub_status();
    ensure!(status.found.total() == 0, "damage in a new store: {:?}", status.damage);
    let pass = status.last.context("a pass without a result")?;
    report.add(
        Figure::new("rate without a bound", pass.bytes as f64 / 1e6 / seconds, Unit::MegabytesPerSecond)
            .beside(format!("{:.0} MiB in {} files, most of them cached", mib(pass.bytes), pass.files)),
    );
    store.close()?;
    Ok(())
}

fn fill(store: &EmbeddedStore, bytes: u64) -> Result<()> {
    let mut count = 0;
    while store.stats().files.unwrap_or_default().log_bytes < bytes {
        let names = (count..count + BATCH).map(|count| Name { run: 0, producer: 0, count });
        record::commit(store, names.map(Name::record).collect())?;
        count += BATCH;
    }
    Ok(())
}

fn cost(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "scrub-cost")?;
    let mut bench = Bench::start(&dir.path().join("store"))?;
    let (warm_up, measured) = setting.pick((250, 4000), (100, 400));
    let span = Span { warm_up: Duration::from_millis(warm_up), measured: Duration::from_millis(measured) };
    // So that there is something to verify.
    bench.micros_per_append(false, Span { measured: 2 * span.measured, ..span })?;
    let (mut costs, mut off_us, mut on_us) = (Vec::new(), Vec::new(), Vec::new());
    for round in 0..setting.pick(10, 2) {
        let order = [round % 2 == 0, round % 2 == 1];
        let mut taken = [0.0; 2];
        for scrubs in order {
            taken[usize::from(scrubs)] = bench.micros_per_append(scrubs, span)?;
        }
        let [off, on] = taken;
        costs.push((on / off - 1.0) * 100.0);
        off_us.push(off);
        on_us.push(on);
    }
    costs.sort_unstable_by(f64::total_cmp);
    let (low, high) = (costs[costs.len() / 4], costs[costs.len() * 3 / 4]);
    report.add(
        Figure::new("processor time per append at the default rate, more by", median(costs.clone()), Unit::Percent)
            .target(Target::AtMost(COST_PERCENT))
            .beside(format!(
                "{:.1} against {:.1} µs, medians of {} rounds; half of the rounds {low:.1} to {high:.1} %; {} MiB/s",
                median(on_us),
                median(off_us),
                costs.len(),
                cairn_embedded::limits::SCRUB_RATE_DEFAULT >> 20,
            )),
    );
    bench.server.stop()
}

struct Bench {
    server: Server,
    writers: Writers,
    source: Source,
}

impl Bench {
    fn start(dir: &Path) -> Result<Self> {
        let server = Server::start(dir)?;
        let writers = Writers::new(Load::connect(server.addr, CONNECTIONS, Framing::Binary)?)?;
        Ok(Bench { server, writers, source: Source::new() })
    }

    /// What an append takes of the server's processors, everything that it does beside included.
    fn micros_per_append(&mut self, scrubs: bool, span: Span) -> Result<f64> {
        self.server.scrub(scrubs)?;
        let (before, first) = (self.server.processor_time()?, self.source.number);
        self.writers.run(span, &mut self.source)?;
        let spent = self.server.processor_time()? - before;
        Ok(spent.as_secs_f64() * 1e6 / (self.source.number - first).max(1) as f64)
    }
}
