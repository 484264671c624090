//! 10,000 concepts and 50,000 propositions, beside what the reference engine needs on the same machine.

use anyhow::{Result, ensure};
use cairn_base::Value;

use super::graph::Graph;
use super::questions::{QUESTIONS, Starts};
use super::rounds::{ask_in_turns, ours, starts_count};
use super::upserts;
use super::workload::{Proposition, Size};
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::scratch::Scratch;

/// How large the graph is that the reference engine was measured with.
const SIZE: Size = Size { concepts: 10_000, propositions: 50_000 };

/// What the reference engine needs for one concept and one link, in milliseconds.
const UPSERT_REFERENCE_MS: f64 = 76.0;

/// Loads the graph, asks everything, and writes.
pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "graph")?;
    let graph = Graph::create(dir.path())?;
    let size = setting.pick(SIZE, Size { concepts: 1000, propositions: 5000 });
    let loaded = graph.load(size)?;
    report.add(
        Figure::new("load", loaded.elements as f64 / loaded.took.as_secs_f64(), Unit::PerSecond)
            .target(Target::AtLeast(1000.0))
            .beside(format!(
                "the reference engine, which does not sync: 1,000/s; {} elements by UPSERT text, each command \
                 durable; all found by their words after {:.1} s",
                loaded.elements,
                loaded.found_after.as_secs_f64()
            )),
    );
    counts_are_right(&graph, size)?;
    for question in QUESTIONS {
        let starts = Starts::of(question, size, starts_count(question, setting));
        let took = ask_in_turns(question, setting, vec![ours(&graph, question, &starts)])?;
        for took in &took {
            let figure = Figure::new(question.name, took.spread.quantile_ms(0.5), Unit::Millis);
            report.add(match question.reference_ms {
                None => figure.beside(took.shown()),
                Some(reference) => figure
                    .target(Target::Below(reference))
                    .beside(format!("the reference engine {reference} ms; {}", took.shown())),
            });
        }
    }
    let times = upserts::ours(&graph, setting)?;
    report.add(
        Figure::new("upsert of one concept and one link", times.quantile_ms(0.5), Unit::Millis)
            .target(Target::Below(UPSERT_REFERENCE_MS))
            .beside(format!(
                "the reference engine, which does not sync: {UPSERT_REFERENCE_MS} ms; p99 {:.2} ms",
                times.quantile_ms(0.99)
            )),
    );
    graph.close()
}

/// What is there is what was loaded.
pub(super) fn counts_are_right(graph: &Graph, size: Size) -> Result<()> {
    let alphas = graph.ask("FIND(COUNT(?n)) WHERE { ?n {type: \"Alpha\"} }", &[])?;
    ensure!(alphas == Value::from(size.concepts / 4), "{} concepts of one type", alphas.to_json());
    let mut drawn: Vec<_> = (0..size.propositions)
        .map(|number| Proposition::new(number, size.concepts))
        .filter(|proposition| proposition.predicate == "part_of")
        .map(|proposition| (proposition.subject, proposition.object))
        .collect();
    drawn.sort_unstable();
    drawn.dedup();
    let links = graph.ask("FIND(COUNT(?link)) WHERE { ?link (?a, \"part_of\", ?b) }", &[])?;
    ensure!(links == Value::from(drawn.len() as u64), "{} links of one predicate", links.to_json());
    Ok(())
}
