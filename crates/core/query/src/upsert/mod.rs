//! UPSERT: match or create, in one transaction.
//!
//! First every reference is made out ([`plan`]), then the store is asked for all of them at once
//! ([`ground`]), then the blocks are written from top to bottom. A failure anywhere is answered with its
//! place in the text, and whoever opened the transaction gives it up.

mod ground;
mod handles;
mod plan;
mod receipt;

use std::collections::BTreeSet;

use cairn_base::Value;
use cairn_graph::{
    ConceptId, ConceptWrite, Element, GraphError, LinkTarget, LinkWrite, Outcome, Target, Writer,
};
use cairn_kip::tree::Upsert;

use self::ground::{Ground, missing};
use self::plan::{Node, Plan, Step};
use self::receipt::Receipt;
pub use self::receipt::UpsertCounts;
use crate::{Budget, QueryError};

/// Writes a capsule. The caller finishes the writer, or gives up the transaction if this fails.
pub fn upsert(
    writer: &mut Writer<'_>,
    capsule: &[Upsert],
    budget: &mut Budget<'_>,
) -> Result<Value, QueryError> {
    Ok(carry_out(writer, capsule, budget)?.value(capsule.len(), true))
}

/// The same for a transaction that will be given up in any case: says what would become of everything,
/// and no ids.
pub fn try_upsert(
    writer: &mut Writer<'_>,
    capsule: &[Upsert],
    budget: &mut Budget<'_>,
) -> Result<Value, QueryError> {
    Ok(carry_out(writer, capsule, budget)?.value(capsule.len(), false))
}

/// The same for whoever only counts: no ids are made, which takes time when there are many.
pub fn upsert_counted(
    writer: &mut Writer<'_>,
    capsule: &[Upsert],
    budget: &mut Budget<'_>,
) -> Result<UpsertCounts, QueryError> {
    Ok(write(writer, capsule, budget, Receipt::without_ids())?.counts())
}

/// An element may be long: what is written or found to be so already counts as so many steps.
const STEPS_PER_ELEMENT: u32 = 64;

fn carry_out(
    writer: &mut Writer<'_>,
    capsule: &[Upsert],
    budget: &mut Budget<'_>,
) -> Result<Receipt, QueryError> {
    write(writer, capsule, budget, Receipt::default())
}

fn write(
    writer: &mut Writer<'_>,
    capsule: &[Upsert],
    budget: &mut Budget<'_>,
    receipt: Receipt,
) -> Result<Receipt, QueryError> {
    let mut plan = plan::plan(capsule, budget)?;
    let steps = std::mem::take(&mut plan.steps);
    writer.read_ahead()?;
    let ground = Ground::ask(&writer.view(), &plan)?;
    let mut work = Work { writer, plan: &plan, ground, receipt };
    work.read_ahead(&steps)?;
    for step in steps {
        budget.steps(STEPS_PER_ELEMENT)?;
        work.step(step)?;
    }
    Ok(work.receipt)
}

/// A capsule that is being written.
struct Work<'w, 't, 'p, 'a> {
    writer: &'w mut Writer<'t>,
    plan: &'p Plan<'a>,
    ground: Ground<'a>,
    receipt: Receipt,
}

impl Work<'_, '_, '_, '_> {
    fn step(&mut self, step: Step) -> Result<(), QueryError> {
        let node = self.plan.nodes[step.node];
        let view = self.writer.view();
        step.needs.iter().try_for_each(|need| self.ground.require(&view, self.plan, need))?;
        let (whole, is_block) = (step.place.whole, step.is_block);
        let (element, outcome) = match node {
            Node::Named { .. } | Node::Concept { .. } => self.concept(node, step),
            Node::Link { .. } | Node::Triple { .. } => self.link(node, step),
        }
        .map_err(|error| error.at(whole))?;
        self.receipt.note(element, outcome);
        if is_block && self.receipt.has_ids() {
            self.receipt.list(element, id_text(element, node), outcome);
        }
        Ok(())
    }

    fn concept(&mut self, node: Node<'_>, step: Step) -> Result<(Element, Outcome), QueryError> {
        let target = match (self.ground.element(self.plan, step.node), node) {
            (Some(Element::Concept(id)), _) => Target::Id(id),
            (_, Node::Named { kind, name }) => {
                Target::Named(self.ground.kind(&self.writer.view(), kind, step.place)?, name.to_owned())
            }
            _ => return Err(missing(node, step.place).into()),
        };
        let written = self.writer.upsert_concept(ConceptWrite {
            target,
            expect_version: step.expect_version,
            attributes: step.attributes,
            metadata: step.metadata,
        });
        let (id, kind, outcome) = written.map_err(|error| protected_block(error, node))?;
        self.ground.note_concept(step.node, kind, id, self.plan);
        Ok((Element::Concept(id), outcome))
    }

