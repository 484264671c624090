//! From the clauses of a WHERE to a draft.

use std::collections::BTreeSet;
use std::sync::Arc;

use cairn_graph::View;
use cairn_kip::tree::{Clause, Group};

use super::Names;
use super::draft::{Branch, Draft, Part, Run};
use super::ground::Grounding;
use super::pattern::Place;
use super::scope::{Places, Scope, Slot, Space};
use crate::Result;
use crate::fields::{FieldOf, check_count};
use crate::filter::{Filter, Literals};
use crate::hash::{FastSet, HashSetExt};

/// Makes drafts.
pub(crate) struct Builder<'v> {
    pub(super) names: Names<'v>,
    pub(super) grounding: Grounding,
    pub(super) places: Places,
    /// Expressions of filters.
    literals: Literals,
    /// What filters read, each once.
    pub(super) fields: Vec<FieldOf>,
    seen: FastSet<FieldOf>,
}

impl<'v> Builder<'v> {
    pub(crate) fn new(view: View<'v>, pattern: &Group) -> Result<Self> {
        let mut names = Names::new(view);
        let grounding = Grounding::of(view, &mut names, pattern)?;
        Ok(Builder {
            names,
            grounding,
            places: Places::default(),
            literals: Literals::default(),
            fields: Vec::new(),
            seen: FastSet::new(),
        })
    }

    /// A draft that sees these variables from outside, and what is seen at its end.
    pub(crate) fn draft(
        &mut self,
        group: &Group,
        space: &mut Space,
        outside: &Scope,
        is_mandatory: bool,
    ) -> Result<(Draft, Scope)> {
        let mut making = Making::new(outside);
        for (at, clause) in group.clauses.iter().enumerate() {
            match &clause.node {
                Clause::Concept { variable, matcher } => {
                    self.concept(variable, matcher, &mut making.place(space, is_mandatory))?;
                    making.see_atoms(&self.places);
                }
                Clause::Proposition { variable, matcher } => {
                    self.proposition(variable.as_ref(), matcher, &mut making.place(space, is_mandatory))?;
                    making.see_atoms(&self.places);
                }
                Clause::Filter(condition) => {
                    let filter = Filter::compile(condition, &mut self.literals, |variable| {
                        making.scope.slot(space, variable)
                    })?;
                    making.uses.extend(filter.slots());
                    for of in filter.fields() {
                        if self.seen.insert(of.clone()) {
                            self.fields.push(of.clone());
                        }
                    }
                    check_count("different fields in its FILTERs", self.fields.len(), Some(clause.span))?;
                    making.run.filters.push(Arc::new(filter));
                }
                Clause::Optional(inner) => {
                    making.end_run();
                    let (draft, scope) = self.draft(inner, space, &making.scope, false)?;
                    making.uses.extend(&draft.shared);
                    making.bind(draft.binds.iter().copied());
                    making.scope = scope;
                    making.parts.push(Part::Optional(draft));
                }
                Clause::Not(inner) => {
                    making.end_run();
                    let (draft, _) = self.draft(inner, space, &making.scope, false)?;
                    making.uses.extend(&draft.shared);
                    making.parts.push(Part::Not(draft));
                }
                Clause::Union(inner) => {
                    making.end_run();
                    let (draft, _) = self.draft(inner, space, &Scope::default(), false)?;
                    let agree_on = draft.binds.iter().copied().filter(|slot| outside.has(*slot)).collect();
                    making.uses.extend(&draft.binds);
                    making.bind(draft.binds.iter().copied());
                    let visible = making.scope.iter().collect();
                    let is_first = at == 0;
                    making.parts.push(Part::Union(Branch {
                        draft,
                        is_first,
                        agree_on,
                        visible,
                        keys: vec![],
                    }));
                }
            }
        }
        making.end_run();
        let Making { parts, scope, uses, binds, .. } = making;
        let shared = uses.into_iter().filter(|slot| outside.has(*slot)).collect();
        Ok((Draft { parts, outside: outside.iter().collect(), shared, binds }, scope))
    }
}

/// A draft in the making.
struct Making {
    parts: Vec<Part>,
    /// Patterns and filters since the last part.
    run: Run,
    scope: Scope,
    uses: BTreeSet<Slot>,
    binds: BTreeSet<Slot>,
    /// How many of the atoms of the run were seen.
    seen: usize,
}

impl Making {
    fn new(outside: &Scope) -> Self {
        Making {
            parts: Vec::new(),
            run: Run::default(),
            scope: outside.clone(),
            uses: BTreeSet::new(),
            binds: BTreeSet::new(),
            seen: 0,
        }
    }

    fn place<'a>(&'a mut self, space: &'a mut Space, is_mandatory: bool) -> Place<'a> {
        Place { atoms: &mut self.run.atoms, space, is_mandatory }
    }

    /// What new atoms bind is seen from now on.
    fn see_atoms(&mut self, places: &Places) {
        let slots = self.run.atoms[self.seen..].iter().flat_map(super::atom::Atom::slots);
        let slots: Vec<Slot> = slots.filter(|slot| !places.is_hidden(*slot)).collect();
        self.seen = self.run.atoms.len();
        self.uses.extend(&slots);
        self.bind(slots);
    }

    fn bind(&mut self, slots: impl IntoIterator<Item = Slot>) {
        for slot in slots {
            self.scope.see(slot);
            self.binds.insert(slot);
        }
    }

    fn end_run(&mut self) {
        self.seen = 0;
        let run = std::mem::take(&mut self.run);
        if !run.is_empty() {
            self.parts.push(Part::Run(run));
        }
    }
}
