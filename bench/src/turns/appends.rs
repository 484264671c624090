//! Durable appends, strict request and answer.

use std::time::Duration;

use anyhow::{Context, Result};

use super::load::{Framing, Load, Span};
use super::server::{self, Server};
use super::wire;
use super::writers::{Source, Writers};
use crate::drive::{self, Run};
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::random::Random;
use crate::scratch::Scratch;
use crate::spread::median;
use crate::store::raw_log::RawLog;

/// How much longer than a raw sync an append over one connection may take, in milliseconds.
const ABOVE_RAW_MS: f64 = 0.3;
const RATE_64: f64 = 15_000.0;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "appends")?;
    let raw = RawLog::create(&dir.path().join("raw"))?;
    let bytes = Random::new(1).bytes(wire::PAYLOAD_BYTES);
    let (warm_up, measured) = setting.pick((500, 2000), (100, 300));
    let span = Span { warm_up: Duration::from_millis(warm_up), measured: Duration::from_millis(measured) };
    let mut bench = Bench::start(&dir.path().join("store"))?;
    let (mut raws, mut alone) = (Vec::new(), Vec::new());
    for _ in 0..setting.pick(5, 1) {
        raws.push(drive::flat_out(1, span.warm_up, span.measured, &|_, _| {
            raw.append(&bytes);
            Ok(())
        })?);
        alone.push(bench.appends(1, span)?.0);
    }
    let p50 = |runs: &[Run]| median(runs.iter().map(|run| run.latency.quantile_ms(0.5)).collect());
    report.add(
        Figure::new("1 connection, p50 beyond a raw sync", p50(&alone) - p50(&raws), Unit::Millis)
            .target(Target::AtMost(ABOVE_RAW_MS))
            .beside(format!("p50 {:.3} ms, raw {:.3} ms", p50(&alone), p50(&raws))),
    );
    report.add(Figure::new(
        "1 connection",
        median(alone.iter().map(|run| run.rate).collect()),
        Unit::PerSecond,
    ));

    let span = Span { measured: 2 * span.measured, ..span };
    let mut runs = Vec::new();
    for _ in 0..setting.pick(5, 1) {
        runs.push(bench.appends(64, span)?);
    }
    let rate = median(runs.iter().map(|(run, _)| run.rate).collect());
    let (run, costs) = runs.iter().find(|(run, _)| run.rate.total_cmp(&rate).is_eq()).context("no run")?;
    let all: Vec<String> = runs.iter().map(|(run, _)| format!("{:.0}", run.rate)).collect();
    report.add(
        Figure::new("64 connections", rate, Unit::PerSecond)
            .target(Target::AtLeast(RATE_64))
            .beside(format!("{}; runs {}", run.latency.shown(), all.join(", "))),
    );
    report.add(
        Figure::new("processor time of the server per append", costs.server_us, Unit::Micros).beside(
            format!("{:.2} µs of the client; {:.1} appends per sync", costs.client_us, costs.per_sync),
        ),
    );
    bench.server.stop()
}

struct Bench {
    server: Server,
    source: Source,
}

struct Costs {
    server_us: f64,
    client_us: f64,
    per_sync: f64,
}

impl Bench {
    fn start(dir: &std::path::Path) -> Result<Self> {
        Ok(Bench { server: Server::start(dir)?, source: Source::new() })
    }

    fn appends(&mut self, connections: usize, span: Span) -> Result<(Run, Costs)> {
        let mut writers = Writers::new(Load::connect(self.server.addr, connections, Framing::Binary)?)?;
        let (server_before, client_before) = (self.server.processor_time()?, server::own_processor_time()?);
        let (commits, groups) = self.server.commits_and_groups()?;
        let first = self.source.number;
        let run = writers.run(span, &mut self.source)?;
        let count = (self.source.number - first) as f64;
        let (commits_after, groups_after) = self.server.commits_and_groups()?;
        let micros = |spent: Duration| spent.as_secs_f64() * 1e6 / count;
        let costs = Costs {
            server_us: micros(self.server.processor_time()? - server_before),
            client_us: micros(server::own_processor_time()? - client_before),
            per_sync: (commits_after - commits) as f64 / (groups_after - groups).max(1) as f64,
        };
        Ok((run, costs))
    }
}