    fn link(&mut self, node: Node<'_>, step: Step) -> Result<(Element, Outcome), QueryError> {
        let target = match (self.ground.element(self.plan, step.node), node) {
            (Some(Element::Link(id)), _) => LinkTarget::Id(id),
            (_, Node::Triple { predicate, .. }) => {
                self.ground.predicate(&self.writer.view(), predicate, step.place)?;
                let (subject, predicate, object) =
                    self.ground.parts(node).ok_or_else(|| missing(node, step.place))?;
                LinkTarget::Triple(subject, predicate, object)
            }
            _ => return Err(missing(node, step.place).into()),
        };
        let (id, outcome) = self.writer.upsert_link(LinkWrite {
            target,
            expect_version: step.expect_version,
            attributes: step.attributes,
            metadata: step.metadata,
        })?;
        self.ground.note_link(step.node, id, self.plan);
        Ok((Element::Link(id), outcome))
    }

    /// Has the writer read in a few calls what the steps will look at.
    fn read_ahead(&mut self, steps: &[Step]) -> Result<(), QueryError> {
        let (mut concepts, mut links) = (BTreeSet::new(), BTreeSet::new());
        let (mut subjects, mut objects) = (BTreeSet::new(), BTreeSet::new());
        for step in steps {
            match self.ground.element(self.plan, step.node) {
                Some(Element::Concept(id)) => drop(concepts.insert(id)),
                Some(Element::Link(id)) => drop(links.insert(id)),
                None => {
                    let (subject, object) = self.ground.ends(self.plan.nodes[step.node]);
                    subjects.extend(subject);
                    objects.extend(object);
                }
            }
        }
        let ends = subjects.iter().chain(&objects).map(|(_, end)| *end);
        let all: BTreeSet<_> = ends.filter_map(concept_of).chain(concepts.iter().copied()).collect();
        let all: Vec<_> = all.into_iter().collect();
        let view = self.writer.view();
        let kinds = all.iter().copied().zip(view.types_of(&all)?);
        let written =
            kinds.filter_map(|(id, kind)| Some((id, kind?))).filter(|(id, _)| concepts.contains(id));
        // Rows alone: the content of long ones is read when its turn comes.
        view.concept_views(&written.collect::<Vec<_>>(), &mut |_, _| {})?;
        view.link_views(&links.into_iter().collect::<Vec<_>>(), &mut |_, _| {})?;
        let [subjects, objects] = [subjects, objects].map(|ends| ends.into_iter().collect::<Vec<_>>());
        Ok(self.writer.read_ends_ahead(&subjects, &objects)?)
    }
}

/// How clients name what was written.
/// Models often write a block for a core domain where they only want to name it as the target of a link.
fn protected_block(error: GraphError, node: Node<'_>) -> QueryError {
    let hint = match (&error, node) {
        (GraphError::Protected { what, .. }, Node::Named { kind: "Domain", name }) if what == name => {
            format!(
                "leave this block out, and name it as the target: \
             SET PROPOSITIONS {{ (\"belongs_to_domain\", {{type: \"Domain\", name: {name:?}}}) }}"
            )
        }
        (GraphError::Protected { what, .. }, Node::Named { kind, name }) if what == name => format!(
            "leave this block out: it is there from the beginning, and can be named as the target of a link, \
             {{type: {kind:?}, name: {name:?}}}"
        ),
        _ => return error.into(),
    };
    match QueryError::from(error) {
        QueryError::Kip(error) => error.hint(hint).into(),
        other @ QueryError::Store(_) => other,
    }
}

fn id_text(element: Element, node: Node<'_>) -> String {
    match (element, node) {
        (Element::Concept(id), _) => cairn_graph::concept_text(id),
        (Element::Link(id), Node::Triple { predicate, .. }) => cairn_graph::link_text(id, predicate),
        (Element::Link(_), Node::Link { text, .. } | Node::Named { name: text, .. }) => text.to_owned(),
        (Element::Link(_), Node::Concept { .. }) => String::new(),
    }
}

fn concept_of(element: Element) -> Option<ConceptId> {
    match element {
        Element::Concept(id) => Some(id),
        Element::Link(_) => None,
    }
}
