//! Blocks: the stages of a WHERE, OPTIONAL, NOT or UNION, in order.

use std::collections::BTreeSet;

use cairn_graph::View;
use cairn_kip::tree::{Clause, Group};

use super::atom::Atom;
use super::estimate::Estimator;
use super::ground::Grounding;
use super::order::{Known, order};
use super::pattern::Place;
use super::scope::{Places, Scope, Slot, Space};
use super::{Names, Step};
use crate::Result;
use crate::fields::FieldOf;
use crate::filter::{Filter, Literals};

/// What is run over rows from outside.
#[derive(Debug)]
pub(crate) struct Block {
    pub(crate) stages: Vec<Stage>,
    /// Variables from outside that it uses. If there are none it is the same for every row.
    pub(crate) shared: Vec<Slot>,
    /// Variables that it binds and that are seen after it, those from outside included.
    binds: BTreeSet<Slot>,
    /// Which of all stages it is.
    pub(crate) number: usize,
}

/// One stage of a block.
#[derive(Debug)]
pub(crate) enum Stage {
    Step(Step),
    /// Rows that find nothing stay as they are.
    Optional(Block),
    /// Rows that find something go.
    Not(Block),
    Union(Union),
}

/// Rows of a branch beside those there are.
#[derive(Debug)]
pub(crate) struct Union {
    pub(crate) branch: Block,
    /// Whether the block begins with it: then there is no other side.
    pub(crate) is_first: bool,
    /// What the branch binds that the block has from outside: there they have to agree.
    pub(crate) agree_on: Vec<Slot>,
    /// All variables afterwards: rows that agree on them are one.
    pub(crate) visible: Vec<Slot>,
}

impl Block {
    /// Numbers all stages, the outer ones first.
    pub(super) fn number_stages(&mut self, next: &mut usize) {
        for stage in &mut self.stages {
            let number = *next;
            *next += 1;
            match stage {
                Stage::Step(step) => step.number = number,
                Stage::Optional(block) | Stage::Not(block) | Stage::Union(Union { branch: block, .. }) => {
                    block.number = number;
                    block.number_stages(next);
                }
            }
        }
    }
}

impl Stage {
    pub(crate) fn number(&self) -> usize {
        match self {
            Stage::Step(step) => step.number,
            Stage::Optional(block) | Stage::Not(block) | Stage::Union(Union { branch: block, .. }) => {
                block.number
            }
        }
    }
}

/// Makes blocks.
pub(crate) struct Builder<'v> {
    pub(super) names: Names<'v>,
    pub(super) grounding: Grounding,
    pub(super) places: Places,
    estimator: Estimator<'v>,
    /// Expressions of filters.
    literals: Literals,
    /// What filters read.
    pub(super) fields: Vec<FieldOf>,
}

impl<'v> Builder<'v> {
    pub(crate) fn new(view: View<'v>, pattern: &Group) -> Result<Self> {
        let mut names = Names::new(view);
        let grounding = Grounding::of(view, &mut names, pattern)?;
        Ok(Builder {
            names,
            grounding,
            places: Places::default(),
            estimator: Estimator::new(view),
            literals: Literals::default(),
            fields: Vec::new(),
        })
    }

