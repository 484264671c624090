//! Many HTTP clients that write at once: one small UPSERT after the other on each of 64 connections.
//!
//! Only HTTP is spoken, so that another build of `cairn` can be measured (`--program`); given several times,
//! the programs are measured in alternation, each on a data directory of its own. After each round the same
//! clients call `/healthz`, which shows what HTTP and the client alone cost.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::json;

use crate::drive::Run;
use crate::figure::{Figure, Report, Target, Unit};
use crate::gateway::{body, send};
use crate::measure::Setting;
use crate::scratch::Scratch;
use crate::spread::{Spread, median};
use crate::turns::load::{Framing, Load, Span, Talk};
use crate::turns::server::Server;

const CLIENTS: usize = 64;
/// Concepts that new ones link to.
const TARGETS: u64 = 1000;
/// Threads that may be blocked by so many clients.
const BLOCKED_MAX: f64 = 4.0;
/// How often the server is asked what its threads do.
const SAMPLED_EVERY: Duration = Duration::from_millis(20);

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let mut measured = Vec::new();
    for number in 0..setting.programs.len().max(1) {
        let dir = Scratch::named(&setting.dir, &format!("clients-{number}"))?;
        let program = setting.programs.get(number);
        let server = match program {
            Some(program) => Server::start_program(program, dir.path())?,
            None => Server::start(dir.path())?,
        };
        let name = program.map_or_else(|| "built here".to_owned(), |program| program.display().to_string());
        measured.push(Measured::new(name, server, dir)?);
    }
    for _ in 0..setting.pick(5, 1) {
        for measured in &mut measured {
            measured.round(setting)?;
        }
    }
    measured.into_iter().try_for_each(|measured| measured.report(report))
}

/// A server, and what was measured of it.
struct Measured {
    name: String,
    server: Server,
    upserts: Upserts,
    runs: Vec<Run>,
    /// Requests to a route that does nothing.
    bare: Vec<Run>,
    bare_spent: Duration,
    bare_asked: u64,
    /// The most threads that were blocked in queries and reads, and the most threads of the process.
    blocked: u64,
    threads: u64,
    spent: Duration,
    written: u64,
    _dir: Scratch,
}

impl Measured {
    fn new(name: String, server: Server, dir: Scratch) -> Result<Self> {
        define(server.http)?;
        Ok(Measured {
            name,
            server,
            upserts: Upserts { next: 0 },
            runs: Vec::new(),
            bare: Vec::new(),
            bare_spent: Duration::ZERO,
            bare_asked: 0,
            blocked: 0,
            threads: 0,
            spent: Duration::ZERO,
            written: 0,
            _dir: dir,
        })
    }

    fn round(&mut self, setting: &Setting) -> Result<()> {
        let measured = Duration::from_secs(setting.pick(5, 1));
        // Anew: a server closes connections that are idle while another one is measured.
        let mut load = Load::connect(self.server.http, CLIENTS, Framing::Http)?;
        let (before, first) = (self.server.processor_time()?, self.upserts.next);
        let is_over = AtomicBool::new(false);
        let (run, sampled) = thread::scope(|scope| {
            let sampler = scope.spawn(|| sample(&self.server, &is_over));
            let span = Span { warm_up: Duration::from_secs(1), measured };
            let run = load.run(span, &mut self.upserts);
            is_over.store(true, Ordering::Relaxed);
            (run, sampler.join().expect("a sampler does not panic"))
        });
        let (blocked, threads) = sampled?;
        self.runs.push(run?);
        self.blocked = self.blocked.max(blocked);
        self.threads = self.threads.max(threads);
        self.spent += self.server.processor_time()? - before;
        self.written += self.upserts.next - first;
        let (before, mut nothing) = (self.server.processor_time()?, Nothing { asked: 0 });
        let span = Span { warm_up: Duration::from_millis(200), measured: Duration::from_secs(1) };
        self.bare.push(load.run(span, &mut nothing)?);
        self.bare_spent += self.server.processor_time()? - before;
        self.bare_asked += nothing.asked;
        Ok(())
    }

