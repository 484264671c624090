//! Asking the same questions of several, in turns: the machine changes within minutes.

use std::time::{Duration, Instant};

use anyhow::Result;

use super::graph::Graph;
use super::questions::{Question, Starts};
use super::rdf::Rdf;
use super::same;
use crate::figure::{Unit, shown};
use crate::measure::Setting;
use crate::spread::Spread;

/// A round ends after this long, however few calls it had.
const ROUND_MAX: Duration = Duration::from_secs(8);
/// Calls that a round has in any case.
const CALLS_MIN: usize = 3;

/// Asks from a start with a number, and says how long the answer took and how many rows it has.
pub(super) type Voice<'a> = Box<dyn FnMut(usize) -> Result<(Duration, usize)> + 'a>;

/// How long answers took.
pub(super) struct Took {
    pub(super) spread: Spread,
    /// Rows of an answer, on average.
    pub(super) rows: f64,
}

impl Took {
    /// The middle of all answers, in microseconds.
    pub(super) fn p50_us(&self) -> f64 {
        self.spread.quantile_ms(0.5) * 1e3
    }

    /// The slowest ones and how much they found, for the last column.
    pub(super) fn shown(&self) -> String {
        format!("p99 {}, {:.1} rows each", shown_us(self.spread.quantile_ms(0.99) * 1e3), self.rows)
    }
}

/// A time as people read it: in milliseconds from one on.
pub(super) fn shown_us(us: f64) -> String {
    if us < 1000.0 { shown(us, Unit::Micros) } else { shown(us / 1e3, Unit::Millis) }
}

/// How many different places a question begins at.
pub(super) fn starts_count(question: &Question, setting: &Setting) -> usize {
    setting.pick(question.times, (question.times / 20).max(CALLS_MIN))
}

/// A few rounds by each voice, after one that does not count and that asks everything that is asked later.
pub(super) fn ask_in_turns(
    question: &Question,
    setting: &Setting,
    voices: Vec<Voice<'_>>,
) -> Result<Vec<Took>> {
    let mut voices: Vec<_> = voices.into_iter().map(|voice| (voice, Vec::new(), 0)).collect();
    let calls = starts_count(question, setting);
    for round in 0..=setting.pick(3, 1) {
        for (voice, times, rows) in &mut voices {
            let began = Instant::now();
            for number in 0..calls {
                let (took, found) = voice(number)?;
                if round > 0 {
                    times.push(took);
                    *rows += found;
                }
                if began.elapsed() > ROUND_MAX && number + 1 >= CALLS_MIN {
                    break;
                }
            }
        }
    }
    let took = |(_, times, rows): (_, Vec<Duration>, usize)| {
        let rows = rows as f64 / times.len().max(1) as f64;
        Took { spread: Spread::new(times), rows }
    };
    Ok(voices.into_iter().map(took).collect())
}

/// Asks through the engine's door.
pub(super) fn ours<'a>(graph: &'a Graph, question: &'a Question, starts: &'a Starts) -> Voice<'a> {
    Box::new(move |number| {
        let start = &starts.all()[number % starts.all().len()];
        let began = Instant::now();
        let answer = graph.ask(question.kip, start)?;
        Ok((began.elapsed(), same::rows(&answer, question.columns)))
    })
}

/// Asks oxigraph.
pub(super) fn theirs<'a>(rdf: &'a Rdf, question: &Question, starts: &Starts) -> Voice<'a> {
    let texts: Vec<String> = starts.all().iter().map(|start| sparql(question, start)).collect();
    Box::new(move |number| {
        let began = Instant::now();
        let rows = rdf.ask(&texts[number % texts.len()])?;
        Ok((began.elapsed(), rows.count()))
    })
}

/// A question in SPARQL, with where it begins.
pub(super) fn sparql(question: &Question, start: &[(&'static str, String)]) -> String {
    start.iter().fold(question.sparql.to_owned(), |text, (name, value)| {
        text.replace(&format!("${}", name.to_uppercase()), value)
    })
}