    /// A block that sees these variables from outside, and what is seen at its end.
    pub(crate) fn block(
        &mut self,
        group: &Group,
        space: &mut Space,
        outside: &Scope,
        is_mandatory: bool,
    ) -> Result<(Block, Scope)> {
        let mut part = Part::new(outside);
        for (at, clause) in group.clauses.iter().enumerate() {
            match &clause.node {
                Clause::Concept { variable, matcher } => {
                    self.concept(variable, matcher, &mut part.place(space, is_mandatory))?;
                    part.see_atoms(&self.places);
                }
                Clause::Proposition { variable, matcher } => {
                    self.proposition(variable.as_ref(), matcher, &mut part.place(space, is_mandatory))?;
                    part.see_atoms(&self.places);
                }
                Clause::Filter(condition) => {
                    let filter = Filter::compile(condition, &mut self.literals, |variable| {
                        part.scope.slot(space, variable)
                    })?;
                    part.uses.extend(filter.slots());
                    self.fields.extend_from_slice(filter.fields());
                    part.filters.push(filter);
                }
                Clause::Optional(inner) => {
                    part.end_run(&mut self.estimator)?;
                    let (block, scope) = self.block(inner, space, &part.scope, false)?;
                    part.uses.extend(block.shared.iter().copied());
                    part.bind(block.binds.iter().copied());
                    part.scope = scope;
                    part.known.bind(block.binds.iter().copied());
                    part.stages.push(Stage::Optional(block));
                }
                Clause::Not(inner) => {
                    part.end_run(&mut self.estimator)?;
                    let (block, _) = self.block(inner, space, &part.scope, false)?;
                    part.uses.extend(block.shared.iter().copied());
                    part.stages.push(Stage::Not(block));
                }
                Clause::Union(inner) => {
                    part.end_run(&mut self.estimator)?;
                    let (branch, _) = self.block(inner, space, &Scope::default(), false)?;
                    let binds = branch.binds.clone();
                    let agree_on = binds.iter().copied().filter(|slot| outside.has(*slot)).collect();
                    part.uses.extend(&binds);
                    part.bind(binds.iter().copied());
                    part.known.bind(binds);
                    // Types that hold on one side need not hold on the other.
                    part.known.forget_types();
                    let visible = part.scope.iter().collect();
                    part.stages.push(Stage::Union(Union { branch, is_first: at == 0, agree_on, visible }));
                }
            }
        }
        part.end_run(&mut self.estimator)?;
        let shared = part.uses.into_iter().filter(|slot| outside.has(*slot)).collect();
        Ok((Block { stages: part.stages, shared, binds: part.binds, number: 0 }, part.scope))
    }
}

/// A block in the making.
struct Part {
    stages: Vec<Stage>,
    /// Patterns and filters since the last stage: their order is still open.
    atoms: Vec<Atom>,
    filters: Vec<Filter>,
    scope: Scope,
    known: Known,
    uses: BTreeSet<Slot>,
    binds: BTreeSet<Slot>,
    /// How many of the atoms were seen.
    seen: usize,
}

impl Part {
    fn new(outside: &Scope) -> Self {
        Part {
            stages: Vec::new(),
            atoms: Vec::new(),
            filters: Vec::new(),
            scope: outside.clone(),
            known: Known::new(outside.iter()),
            uses: BTreeSet::new(),
            binds: BTreeSet::new(),
            seen: 0,
        }
    }

    fn place<'a>(&'a mut self, space: &'a mut Space, is_mandatory: bool) -> Place<'a> {
        Place { atoms: &mut self.atoms, space, is_mandatory }
    }

    /// What new atoms bind is seen from now on.
    fn see_atoms(&mut self, places: &Places) {
        let slots = self.atoms[self.seen..].iter().flat_map(Atom::slots);
        let slots: Vec<Slot> = slots.filter(|slot| !places.is_hidden(*slot)).collect();
        self.seen = self.atoms.len();
        self.uses.extend(&slots);
        self.bind(slots);
    }

    fn bind(&mut self, slots: impl IntoIterator<Item = Slot>) {
        for slot in slots {
            self.scope.see(slot);
            self.binds.insert(slot);
        }
    }

    /// Brings patterns and filters into an order.
    fn end_run(&mut self, estimator: &mut Estimator<'_>) -> Result<()> {
        self.seen = 0;
        let atoms = std::mem::take(&mut self.atoms);
        let filters = std::mem::take(&mut self.filters);
        let steps = order(atoms, filters, &mut self.known, estimator)?;
        self.stages.extend(steps.into_iter().map(Stage::Step));
        Ok(())
    }
}
