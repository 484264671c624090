//! Whether two answers to one question say the same.

use std::collections::BTreeSet;

use anyhow::{Context, Result, ensure};
use cairn_base::Value;

use super::graph::Graph;
use super::questions::{Beginning, Compared, Question};
use super::rdf::Rdf;
use super::rounds::sparql;

/// Asks both, and finds the same in both answers. Says how many rows were compared.
pub(super) fn check<'a>(
    graph: &Graph,
    rdf: &Rdf,
    question: &Question,
    starts: impl Iterator<Item = &'a Beginning>,
) -> Result<usize> {
    let mut rows = 0;
    for start in starts {
        let ours = graph.ask(question.kip, start)?;
        let theirs = rdf.ask(&sparql(question, start))?;
        let (ours, theirs) = (texts(&ours, question)?, picked(theirs.texts(), question.compared));
        ensure!(
            ours == theirs,
            "{} of {start:?}: {} rows, and {} from oxigraph; only here {:?}, only there {:?}",
            question.name,
            ours.len(),
            theirs.len(),
            ours.iter().find(|row| !theirs.contains(row)),
            theirs.iter().find(|row| !ours.contains(row))
        );
        rows += ours.len();
    }
    Ok(rows)
}

/// A number as both write it: a mean is a float in one and a decimal in the other.
pub(super) fn number(number: f64) -> String {
    format!("{number:.6}")
}

/// Rows in an order that both have.
type Rows = Vec<Vec<String>>;

fn texts(answer: &Value, question: &Question) -> Result<Rows> {
    let rows = if question.compared == Compared::Concept {
        properties(answer.as_array().and_then(<[Value]>::first).context("there is no such concept")?)?
    } else {
        table(answer, question.columns).into_iter().map(|row| row.into_iter().map(text).collect()).collect()
    };
    Ok(picked(rows, question.compared))
}

fn picked(mut rows: Rows, compared: Compared) -> Rows {
    if let Compared::Column(column) = compared {
        rows = rows.into_iter().map(|row| row.into_iter().skip(column).take(1).collect()).collect();
    }
    rows.sort_unstable();
    rows
}

/// What is known of a concept: what a property is called, and its value. Tags are a set.
fn properties(concept: &Value) -> Result<Rows> {
    let of = |part: &str, name: &str| {
        concept.get(part).and_then(|part| part.get(name)).with_context(|| format!("it has no {name}"))
    };
    let mut all = vec![("name", concept.get("name").context("it has no name")?)];
    for name in ["score", "level", "description"] {
        all.push((name, of("attributes", name)?));
    }
    for name in ["confidence", "created_at"] {
        all.push((name, of("metadata", name)?));
    }
    let tags: BTreeSet<String> =
        of("attributes", "tags")?.as_array().unwrap_or_default().iter().map(text).collect();
    let all = all.into_iter().map(|(name, value)| vec![name.to_owned(), text(value)]);
    Ok(all.chain(tags.into_iter().map(|tag| vec!["tag".to_owned(), tag])).collect())
}

fn text(value: &Value) -> String {
    match (value.as_str(), value.as_number()) {
        (Some(text), _) => text.to_owned(),
        (_, Some(value)) => number(value.to_f64()),
        _ => value.to_json(),
    }
}

/// An answer row by row: it comes as one list for each column, or as values if it is one group.
fn table(answer: &Value, columns: usize) -> Vec<Vec<&Value>> {
    let lists: Vec<&[Value]> = match answer.as_array() {
        Some(list) if columns == 1 => vec![list],
        Some(lists) if lists.iter().all(|list| list.as_array().is_some()) => {
            lists.iter().filter_map(Value::as_array).collect()
        }
        Some(values) => return vec![values.iter().collect()],
        None => return vec![vec![answer]],
    };
    let rows = lists.first().map_or(0, |list| list.len());
    (0..rows).map(|row| lists.iter().filter_map(|list| list.get(row)).collect()).collect()
}

/// How many rows an answer has.
pub(super) fn rows(answer: &Value, columns: usize) -> usize {
    match answer.as_array() {
        Some(list) if columns == 1 => list.len(),
        Some(lists) => lists.first().and_then(Value::as_array).map_or(1, <[Value]>::len),
        None => 1,
    }
}
