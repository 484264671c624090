//! What the index does while others append.
//!
//! The server is a process of its own, wired as in the product; client, server, index and merges share the
//! cores. Payloads are the texts of this benchmark.

use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};

use super::million::Texts;
use super::words::Vocabulary;
use crate::figure::{Figure, Report, Target, Unit, shown};
use crate::measure::Setting;
use crate::scratch::Scratch;
use crate::spread::median;
use crate::turns::load::{Framing, Load, Span};
use crate::turns::server::Server;
use crate::turns::wire;

const CONNECTIONS: usize = 64;
const RATE: u32 = 5000;
const LOOK_EVERY: Duration = Duration::from_millis(100);
/// How long an index may take to hold everything.
const PATIENCE: Duration = Duration::from_secs(300);

pub(super) fn paced(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "follow")?;
    let vocabulary = Vocabulary::new();
    let mut writer = Writer::start(dir.path(), true, &vocabulary)?;
    let lasting = Duration::from_secs(setting.pick(60, 3));
    let is_over = AtomicBool::new(false);
    let Writer { server, load, texts } = &mut writer;
    let (latency, looks) = thread::scope(|scope| {
        let looking = scope.spawn(|| -> Result<Vec<u64>> {
            let mut looks = Vec::new();
            while !is_over.load(Ordering::Relaxed) {
                looks.push(server.search_status()?.1);
                thread::sleep(LOOK_EVERY);
            }
            Ok(looks)
        });
        let latency = load.paced(RATE, lasting, texts);
        is_over.store(true, Ordering::Relaxed);
        (latency, looking.join().expect("who looks does not panic"))
    });
    let (latency, mut looks) = (latency?, looks?);
    looks.sort_unstable();
    let at = |share: f64| looks[((looks.len() - 1) as f64 * share) as usize];
    let behind = at(1.0);
    let (caught_up, documents) = writer.catch_up()?;
    report.add(
        Figure::new("the index behind at 5,000 appends/s, at the most", behind as f64, Unit::Millis)
            .target(Target::Below(1000.0))
            .beside(format!(
                "p50 {} ms, p99 {} ms of {} looks; appends {}, p99.9 {:.0} ms, the longest {:.0} ms",
                at(0.5),
                at(0.99),
                looks.len(),
                latency.shown(),
                latency.quantile_ms(0.999),
                latency.max_ms(),
            )),
    );
    ensure!(documents == writer.texts.next, "{documents} of {} turns are in the index", writer.texts.next);
    report.add(
        Figure::new("memory of the server, at the most", writer.server.memory_mib()?.1, Unit::Mebibytes)
            .beside(format!("{documents} turns; the rest was taken in after {caught_up:.2} s")),
    );
    writer.server.stop()
}

pub(super) fn saturated(setting: &Setting, report: &mut Report) -> Result<()> {
    let (with_dir, without_dir) =
        (Scratch::named(&setting.dir, "with")?, Scratch::named(&setting.dir, "without")?);
    let vocabulary = Vocabulary::new();
    let mut with = Writer::start(with_dir.path(), true, &vocabulary)?;
    let mut without = Writer::start(without_dir.path(), false, &vocabulary)?;
    let (warm_up, measured) = setting.pick((500, 4000), (100, 500));
    let span = Span { warm_up: Duration::from_millis(warm_up), measured: Duration::from_millis(measured) };
    let (mut fast, mut slow, mut shares) = (Vec::new(), Vec::new(), Vec::new());
    let (mut behind, mut caught_up) = (Vec::new(), Vec::new());
    for round in 0..setting.pick(5, 3) {
        let mut rates = [0.0; 2];
        for turn in 0..2 {
            let is_searching = (round + turn) % 2 == 0;
            let writer = if is_searching { &mut with } else { &mut without };
            rates[usize::from(is_searching)] = writer.load.run(span, &mut writer.texts)?.rate;
            if is_searching {
                behind.push(writer.server.search_status()?.1 as f64 / 1000.0);
                caught_up.push(writer.catch_up()?.0);
            }
        }
        fast.push(rates[0]);
        slow.push(rates[1]);
        shares.push(rates[1] / rates[0]);
    }
    let listed: Vec<_> = shares.iter().map(|share| format!("{share:.2}")).collect();
    report.add(
        Figure::new("appends over 64 connections with an index, as a share", median(shares), Unit::Ratio)
            .target(Target::AtLeast(0.5))
            .beside(format!(
                "{} against {}; rounds {}; the index {:.1} s behind in the end, and up to date {:.1} s later",
                shown(median(slow), Unit::PerSecond),
                shown(median(fast), Unit::PerSecond),
                listed.join(", "),
                median(behind),
                median(caught_up),
            )),
    );
    let (own, other) = (with.server.memory_mib()?.1, without.server.memory_mib()?.1);
    report.add(
        Figure::new("memory of the server with an index, at the most", own, Unit::Mebibytes)
            .beside(format!("{other:.0} MiB without; {} and {} turns", with.texts.next, without.texts.next)),
    );
    with.server.stop()?;
    without.server.stop()
}

/// A server and whoever appends to it.
struct Writer<'a> {
    server: Server,
    load: Load,
    texts: Texts<'a>,
}

impl<'a> Writer<'a> {
    fn start(dir: &Path, is_searching: bool, vocabulary: &'a Vocabulary) -> Result<Self> {
        let server = if is_searching { Server::start_searching(dir)? } else { Server::start(dir)? };
        let mut load = Load::connect(server.addr, CONNECTIONS, Framing::Binary)?;
        for _ in 0..CONNECTIONS {
            wire::body(&load.call(|out| wire::create(out, 0))?, 2)?;
        }
        let texts = Texts { contexts: CONNECTIONS as u64, turns: None, next: 0, text_bytes: 0, vocabulary };
        Ok(Writer { server, load, texts })
    }

    /// Waits until the index holds everything: the seconds that took, and its documents.
    fn catch_up(&mut self) -> Result<(f64, u64)> {
        let began = Instant::now();
        loop {
            let (state, behind_ms, documents) = self.server.search_status()?;
            if state == "ready" && behind_ms == 0 {
                return Ok((began.elapsed().as_secs_f64(), documents));
            }
            ensure!(began.elapsed() < PATIENCE, "the index is {state}, and {behind_ms} ms behind");
            thread::sleep(Duration::from_millis(5));
        }
    }
}
