//! What FIND means, written so that it can be read: the specification in code.
//!
//! Everything is a list, and every clause looks at all of it. "Decision n" is a numbered decision of the
//! project about KIP, "1.5" the section about evaluation that these decisions stand on, and "silent" a rule
//! that neither has; those are listed in `docs/kip.md`. Budgets and cursors are left out.

mod aggregate;
mod condition;
mod examples;
mod order;
mod paths;
mod pattern;
mod project;
mod scope;
mod solve;
mod world;

use std::collections::{BTreeMap, BTreeSet};

use cairn_base::Value;
use cairn_kip::KipCode;
use cairn_kip::tree::{Column, Find};

pub(crate) use world::{Concept, Element, Link, World};

/// Rows of one evaluation step beyond which nobody waits for a plain answer.
const ROWS_MAX: usize = 4_000;

/// Decision 10: rows of an answer without LIMIT.
const ROWS_DEFAULT: u64 = 1_000;

/// What one variable is bound to. Its order is that of answers without ORDER BY: nulls come last.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Cell {
    /// A concept or a link.
    Element(Element),
    /// The name of a predicate.
    Text(String),
    /// Nothing: an OPTIONAL that missed, or the padding of a UNION.
    Null,
}

/// One way to make the pattern true.
pub(crate) type Solution = BTreeMap<String, Cell>;

/// What a FIND answers.
#[derive(Debug)]
pub(crate) enum Answer {
    /// Its rows, in order.
    Rows {
        /// Up to the limit.
        rows: Vec<Vec<Value>>,
        /// How many there are without it.
        total: usize,
    },
    /// Everything that is wrong with it. Which of these is told first is left open.
    Refused(BTreeSet<KipCode>),
    /// More than the naive way can do.
    TooMany,
}

/// Answers a FIND, up to its LIMIT.
pub(crate) fn find(world: &World, find: &Find) -> Answer {
    let wrong = scope::mistakes(world, find);
    if !wrong.is_empty() {
        return Answer::Refused(wrong);
    }
    match solve::solutions(world, &find.pattern) {
        Some(solutions) => {
            let mut rows = project::rows(world, find, &solutions);
            let total = rows.len();
            // Decision 10.
            let limit = find.limit.as_ref().map_or(ROWS_DEFAULT, |limit| *limit.given().unwrap());
            rows.truncate(usize::try_from(limit).unwrap());
            Answer::Rows { rows, total }
        }
        None => Answer::TooMany,
    }
}

/// The same rows as columns. Decision 1: one per expression; one alone is not wrapped; an aggregate that
/// nothing groups is a value, not a column.
pub(crate) fn columns(find: &Find, rows: &[Vec<Value>]) -> Value {
    let is_one_group = find.columns.iter().all(|column| matches!(column.node, Column::Aggregate(_)));
    let column = |at: usize| {
        let mut cells = rows.iter().map(|row| row[at].clone());
        if is_one_group { cells.next().unwrap_or_default() } else { Value::Array(cells.collect()) }
    };
    if find.columns.len() == 1 {
        return column(0);
    }
    Value::Array((0..find.columns.len()).map(column).collect())
}
