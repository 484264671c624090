//! Writing one concept and one link, each command durable.

use std::time::{Duration, Instant};

use anyhow::Result;

use super::graph::Graph;
use super::rdf::Rdf;
use super::workload::named;
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::random::Random;
use crate::scratch::Scratch;
use crate::spread::Spread;
use crate::store::raw_log::RawLog;

/// How much longer than a raw append and sync it may take, in milliseconds.
const ABOVE_RAW_MS: f64 = 0.3;
/// The concept that new ones link to.
const TARGET: u64 = 3;

/// One upsert after the other.
pub(super) fn ours(graph: &Graph, setting: &Setting) -> Result<Spread> {
    let times = (0..setting.pick(500, 20)).map(|number| timed(|| upsert(graph, number)));
    Ok(Spread::new(times.collect::<Result<_>>()?))
}

/// In turns: a raw append of as many bytes, ours, and one by oxigraph.
pub(super) fn run(graph: &Graph, rdf: Option<&Rdf>, setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "raw")?;
    let raw = RawLog::create(&dir.path().join("log"))?;
    // What a commit has to write; these also warm up.
    let (first, before) = (50, graph.log_bytes()?);
    for number in 0..first {
        upsert(graph, number)?;
    }
    let bytes = Random::new(1).bytes(((graph.log_bytes()? - before) / first) as usize);
    let target = named(TARGET);
    let (mut raws, mut ours, mut theirs) = (Vec::new(), Vec::new(), Vec::new());
    for number in first..first + setting.pick(1000, 20) {
        raws.push(timed(|| {
            raw.append(&bytes);
            Ok(())
        })?);
        ours.push(timed(|| upsert(graph, number))?);
        if let Some(rdf) = rdf {
            theirs.push(timed(|| rdf.upsert(number, &target))?);
        }
    }
    let (raws, ours, theirs) = (Spread::new(raws), Spread::new(ours), Spread::new(theirs));
    let other = match rdf {
        Some(_) => format!("; oxigraph, which does not sync, {}", theirs.shown()),
        None => String::new(),
    };
    report.add(
        Figure::new(
            "upsert of one concept and one link, p50 beyond a raw sync",
            ours.quantile_ms(0.5) - raws.quantile_ms(0.5),
            Unit::Millis,
        )
        .target(Target::AtMost(ABOVE_RAW_MS))
        .beside(format!(
            "{}; raw append of {} bytes {}{other}",
            ours.shown(),
            bytes.len(),
            raws.shown()
        )),
    );
    Ok(())
}

fn upsert(graph: &Graph, number: u64) -> Result<()> {
    let (kind, target) = named(TARGET);
    let text = format!(
        "UPSERT {{ CONCEPT {{ {{type: \"Alpha\", name: \"new {number}\"}} SET ATTRIBUTES {{ score: {number} }} \
         SET PROPOSITIONS {{ (\"links_to\", {{type: \"{kind}\", name: \"{target}\"}}) }} }} }}"
    );
    graph.ask(&text, &[]).map(drop)
}

fn timed(work: impl FnOnce() -> Result<()>) -> Result<Duration> {
    let began = Instant::now();
    work()?;
    Ok(began.elapsed())
}
