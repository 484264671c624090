//! Reading one branch: by id, by relationships, by words, and how much is covered.

use std::time::Instant;

use anyhow::{Result, ensure};
use cairn_kb::tools::{CoverageInput, Direction, GraphInput, QueryInput, SearchInput};

use super::open::{Kb, MAIN, target};
use super::{Size, sizes, synthetic};
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::random::Random;
use crate::scratch::Scratch;
use crate::spread::Spread;

pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    sizes(setting).into_iter().try_for_each(|size| of_size(setting, size, report))
}

fn of_size(setting: &Setting, size: Size, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "kb")?;
    let kb = Kb::filled(dir.path(), size)?;
    let status = kb.status(MAIN)?;
    report.add(
        Figure::new(format!("entities of the branch of {}", size.name), status.entities as f64, Unit::Count)
            .beside(format!("{} relationships", status.relationships)),
    );
    let last = (size.entities * 16 / 100) as u64;
    let ids: Vec<String> = (1..=last).map(|number| format!("REQ-{number:06}")).collect();
    let mut random = Random::new(1);
    let mut id = || ids[random.below(last) as usize].clone();

    let queried = timed(setting.pick(2_000, 20), |_| {
        let input = QueryInput { id: Some(id()), ..QueryInput::default() };
        let found = kb.engine.kb_query(&kb.owner, &target(MAIN), &input)?;
        ensure!(found.count == 1, "{input:?} is not found");
        Ok(())
    })?;
    add(report, size, "kb_query by id, p50", &queried, Some(0.2));

    let mut reached = Vec::new();
    let walked = timed(setting.pick(500, 20), |_| {
        let input = GraphInput {
            seed_ids: vec![id()],
            direction: Direction::Both,
            depth: Some(3),
            ..GraphInput::default()
        };
        let found = kb.engine.kb_graph(&kb.owner, &target(MAIN), &input)?;
        reached.push((found.nodes.len(), found.edges.len()));
        Ok(())
    })?;
    reached.sort_unstable();
    let (nodes, edges) = reached[reached.len() / 2];
    report.add(
        figure(size, "kb_graph of depth 3, both directions, p50", &walked, Some(5.0))
            .beside(format!("{}; {nodes} entities and {edges} relationships in the middle", walked.shown())),
    );

    search(setting, size, &kb, report)?;

    let covered = timed(setting.pick(50, 3), |_| {
        let found = kb.engine.kb_coverage(&kb.owner, &target(MAIN), &CoverageInput::default())?;
        ensure!(found.summary.total > 0, "nothing is covered or uncovered");
        Ok(())
    })?;
    add(report, size, "kb_coverage by requirement, p50", &covered, size.is_small.then_some(30.0));
    kb.close()
}

fn search(setting: &Setting, size: Size, kb: &Kb, report: &mut Report) -> Result<()> {
    let count = setting.pick(300, 10);
    let ask = |query: String| {
        let input = SearchInput { query, ..SearchInput::default() };
        let found = kb.engine.kb_search(&kb.owner, &target(MAIN), &input)?;
        ensure!(
            found.count > 0 && !found.behind,
            "{input:?} finds {} (behind: {})",
            found.count,
            found.behind
        );
        Ok(())
    };
    let two_words = timed(count, |at| {
        // Two words of a body, so that there is one at least that holds both.
        let body = synthetic::body(1 + 37 * at % (size.entities as u64 / 2));
        let mut words = body.split(' ');
        let words = [words.next().unwrap_or_default(), words.next().unwrap_or_default()];
        ask(words.join(" "))
    })?;
    add(report, size, "kb_search of two words, p50", &two_words, Some(10.0));
    let common = timed(count, |_| ask("number".into()))?;
    add(report, size, "kb_search of a word that every title has, p50", &common, Some(10.0));
    let ids = timed(count, |at| ask(format!("REQ-{:06}", 1 + at)))?;
    add(report, size, "kb_search of an id, p50", &ids, Some(10.0));
    Ok(())
}

fn timed(count: u64, mut work: impl FnMut(u64) -> Result<()>) -> Result<Spread> {
    // These warm up.
    for at in 0..count.div_ceil(10) {
        work(at)?;
    }
    let mut times = Vec::new();
    for at in 0..count {
        let began = Instant::now();
        work(at)?;
        times.push(began.elapsed());
    }
    Ok(Spread::new(times))
}

fn figure(size: Size, name: &str, times: &Spread, below: Option<f64>) -> Figure {
    let figure = Figure::new(format!("{name}, {} entities", size.name), times.quantile_ms(0.5), Unit::Millis);
    match below {
        Some(below) => figure.target(Target::Below(below)),
        None => figure,
    }
}

fn add(report: &mut Report, size: Size, name: &str, times: &Spread, below: Option<f64>) {
    report.add(figure(size, name, times, below).beside(format!(
        "p50 {:.3} ms, p99 {:.3} ms",
        times.quantile_ms(0.5),
        times.quantile_ms(0.99)
    )));
}