    fn report(self, report: &mut Report) -> Result<()> {
        let Measured { name, server, runs, blocked, threads, spent, written, .. } = self;
        let Measured { bare, bare_spent, bare_asked, .. } = self;
        let rates: Vec<f64> = runs.iter().map(|run| run.rate).collect();
        let shown = rates.iter().map(|rate| format!("{rate:.0}")).collect::<Vec<_>>().join(" ");
        let latency = Spread::together(runs.into_iter().map(|run| run.latency).collect());
        let each_us = spent.as_secs_f64() * 1e6 / written.max(1) as f64;
        report.add(
            Figure::new(format!("upserts of {CLIENTS} HTTP clients, {name}"), median(rates), Unit::PerSecond)
                .beside(format!("{}; {each_us:.0} µs of the server each; rounds {shown}", latency.shown())),
        );
        let bare_us = bare_spent.as_secs_f64() * 1e6 / bare_asked.max(1) as f64;
        let bare: Vec<f64> = bare.iter().map(|run| run.rate).collect();
        report.add(
            Figure::new(format!("requests that do nothing, {name}"), median(bare), Unit::PerSecond)
                .beside(format!("{bare_us:.0} µs of the server each")),
        );
        report.add(
            Figure::new(format!("threads blocked meanwhile, {name}"), blocked as f64, Unit::Count)
                .target(Target::AtMost(BLOCKED_MAX))
                .beside(format!("{threads} threads of the process at the most")),
        );
        if server.is_program() { Ok(()) } else { server.stop() }
    }
}

/// Asks again and again what the server's threads do: the most that were blocked, and the most there were.
fn sample(server: &Server, is_over: &AtomicBool) -> Result<(u64, u64)> {
    let (mut blocked, mut threads) = (0, 0);
    while !is_over.load(Ordering::Relaxed) {
        let metrics = metrics(server.http)?;
        let now = gauge(&metrics, "cairn_gate_queries")? + gauge(&metrics, "cairn_gate_reading")?;
        blocked = blocked.max(now);
        threads = threads.max(server.threads()?);
        thread::sleep(SAMPLED_EVERY);
    }
    Ok((blocked, threads))
}

fn metrics(http: SocketAddr) -> Result<String> {
    let mut stream = TcpStream::connect(http)?;
    stream.write_all(b"GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n")?;
    let mut text = String::new();
    stream.read_to_string(&mut text)?;
    Ok(text)
}

fn gauge(metrics: &str, name: &str) -> Result<u64> {
    let line = metrics.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    Ok(line.with_context(|| format!("no metric {name}"))?.trim().parse()?)
}

/// Registers types and predicates, and writes what new concepts link to.
fn define(http: SocketAddr) -> Result<()> {
    let mut load = Load::connect(http, 1, Framing::Http)?;
    let schema = "UPSERT { CONCEPT { {type: \"$ConceptType\", name: \"Alpha\"} } \
                  CONCEPT { {type: \"$PropositionType\", name: \"links_to\"} } }";
    let mut commands = vec![schema.to_owned()];
    for first in (0..TARGETS).step_by(100) {
        let blocks = (first..first + 100).map(|number| {
            format!("CONCEPT {{ {{type: \"Alpha\", name: \"old {number}\"}} SET ATTRIBUTES {{ score: {number} }} }} ")
        });
        commands.push(format!("UPSERT {{ {} }}", blocks.collect::<String>()));
    }
    for command in commands {
        heard(&load.call(|out| ask(&command, out))?)?;
    }
    Ok(())
}

fn ask(command: &str, out: &mut Vec<u8>) {
    let request = json!({ "command": command }).to_string();
    send("POST /v1/kip", "application/json", request.as_bytes(), out);
}

fn heard(answer: &[u8]) -> Result<()> {
    let answer = body(answer)?;
    ensure!(answer.starts_with(br#"{"result""#), "not a result: {}", String::from_utf8_lossy(answer));
    Ok(())
}

/// Writes a new concept each time, with an attribute and a link to one of the old ones.
struct Upserts {
    next: u64,
}

impl Talk for Upserts {
    fn ask(&mut self, _: usize, out: &mut Vec<u8>) -> bool {
        let (number, target) = (self.next, self.next * 7 % TARGETS);
        self.next += 1;
        let command = format!(
            "UPSERT {{ CONCEPT {{ {{type: \"Alpha\", name: \"new {number}\"}} SET ATTRIBUTES {{ score: {number} }} \
             SET PROPOSITIONS {{ (\"links_to\", {{type: \"Alpha\", name: \"old {target}\"}}) }} }} }}"
        );
        ask(&command, out);
        true
    }

    fn hear(&mut self, _: usize, answer: &[u8]) -> Result<()> {
        heard(answer)
    }
}

/// Asks whether the server is up.
struct Nothing {
    asked: u64,
}

impl Talk for Nothing {
    fn ask(&mut self, _: usize, out: &mut Vec<u8>) -> bool {
        self.asked += 1;
        out.clear();
        out.extend_from_slice(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n\r\n");
        true
    }

    fn hear(&mut self, _: usize, answer: &[u8]) -> Result<()> {
        body(answer).map(drop)
    }
}
