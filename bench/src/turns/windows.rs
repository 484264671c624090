//! The newest turns of contexts, with their payloads.

use std::time::Duration;

use anyhow::{Result, ensure};

use super::load::{Framing, Load, Span, Talk};
use super::million::fill;
use super::server::Server;
use super::wire;
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::scratch::Scratch;
use crate::spread::median;

const LIMIT: u32 = 64;
const CONNECTIONS: usize = 8;
const HOT_CONTEXTS: u64 = 64;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "windows")?;
    // More than any cache of ours holds, and every context is read once only.
    let contexts = setting.pick(6000, 100);
    let server = Server::start(dir.path())?;
    fill(&server, contexts, contexts * 80)?;
    server.stop()?;

    let mut cold = Vec::new();
    for _ in 0..setting.pick(3, 1) {
        let server = Server::start(dir.path())?;
        let mut load = Load::connect(server.addr, CONNECTIONS, Framing::Binary)?;
        let mut talk = Windows { contexts: 1..contexts + 1, again: false, next: 1 };
        cold.push(load.run(Span::WHOLE, &mut talk)?);
        server.stop()?;
    }
    let rate = median(cold.iter().map(|run| run.rate).collect());
    report.add(
        Figure::new("contexts in no cache of ours", rate, Unit::PerSecond)
            .target(Target::AtLeast(1000.0))
            .beside(format!("{}; {contexts} contexts after a start, each once", cold[0].latency.shown())),
    );

    let server = Server::start(dir.path())?;
    let mut load = Load::connect(server.addr, CONNECTIONS, Framing::Binary)?;
    let span = Span { warm_up: Duration::from_secs(1), measured: Duration::from_secs(setting.pick(5, 1)) };
    let mut hot = Vec::new();
    for _ in 0..setting.pick(3, 1) {
        let mut talk = Windows { contexts: 1..HOT_CONTEXTS + 1, again: true, next: 1 };
        hot.push(load.run(span, &mut talk)?);
    }
    let rate = median(hot.iter().map(|run| run.rate).collect());
    report.add(
        Figure::new("hot contexts", rate, Unit::PerSecond)
            .target(Target::AtLeast(3000.0))
            .beside(format!("{}; {HOT_CONTEXTS} contexts in turn", hot[0].latency.shown())),
    );
    server.stop()
}

/// Asks for windows of one context after the other.
struct Windows {
    contexts: std::ops::Range<u64>,
    again: bool,
    next: u64,
}

impl Talk for Windows {
    fn ask(&mut self, _: usize, out: &mut Vec<u8>) -> bool {
        if !self.contexts.contains(&self.next) {
            if !self.again {
                return false;
            }
            self.next = self.contexts.start;
        }
        // Far apart, so that neighbours in the log are not neighbours in time.
        wire::last(out, self.next, LIMIT);
        self.next += 1;
        true
    }

    fn hear(&mut self, _: usize, answer: &[u8]) -> Result<()> {
        let body = wire::body(answer, 6)?;
        let count = wire::u32_at(body, 0)?;
        ensure!(count == LIMIT, "a window of {count} turns");
        ensure!(body.len() > LIMIT as usize * wire::PAYLOAD_BYTES, "a window of {} bytes", body.len());
        Ok(())
    }
}
