//! Pages of turns as their types have them.

use std::time::Duration;

use anyhow::{Result, ensure};

use super::bare::Answers;
use super::{body, get, send};
use crate::figure::{Figure, Report, Target, Unit};
use crate::host::Ticks;
use crate::measure::Setting;
use crate::scratch::Scratch;
use crate::spread::{Spread, median};
use crate::timer;
use crate::turns::load::{Framing, Load, Span, Talk};
use crate::turns::million::fill;
use crate::turns::server::Server;

const CONTEXTS: u64 = 64;
const TURNS: u64 = 80;
const LIMIT: usize = 64;
/// What the turns of the benchmark are.
const BUNDLE: &str = r#"{"registry_version":1,"bundle_id":"bench","types":{"com.example.Message":{"versions":{
    "1":{"fields":{"1":{"name":"text","type":"string"}}}}}}}"#;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "typed")?;
    let server = Server::start(dir.path())?;
    fill(&server, CONTEXTS, CONTEXTS * TURNS)?;
    let mut load = Load::connect(server.http, 8, Framing::Http)?;
    let published = load.call(|out| {
        send("PUT /v1/registry/bundles/bench", "application/json", BUNDLE.as_bytes(), out);
    })?;
    body(&published)?;

    let seconds = setting.pick(5, 1);
    let span = Span { warm_up: Duration::from_secs(1), measured: Duration::from_secs(seconds) };
    let before = server.processor_time()?;
    let mut runs = Vec::new();
    let mut pages = Pages::default();
    for _ in 0..setting.pick(3, 1) {
        runs.push(load.run(span, &mut pages)?);
    }
    let spent = server.processor_time()? - before;
    let rate = median(runs.iter().map(|run| run.rate).collect());
    report.add(
        Figure::new("64 turns, typed, 8 connections", rate, Unit::PerSecond)
            .target(Target::AtLeast(2500.0))
            .beside(format!(
                "{}; {:.0} µs of the server each",
                runs[0].latency.shown(),
                spent.as_secs_f64() * 1e6 / pages.next as f64
            )),
    );
    let busy_us = (spent.as_secs_f64() * 1e6 / pages.next as f64) as u64;
    paced(setting, &server, Answers { busy_us, bytes: pages.bytes }, report)?;
    server.stop()
}

/// A steady pace, in turns with a server that only does the same work: whatever the machine does to
/// somebody who waits, it does to both. The middle of the rounds is what counts, because one pause of the
/// host is in the slowest hundredth of its own round only; the worst rounds are shown beside it.
fn paced(setting: &Setting, server: &Server, answers: Answers, report: &mut Report) -> Result<()> {
    let bare = Server::start_bare(answers)?;
    let doors = [server.http, bare.http];
    let lasting = Duration::from_secs(setting.pick(10, 1));
    let mut times = [Vec::new(), Vec::new()];
    let mut taken = [Vec::new(), Vec::new()];
    for round in 0..setting.pick(7, 2) {
        for turn in 0..2 {
            let who = (round + turn) % 2;
            // Anew: connections that say nothing for long are closed.
            let mut load = Load::connect(doors[who], 64, Framing::Http)?;
            let before = Ticks::now();
            times[who].push(load.paced(1000, lasting, &mut Pages::default())?);
            taken[who].push(before.and_then(Ticks::taken_since).unwrap_or(0.0));
        }
    }
    bare.stop()?;
    // Whoever waits is woken late by a busy host: what that comes to without any of this.
    let alone = timer::lateness(lasting);
    let p99s = |of: &[Spread]| -> Vec<f64> { of.iter().map(|round| round.quantile_ms(0.99)).collect() };
    let [own_p99s, bare_p99s] = [p99s(&times[0]), p99s(&times[1])];
    let [own, bare] = times.map(Spread::together);
    report.add(
        Figure::new("the same at 1,000 requests/s over 64, p99", median(own_p99s.clone()), Unit::Millis)
            .target(Target::Below(20.0))
            .beside(format!(
                "p50 {:.2} ms, p99 of the rounds (and what the host took of each) {}, the longest {:.0} ms; in turns with a server that answers as \
                 many bytes after {} µs of arithmetic and does nothing else: p50 {:.2}, p99 of the rounds {}, the \
                 longest {:.0} ms; a timer of 1 ms with nothing else running: p99 {:.0} ms",
                own.quantile_ms(0.5),
                listed(&own_p99s, &taken[0]),
                own.max_ms(),
                answers.busy_us,
                bare.quantile_ms(0.5),
                listed(&bare_p99s, &taken[1]),
                bare.max_ms(),
                alone.quantile_ms(0.99),
            )),
    );
    Ok(())
}

/// Times of rounds from the least to the greatest, each with what the host took of that round.
fn listed(times: &[f64], taken: &[f64]) -> String {
    let mut rounds: Vec<(f64, f64)> = times.iter().copied().zip(taken.iter().copied()).collect();
    rounds.sort_unstable_by(|a, b| a.0.total_cmp(&b.0));
    let texts: Vec<String> = rounds.iter().map(|(time, taken)| format!("{time:.1} ({taken:.0} %)")).collect();
    texts.join(" ")
}

/// Asks for the newest turns of one context after the other.
#[derive(Default)]
struct Pages {
    next: u64,
    /// How long the last answer was.
    bytes: usize,
}

impl Talk for Pages {
    fn ask(&mut self, _: usize, out: &mut Vec<u8>) -> bool {
        get(&format!("/v1/contexts/{}/turns?limit={LIMIT}", 1 + self.next % CONTEXTS), out);
        self.next += 1;
        true
    }

    fn hear(&mut self, _: usize, answer: &[u8]) -> Result<()> {
        self.bytes = body(answer)?.len();
        ensure!(self.bytes > LIMIT * 1024, "a page of {} bytes", self.bytes);
        Ok(())
    }
}
