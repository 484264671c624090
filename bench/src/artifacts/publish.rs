//! Publishing over HTTP. Payloads are signed before the clock starts; everything acknowledged is durable, and taken into
//! the search index meanwhile.

use std::time::Duration;

use anyhow::{Result, ensure};
use cairn_artifacts::ArtifactId;
use cairn_base::SystemEntropy;

use super::author::{Author, Draft};
use crate::drive::{self, Run};
use crate::figure::{Figure, Report, Target, Unit};
use crate::gateway::{body, send};
use crate::measure::Setting;
use crate::random::Random;
use crate::scratch::Scratch;
use crate::search::words::Vocabulary;
use crate::spread::median;
use crate::store::raw_log::RawLog;
use crate::turns::load::{Framing, Load, Span, Talk};
use crate::turns::server::Server;

const CLIENTS: usize = 16;
const RATE: f64 = 3000.0;
/// How much longer than a raw sync a publish of one client may take, in milliseconds.
const ABOVE_RAW_MS: f64 = 1.0;
const CONTENT_BYTES: usize = 1024;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "publish")?;
    let raw = RawLog::create(&dir.path().join("raw"))?;
    let bytes = Random::new(1).bytes(CONTENT_BYTES);
    let server = Server::start_searching(&dir.path().join("store"))?;
    let author = Author::new();
    let (warm_up, measured) = setting.pick((500, 2000), (100, 300));
    let span = Span { warm_up: Duration::from_millis(warm_up), measured: Duration::from_millis(measured) };
    let (mut raws, mut alone, mut many) = (Vec::new(), Vec::new(), Vec::new());
    let mut spent = Duration::ZERO;
    let mut published = 0;
    for _ in 0..setting.pick(5, 1) {
        raws.push(drive::flat_out(1, span.warm_up, span.measured, &|_, _| {
            raw.append(&bytes);
            Ok(())
        })?);
        // More than can be published in the time, so that nothing is signed while the clock runs.
        let mut bodies = Bodies::signed(&author, setting.pick(8_000, 800))?;
        alone.push(Load::connect(server.http, 1, Framing::Http)?.run(span, &mut bodies)?);
        let mut bodies = Bodies::signed(&author, setting.pick(40_000, 4_000))?;
        let before = server.processor_time()?;
        many.push(Load::connect(server.http, CLIENTS, Framing::Http)?.run(span, &mut bodies)?);
        spent += server.processor_time()? - before;
        published += bodies.next;
    }
    let p50 = |runs: &[Run]| median(runs.iter().map(|run| run.latency.quantile_ms(0.5)).collect());
    report.add(
        Figure::new("1 client, p50 beyond a raw sync", p50(&alone) - p50(&raws), Unit::Millis)
            .target(Target::AtMost(ABOVE_RAW_MS))
            .beside(format!("p50 {:.3} ms, raw {:.3} ms", p50(&alone), p50(&raws))),
    );
    let rates: Vec<f64> = many.iter().map(|run| run.rate).collect();
    let all: Vec<String> = rates.iter().map(|rate| format!("{rate:.0}")).collect();
    report.add(
        Figure::new("16 clients", median(rates), Unit::PerSecond).target(Target::AtLeast(RATE)).beside(
            format!(
                "{}; runs {}; {:.0} µs of the server each",
                many[0].latency.shown(),
                all.join(", "),
                spent.as_secs_f64() * 1e6 / published as f64
            ),
        ),
    );
    server.stop()
}

/// Publishes one artifact after the other.
struct Bodies {
    bodies: Vec<Vec<u8>>,
    next: usize,
}

impl Bodies {
    fn signed(author: &Author, count: usize) -> Result<Self> {
        let (vocabulary, mut random) = (Vocabulary::new(), Random::new(7));
        let mut bodies = Vec::with_capacity(count);
        for number in 0..count {
            let mut content = vocabulary.words_of(&mut random, 200);
            content.truncate(CONTENT_BYTES);
            let id = ArtifactId::random(&SystemEntropy);
            let title = format!("Report {number}");
            let draft = Draft { id, title: &title, content: &content, visibility: "org", parents: &[] };
            bodies.push(author.body(&draft)?);
        }
        Ok(Bodies { bodies, next: 0 })
    }
}

impl Talk for Bodies {
    fn ask(&mut self, _: usize, out: &mut Vec<u8>) -> bool {
        let Some(body) = self.bodies.get(self.next) else { return false };
        send("POST /kcp/v1/artifacts", "application/json", body, out);
        self.next += 1;
        true
    }

    fn hear(&mut self, _: usize, answer: &[u8]) -> Result<()> {
        body(answer)?;
        ensure!(answer.starts_with(b"HTTP/1.1 201"), "it was published before");
        Ok(())
    }
}
