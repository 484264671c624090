//! One long chain: forks of it, and turns anywhere in it.

use std::time::Duration;

use anyhow::{Result, ensure};

use super::load::{Framing, Load, Span, Talk};
use super::million::fill;
use super::server::Server;
use super::wire;
use crate::drive;
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::random::Random;
use crate::scratch::Scratch;
use crate::store::raw_log::RawLog;

const SPAN: Span = Span { warm_up: Duration::from_millis(500), measured: Duration::from_secs(3) };

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "deep")?;
    let turns = setting.pick(1_000_000, 20_000);
    let server = Server::start(&dir.path().join("store"))?;
    fill(&server, 1, turns)?;
    let mut load = Load::connect(server.addr, 1, Framing::Binary)?;
    let depths = load.run(SPAN, &mut Depths { depths: turns, random: Random::new(5), asked: 0 })?;
    report.add(
        Figure::new("a turn at any depth, p50", depths.latency.quantile_ms(0.5), Unit::Millis)
            .target(Target::Below(1.0))
            .beside(format!(
                "p99 {:.3} ms, the longest {:.2} ms",
                depths.latency.quantile_ms(0.99),
                depths.latency.max_ms()
            )),
    );
    let raw = RawLog::create(&dir.path().join("raw"))?;
    let raw = drive::flat_out(1, SPAN.warm_up, SPAN.measured, &|_, _| {
        raw.append(&[0; 256]);
        Ok(())
    })?;
    let forks = load.run(SPAN, &mut Forks { turns, random: Random::new(6) })?;
    report.add(
        Figure::new("a fork, p50", forks.latency.quantile_ms(0.5), Unit::Millis)
            .target(Target::Below(1.0))
            .beside(format!(
                "p99 {:.2} ms; a raw sync {}",
                forks.latency.quantile_ms(0.99),
                raw.latency.shown()
            )),
    );
    server.stop()
}

struct Depths {
    depths: u64,
    random: Random,
    asked: u32,
}

impl Talk for Depths {
    fn ask(&mut self, _: usize, out: &mut Vec<u8>) -> bool {
        self.asked = self.random.below(self.depths) as u32;
        wire::at_depth(out, 1, self.asked);
        true
    }

    fn hear(&mut self, _: usize, answer: &[u8]) -> Result<()> {
        let body = wire::body(answer, 8)?;
        let depth = wire::u32_at(body, 20)?;
        ensure!(depth == self.asked, "depth {depth} instead of {}", self.asked);
        Ok(())
    }
}

struct Forks {
    turns: u64,
    random: Random,
}

impl Talk for Forks {
    fn ask(&mut self, _: usize, out: &mut Vec<u8>) -> bool {
        wire::create(out, 1 + self.random.below(self.turns));
        true
    }

    fn hear(&mut self, _: usize, answer: &[u8]) -> Result<()> {
        wire::body(answer, 3).map(drop)
    }
}
