//! A graph, a query and how to shrink them, as proptest wants it.

use std::fmt;

use proptest::prelude::*;
use proptest::strategy::{NewTree, ValueTree};
use proptest::test_runner::TestRunner;

use cairn_kip::tree::{Command, Find};

use super::dice::Dice;
use super::graph::{Graph, Size};
use super::{queries, shrink};

/// What one test is about.
#[derive(Clone)]
pub(crate) struct Case {
    pub(crate) graph: Graph,
    pub(crate) find: Find,
    /// Rows of a page, where the answer is read in pages.
    pub(crate) page_rows: u64,
}

impl fmt::Debug for Case {
    /// As people write it; ids name places in the graph until it is stored.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let query = cairn_kip::format(&Command::Find(self.find.clone()));
        write!(f, "{query}\nin pages of {}\n{:?}", self.page_rows, self.graph)
    }
}

/// Any case about a graph up to this size.
#[derive(Debug)]
pub(crate) struct AnyCase(pub(crate) Size);

impl Strategy for AnyCase {
    type Tree = Shrinking;
    type Value = Case;

    fn new_tree(&self, runner: &mut TestRunner) -> NewTree<Self> {
        let mut dice = Dice(runner.rng());
        let graph = Graph::random(&mut dice, self.0);
        let find = queries::random(&mut dice, &graph);
        let page_rows = 1 + dice.below(4) as u64;
        Ok(Shrinking::new(Case { graph, find, page_rows }))
    }
}

/// Tries what is a little smaller than the smallest case that failed.
pub(crate) struct Shrinking {
    failed: Case,
    current: Case,
    smaller: std::vec::IntoIter<Case>,
}

impl Shrinking {
    fn new(case: Case) -> Self {
        Shrinking { failed: case.clone(), current: case, smaller: Vec::new().into_iter() }
    }
}

impl ValueTree for Shrinking {
    type Value = Case;

    fn current(&self) -> Case {
        self.current.clone()
    }

    /// What is tried now failed too.
    fn simplify(&mut self) -> bool {
        self.failed = self.current.clone();
        self.smaller = shrink::smaller(&self.failed).into_iter();
        self.complicate()
    }

    /// What is tried now did not fail.
    fn complicate(&mut self) -> bool {
        let next = self.smaller.next();
        let is_there = next.is_some();
        self.current = next.unwrap_or_else(|| self.failed.clone());
        is_there
    }
}
