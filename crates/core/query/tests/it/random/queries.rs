//! Random FINDs.

use cairn_kip::tree::{Aggregate, Clause, Column, Find, Function, Slot, SortKey};

use super::dice::Dice;
use super::graph::Graph;
use super::patterns::{Author, DEPTH_MAX, Seen};
use super::tree::{concept_match, here, path, text};
use super::words::ATTRIBUTES;

const FUNCTIONS: [Function; 5] =
    [Function::Count, Function::Min, Function::Max, Function::Sum, Function::Avg];

/// A query about a graph.
pub(crate) fn random(dice: &mut Dice<'_>, graph: &Graph) -> Find {
    Author { dice, graph }.find()
}

impl Author<'_, '_> {
    fn find(&mut self) -> Find {
        let mut seen = Vec::new();
        let mut pattern = self.group(DEPTH_MAX, &mut seen);
        if seen.is_empty() {
            let matcher = concept_match(None, Some(self.graph.concepts[0].kind), None);
            pattern.clauses.push(here(Clause::Concept { variable: text("a"), matcher }));
            seen.push(Seen { name: "a".into(), meant: None });
        }
        let aggregated = self.dice.chance(35);
        let count = 1 + self.dice.below(3);
        let mut columns: Vec<Column> = (0..count).map(|_| Column::Path(self.path(&seen))).collect();
        if aggregated {
            for _ in 0..1 + self.dice.below(2) {
                let place = self.dice.below(columns.len() + 1);
                columns.insert(place, Column::Aggregate(self.aggregate(&seen)));
            }
            // Often nothing groups.
            if self.dice.chance(30) {
                columns.retain(|column| matches!(column, Column::Aggregate(_)));
            }
        }
        let keys = self.dice.weighted(&[(45, 0), (25, 1), (20, 2), (10, 3)]);
        let order_by = (0..keys).map(|_| self.sort_key(&columns, aggregated, &seen)).collect();
        let limit = match self.dice.below(100) {
            0..55 => None,
            99 => Some(self.dice.one(&[0, 10_000, 10_001])),
            _ => Some(1 + self.dice.below(6) as u64),
        };
        let limit = limit.map(|limit| here(Slot::Is(limit)));
        Find { columns: columns.into_iter().map(here).collect(), pattern, order_by, limit, cursor: None }
    }

    fn aggregate(&mut self, seen: &[Seen]) -> Aggregate {
        let mut of = self.path(seen);
        if self.dice.chance(50) {
            of = path(&of.variable.node, &["attributes", self.dice.one(&ATTRIBUTES)]);
        }
        // Sums of numbers that floats cannot tell apart are for the tests of sums.
        let is_extreme = of.fields.last().is_some_and(|field| field.node == "size");
        let functions = if is_extreme { &FUNCTIONS[..3] } else { &FUNCTIONS[..] };
        Aggregate { function: self.dice.one(functions), distinct: self.dice.chance(30), path: of }
    }

    fn sort_key(&mut self, columns: &[Column], aggregated: bool, seen: &[Seen]) -> SortKey {
        let is_free = self.dice.chance(if aggregated { 6 } else { 55 });
        let mut by = if is_free { Column::Path(self.path(seen)) } else { self.dice.one(columns) };
        // By something of what is grouped by, or projected.
        if let Column::Path(of) = &by
            && of.fields.is_empty()
            && self.dice.chance(40)
        {
            by = Column::Path(path(&of.variable.node, &["attributes", self.dice.one(&ATTRIBUTES)]));
        }
        SortKey { by: here(by), descending: self.dice.chance(45) }
    }
}
