//! 100,000 concepts and 500,000 propositions, beside oxigraph with the same data and the same questions.

use std::path::Path;

use anyhow::Result;

use super::graph::{Graph, Loaded};
use super::questions::{HUB_LINKS, INDEX, INDEXED, QUESTIONS, Question, Start, Starts};
use super::rdf::Rdf;
use super::rounds::{Took, ask_in_turns, ours, shown_us, starts_count, theirs};
use super::workload::Size;
use super::{same, small, upserts};
use crate::figure::{Figure, Report, Target, Unit, shown};
use crate::measure::Setting;
use crate::scratch::Scratch;

const SIZE: Size = Size { concepts: 100_000, propositions: 500_000 };
const QUICK: Size = Size { concepts: 2000, propositions: 10_000 };
/// Elements per second, to the last commit.
const LOAD_PER_SECOND: f64 = 12_000.0;
/// The same through an import.
const IMPORT_PER_SECOND: f64 = 20_000.0;
/// Answers that are compared: from these many of the places where questions begin, and from as many that
/// most links go to.
const COMPARED: usize = 40;

/// Loads both, compares what they answer, asks both in turns, and writes.
pub(super) fn run(setting: &Setting, report: &mut Report) -> Result<()> {
    let dir = Scratch::named(&setting.dir, "graph")?;
    let size = setting.pick(SIZE, QUICK);
    let graph = Graph::create(&dir.path().join("cairn"))?;
    let loaded = graph.load(size)?;
    report.add(load_figure(&loaded).target(Target::AtLeast(LOAD_PER_SECOND)));
    small::counts_are_right(&graph, size)?;
    import(&dir.path().join("imported"), size, report)?;
    let rdf = Rdf::load(&dir.path().join("oxigraph"), size)?;
    if let Some(rdf) = &rdf {
        report.add(
            Figure::new("load by oxigraph", loaded.elements as f64 / rdf.took.as_secs_f64(), Unit::PerSecond)
                .beside("its bulk loader and its compaction, nothing durable before the end"),
        );
    }
    let mut both = Both { graph: &graph, rdf: rdf.as_ref(), size, setting, table: Table::default() };
    for question in QUESTIONS {
        both.ask(question, report)?;
    }
    let took = graph.create_index(INDEX)?;
    report.add(Figure::new("making an index", took.as_secs_f64(), Unit::Seconds).beside(format!(
        "of {} of {}, {} of them",
        INDEX.1,
        INDEX.0,
        size.concepts / 4
    )));
    both.ask(&INDEXED, report)?;
    upserts::run(&graph, rdf.as_ref(), setting, report)?;
    both.table.print();
    graph.close()
}

/// The same into another store, as one stream.
fn import(dir: &Path, size: Size, report: &mut Report) -> Result<()> {
    let graph = Graph::create(dir)?;
    let took = graph.import(size)?;
    small::counts_are_right(&graph, size)?;
    graph.close()?;
    let elements = size.concepts + size.propositions;
    report.add(
        Figure::new("import", elements as f64 / took.as_secs_f64(), Unit::PerSecond)
            .target(Target::AtLeast(IMPORT_PER_SECOND))
            .beside(format!("the same texts as one stream, in {:.1} s, durable", took.as_secs_f64())),
    );
    Ok(())
}

/// Both stores, and what was found out about them so far.
struct Both<'a> {
    graph: &'a Graph,
    rdf: Option<&'a Rdf>,
    size: Size,
    setting: &'a Setting,
    table: Table,
}

impl Both<'_> {
    /// Has both answer the same, and then measures.
    fn ask(&mut self, question: &Question, report: &mut Report) -> Result<()> {
        let starts = Starts::of(question, self.size, starts_count(question, self.setting));
        let mut voices = vec![ours(self.graph, question, &starts)];
        if let Some(rdf) = self.rdf.filter(|_| question.is_in_sparql()) {
            if let Err(error) = compare(self.graph, rdf, question, &starts) {
                report.wrong(format!("{error:#}"));
            }
            voices.push(theirs(rdf, question, &starts));
        }
        let took = ask_in_turns(question, self.setting, voices)?;
        add(question, &took, &mut self.table, report);
        Ok(())
    }
}

/// Elements per second, and when everything was found.
pub(super) fn load_figure(loaded: &Loaded) -> Figure {
    Figure::new("load", loaded.elements as f64 / loaded.took.as_secs_f64(), Unit::PerSecond).beside(format!(
        "{} elements by UPSERT text in {:.1} s, each command durable; all found by their words after {:.1} s",
        loaded.elements,
        loaded.took.as_secs_f64(),
        loaded.found_after.as_secs_f64()
    ))
}

fn compare(graph: &Graph, rdf: &Rdf, question: &Question, starts: &Starts) -> Result<()> {
    let popular = Starts::of_popular(question, COMPARED);
    let places = starts.all().iter().take(COMPARED).chain(popular.all());
    let rows = same::check(graph, rdf, question, places)?;
    eprintln!("   {}: both answer the same ({rows} rows compared)", question.name);
    Ok(())
}

/// What our answers took, and how many times as long those of oxigraph did.
fn add(question: &Question, took: &[Took], table: &mut Table, report: &mut Report) {
    let Some(ours) = took.first() else { return };
    let most_us = most_us(question, ours);
    report.add(figure(question.name, ours.p50_us(), most_us).beside(ours.shown()));
    let theirs = took.get(1).map(|theirs| (theirs, theirs.p50_us() / ours.p50_us()));
    if let Some((theirs, times)) = theirs {
        report.add(
            Figure::new(format!("{}, beside oxigraph", question.name), times, Unit::Times)
                .target(Target::AtLeast(question.times_as_quick))
                .beside(format!("oxigraph {}; {}", shown_us(theirs.p50_us()), theirs.shown())),
        );
    }
    table.0.push([
        question.name.to_owned(),
        shown_us(ours.p50_us()),
        theirs.map_or_else(String::new, |(theirs, _)| shown_us(theirs.p50_us())),
        theirs.map_or_else(String::new, |(_, times)| shown(times, Unit::Times)),
        match theirs {
            None => shown_us(most_us),
            Some(_) => format!("{}, {}", shown_us(most_us), shown(question.times_as_quick, Unit::Times)),
        },
    ]);
}

/// What an answer may take: of a hub in proportion to the links that it has here.
fn most_us(question: &Question, took: &Took) -> f64 {
    match question.start {
        Start::Hub => question.most_us * took.rows / HUB_LINKS,
        Start::Nowhere | Start::Concept | Start::Word => question.most_us,
    }
}

/// A time, judged, in the unit that its limit is read in.
fn figure(name: &str, us: f64, most_us: f64) -> Figure {
    let (scale, unit) = if most_us < 1000.0 { (1.0, Unit::Micros) } else { (1e-3, Unit::Millis) };
    Figure::new(name, us * scale, unit).target(Target::AtMost(most_us * scale))
}

/// Both beside each other, for people.
#[derive(Default)]
struct Table(Vec<[String; 5]>);

impl Table {
    fn print(&self) {
        eprintln!("   {:<26} {:>10} {:>10} {:>8}  target", "p50", "cairn", "oxigraph", "times");
        for [name, ours, theirs, times, target] in &self.0 {
            eprintln!("   {name:<26} {ours:>10} {theirs:>10} {times:>8}  {target}");
        }
    }
}
