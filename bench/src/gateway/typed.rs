//! Pages of turns as their types have them.

use std::time::Duration;

use anyhow::{Result, ensure};

use super::{body, get, send};
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::scratch::Scratch;
use crate::spread::median;
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
    let mut pages = Pages { next: 0 };
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
    let mut load = Load::connect(server.http, 64, Framing::Http)?;
    let lasting = Duration::from_secs(setting.pick(60, 2));
    let paced = load.paced(1000, lasting, &mut Pages { next: 0 })?;
    // Whoever waits is woken late by a busy host: what that comes to without any of this.
    let alone = timer::lateness(lasting / 3);
    report.add(
        Figure::new("the same at 1,000 requests/s over 64, p99", paced.quantile_ms(0.99), Unit::Millis)
            .target(Target::Below(20.0))
            .beside(format!(
                "p50 {:.2} ms, the longest {:.0} ms; a timer of 1 ms with nothing else running: p99 {:.0} ms",
                paced.quantile_ms(0.5),
                paced.max_ms(),
                alone.quantile_ms(0.99),
            )),
    );
    server.stop()
}

/// Asks for the newest turns of one context after the other.
struct Pages {
    next: u64,
}

impl Talk for Pages {
    fn ask(&mut self, _: usize, out: &mut Vec<u8>) -> bool {
        get(&format!("/v1/contexts/{}/turns?limit={LIMIT}", 1 + self.next % CONTEXTS), out);
        self.next += 1;
        true
    }

    fn hear(&mut self, _: usize, answer: &[u8]) -> Result<()> {
        let body = body(answer)?;
        ensure!(body.len() > LIMIT * 1024, "a page of {} bytes", body.len());
        Ok(())
    }
}
