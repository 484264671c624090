//! What is asked, and how long the reference engine takes for it on the same machine.

use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use cairn_base::Value;

use super::graph::Graph;
use super::workload::{Proposition, Size, named};
use crate::figure::{Figure, Report, Target, Unit};
use crate::measure::Setting;
use crate::random::Random;
use crate::scratch::Scratch;
use crate::spread::Spread;

/// How large the graph is that the reference engine was measured with.
const SIZE: Size = Size { concepts: 10_000, propositions: 50_000 };

/// One query: where it starts, if somewhere, and what the reference engine needs.
struct Query {
    name: &'static str,
    text: &'static str,
    /// Whether it begins at a concept, which is then another one each time.
    begins: bool,
    reference_ms: Option<f64>,
    times: u64,
}

const fn query(
    name: &'static str,
    begins: bool,
    reference_ms: Option<f64>,
    times: u64,
    text: &'static str,
) -> Query {
    Query { name, text, begins, reference_ms, times }
}

const QUERIES: &[Query] = &[
    query("point", true, Some(0.41), 3000, "FIND(?n) WHERE { ?n {type: :type, name: :name} }"),
    query(
        "one hop",
        true,
        Some(1.8),
        3000,
        "FIND(?b.name) WHERE { ?a {type: :type, name: :name} (?a, \"links_to\", ?b) }",
    ),
    query(
        "two hops",
        true,
        Some(2.4),
        2000,
        "FIND(?c.name) WHERE { ?a {type: :type, name: :name} (?a, \"links_to\", ?b) (?b, \"links_to\", ?c) }",
    ),
    query(
        "path {1,3}",
        true,
        Some(2.6),
        1000,
        "FIND(?b.name) WHERE { ?a {type: :type, name: :name} (?a, \"links_to\"{1,3}, ?b) }",
    ),
    query(
        "triangle",
        true,
        None,
        1000,
        "FIND(?b.name, ?c.name) WHERE { ?a {type: :type, name: :name} (?a, \"links_to\", ?b) (?b, \"links_to\", ?c) \
         (?c, \"links_to\", ?a) }",
    ),
    query(
        "filter, order, 20",
        false,
        Some(37.0),
        100,
        "FIND(?n.name, ?n.attributes.score) WHERE { ?n {type: \"Alpha\"} FILTER(?n.attributes.score >= 5000 && \
         ?n.attributes.level == \"k3\") } ORDER BY ?n.attributes.score DESC LIMIT 20",
    ),
    query(
        "count and mean",
        false,
        None,
        100,
        "FIND(COUNT(?n), AVG(?n.attributes.score)) WHERE { ?n {type: \"Beta\"} }",
    ),
    query(
        "grouped count",
        false,
        Some(230.0),
        50,
        "FIND(?t.name, COUNT(?x)) WHERE { (?x, \"part_of\", ?t) } ORDER BY COUNT(?x) DESC LIMIT 20",
    ),
    query(
        "not",
        false,
        Some(98.0),
        50,
        "FIND(COUNT(?n)) WHERE { ?n {type: \"Beta\"} NOT { (?n, \"mentions\", ?x) } }",
    ),
    query("search", false, None, 500, "SEARCH CONCEPT \"baranba\" LIMIT 10"),
];

/// Loads the graph, asks everything, and writes.
pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "graph")?;
    let graph = Graph::open(dir.path())?;
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
    let mut random = Random::new(11);
    for query in QUERIES {
        let times = ask(&graph, query, size, setting.pick(query.times, query.times / 20), &mut random)?;
        let figure = Figure::new(query.name, times.quantile_ms(0.5), Unit::Millis);
        let p99 = format!("p99 {:.3} ms", times.quantile_ms(0.99));
        report.add(match query.reference_ms {
            None => figure.beside(p99),
            Some(reference) => figure
                .target(Target::Below(reference))
                .beside(format!("the reference engine {reference} ms; {p99}")),
        });
    }
    upserts(&graph, setting, report)?;
    graph.close()
}

fn ask(graph: &Graph, query: &Query, size: Size, times: u64, random: &mut Random) -> Result<Spread> {
    let mut measured = Vec::new();
    for number in 0..times + times / 5 {
        let (kind, name) = named(random.below(size.concepts));
        let parameters = [("type", kind), ("name", name.as_str())];
        let began = Instant::now();
        graph.ask(query.text, if query.begins { &parameters } else { &[] })?;
        // The first ones warm up.
        if number >= times / 5 {
            measured.push(began.elapsed());
        }
    }
    Ok(Spread::new(measured))
}

/// One concept and one link, each command durable.
fn upserts(graph: &Graph, setting: &Setting, report: &mut Report) -> Result<()> {
    let mut times: Vec<Duration> = Vec::new();
    let (kind, target) = named(3);
    for number in 0..setting.pick(500, 20) {
        let text = format!(
            "UPSERT {{ CONCEPT {{ {{type: \"Alpha\", name: \"new {number}\"}} SET ATTRIBUTES {{ score: {number} }} \
             SET PROPOSITIONS {{ (\"links_to\", {{type: \"{kind}\", name: \"{target}\"}}) }} }} }}"
        );
        let began = Instant::now();
        graph.ask(&text, &[])?;
        times.push(began.elapsed());
    }
    let times = Spread::new(times);
    report.add(
        Figure::new("upsert of one concept and one link", times.quantile_ms(0.5), Unit::Millis)
            .target(Target::Below(76.0))
            .beside(format!(
                "the reference engine, which does not sync: 76 ms; p99 {:.2} ms",
                times.quantile_ms(0.99)
            )),
    );
    Ok(())
}

/// What is there is what was loaded.
fn counts_are_right(graph: &Graph, size: Size) -> Result<()> {
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
