//! What a capsule says, with every reference made out.
//!
//! Equal references are one [`Node`], whichever block they stand in: what the store knows of them is asked
//! once, and whoever writes one of them writes it for all that refer to it later.

use std::collections::HashMap;

use cairn_graph::{ConceptId, Element, LinkId, Map, parse_id};
use cairn_kip::tree::{
    Block, ConceptBlock, ConceptMatch, Link, Object, Predicate, PropositionBlock, PropositionMatch, Slot,
    Term, Text, Triple, Upsert,
};
use cairn_kip::{KipCode, KipError, Span, Spanned};

use super::handles::Handles;
use crate::Budget;
use crate::fields::value_bytes;

/// What can be referred to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Node<'a> {
    /// `{type, name}`
    Named { kind: &'a str, name: &'a str },
    /// `{id}`; none if no concept can have that id.
    Concept { id: Option<ConceptId> },
    /// `(id:)`, and the predicate that is part of it; none if no link can have that id.
    Link { id: Option<LinkId>, text: &'a str },
    /// `(subject, predicate, object)`; both ends are nodes that come before this one.
    Triple { subject: usize, predicate: &'a str, object: usize },
}

/// A node that has to be there, at one place of the text.
#[derive(Debug, Clone, Copy)]
pub(super) struct Need {
    pub(super) node: usize,
    pub(super) place: Place,
}

/// Where a reference stands, and where in it the name of its type or predicate.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) whole: Span,
    pub(super) definition: Span,
}

/// One element that is written.
#[derive(Debug)]
pub(super) struct Step {
    /// Which.
    pub(super) node: usize,
    pub(super) place: Place,
    /// What has to be there before; what others need comes first.
    pub(super) needs: Vec<Need>,
    pub(super) expect_version: Option<u64>,
    pub(super) attributes: Map,
    pub(super) metadata: Map,
    /// Whether it is a block of its own, whose id is answered.
    pub(super) is_block: bool,
}

/// A capsule.
#[derive(Debug, Default)]
pub(super) struct Plan<'a> {
    pub(super) nodes: Vec<Node<'a>>,
    pub(super) steps: Vec<Step>,
}

/// Makes out every reference of a capsule.
///
/// What is said about all is copied to each of them, and counts so often.
pub(super) fn plan<'a>(capsule: &'a [Upsert], budget: &mut Budget<'_>) -> Result<Plan<'a>, KipError> {
    let mut planner =
        Planner { plan: Plan::default(), known: HashMap::new(), handles: Handles::default(), budget };
    for upsert in capsule {
        planner.upsert(upsert)?;
    }
    Ok(planner.plan)
}

struct Planner<'a, 'b, 'c> {
    plan: Plan<'a>,
    known: HashMap<Node<'a>, usize>,
    handles: Handles<'a>,
    budget: &'b mut Budget<'c>,
}

impl<'a> Planner<'a, '_, '_> {
    fn upsert(&mut self, upsert: &'a Upsert) -> Result<(), KipError> {
        // Handles are known inside of one UPSERT only.
        self.handles = Handles::of(upsert);
        let outer = values(upsert.metadata.as_ref())?;
        for block in &upsert.blocks {
            match &block.node {
                Block::Concept(concept) => self.concept(concept, &outer)?,
                Block::Proposition(proposition) => self.proposition(proposition, &outer)?,
            }
        }
        Ok(())
    }

    fn concept(&mut self, block: &'a ConceptBlock, outer: &Map) -> Result<(), KipError> {
        let (node, place) = self.concept_node(&block.matcher)?;
        // A concept may be linked to itself.
        if let Some(handle) = &block.handle {
            self.handles.define(handle, node)?;
        }
        let metadata = self.within(outer, block.metadata.as_ref())?;
        self.hold(&metadata)?;
        self.plan.steps.push(Step {
            node,
            place,
            needs: Vec::new(),
            expect_version: given(block.expect_version.as_ref())?,
            attributes: values(block.attributes.as_ref())?,
            metadata: metadata.clone(),
            is_block: true,
        });
        block.links.iter().try_for_each(|link| self.link(node, link, &metadata))
    }

    fn link(&mut self, subject: usize, link: &'a Link, outer: &Map) -> Result<(), KipError> {
        let predicate = link.predicate.given()?;
        let mut needs = Vec::new();
        let object = self.term(&link.target, &mut needs)?;
        let node = self.node(Node::Triple { subject, predicate, object });
        let metadata = self.within(outer, link.metadata.as_ref())?;
        self.plan.steps.push(Step {
            node,
            place: Place { whole: link.span, definition: link.predicate.span },
            needs,
            expect_version: None,
            attributes: Map::new(),
            metadata,
            is_block: false,
        });
        Ok(())
    }

    fn proposition(&mut self, block: &'a PropositionBlock, outer: &Map) -> Result<(), KipError> {
        let mut needs = Vec::new();
        let (node, place) = self.link_node(&block.matcher, &mut needs)?;
        if let Some(handle) = &block.handle {
            self.handles.define(handle, node)?;
        }
        let metadata = self.within(outer, block.metadata.as_ref())?;
        self.plan.steps.push(Step {
            node,
            place,
            needs,
            expect_version: given(block.expect_version.as_ref())?,
            attributes: values(block.attributes.as_ref())?,
            metadata,
            is_block: true,
        });
        Ok(())
    }

    /// What stands at an end of a link, which has to be there.
    fn term(&mut self, term: &'a Term, needs: &mut Vec<Need>) -> Result<usize, KipError> {
        let (node, place, handle) = match term {
            Term::Variable(handle) => return self.handle(handle, needs),
            Term::Concept { variable, matcher } => {
                let (node, place) = self.concept_node(matcher)?;
                (node, place, variable)
            }
            Term::Proposition { variable, matcher } => {
                let (node, place) = self.link_node(matcher, needs)?;
                (node, place, variable)
            }
        };
        needs.push(Need { node, place });
        if let Some(handle) = handle {
            self.handles.define_again(handle, node)?;
        }
        Ok(node)
    }

    fn handle(&mut self, handle: &'a Text, needs: &mut Vec<Need>) -> Result<usize, KipError> {
        let node = self.handles.find(handle)?;
        needs.push(Need { node, place: Place { whole: handle.span, definition: handle.span } });
        Ok(node)
    }

    fn concept_node(&mut self, matcher: &'a ConceptMatch) -> Result<(usize, Place), KipError> {
        let place = |definition| Place { whole: matcher.span, definition };
        if let Some(id) = &matcher.id {
            let node = Node::Concept { id: concept_id(id)? };
            return Ok((self.node(node), place(id.span)));
        }
        let (Some(kind), Some(name)) = (&matcher.kind, &matcher.name) else {
            return Err(not_one(matcher.span));
        };
        let node = Node::Named { kind: kind.given()?, name: name.given()? };
        Ok((self.node(node), place(kind.span)))
    }

    fn link_node(
        &mut self,
        matcher: &'a PropositionMatch,
        needs: &mut Vec<Need>,
    ) -> Result<(usize, Place), KipError> {
        match matcher {
            PropositionMatch::Id { id, span } => {
                let node = Node::Link { id: link_id(id)?, text: id.given()? };
                Ok((self.node(node), Place { whole: *span, definition: id.span }))
            }
            PropositionMatch::Triple(triple) => self.triple(triple, needs),
        }
    }

    fn triple(&mut self, triple: &'a Triple, needs: &mut Vec<Need>) -> Result<(usize, Place), KipError> {
        let (predicate, definition) = literal(triple)?;
        let subject = self.term(&triple.subject, needs)?;
        let object = self.term(&triple.object, needs)?;
        let node = self.node(Node::Triple { subject, predicate, object });
        Ok((node, Place { whole: triple.span, definition }))
    }

    /// What is said inside, over what is said around it: key by key, and a null counts as said.
    fn within(&mut self, outer: &Map, inner: Option<&Object>) -> Result<Map, KipError> {
        self.hold(outer)?;
        let mut both = outer.clone();
        both.extend(values(inner)?);
        Ok(both)
    }

    /// A copy of these is held from now on.
    fn hold(&mut self, map: &Map) -> Result<(), KipError> {
        self.budget.step()?;
        self.budget
            .hold(map.iter().map(|(key, value)| size_of::<String>() + key.len() + value_bytes(value)).sum())
    }

    fn node(&mut self, node: Node<'a>) -> usize {
        *self.known.entry(node).or_insert_with(|| {
            self.plan.nodes.push(node);
            self.plan.nodes.len() - 1
        })
    }
}

/// The one predicate of a triple that is written.
fn literal(triple: &Triple) -> Result<(&str, Span), KipError> {
    let unclear = |what: &str, span| {
        KipError::new(KipCode::InvalidSyntax, format!("{what} does not name one predicate"))
            .hint("a proposition that is written has one predicate in quotes: (?a, \"treats\", ?b)")
            .at(span)
    };
    match &triple.predicate {
        Predicate::OneOf(names) => match &names[..] {
            [name] => Ok((name.given()?, name.span)),
            _ => Err(unclear("a list of predicates", triple.span)),
        },
        Predicate::Path { span, .. } => Err(unclear("a path", *span)),
        Predicate::Variable(variable) => {
            Err(unclear(&format!("the variable ?{}", variable.node), variable.span))
        }
    }
}

fn not_one(span: Span) -> KipError {
    KipError::new(KipCode::InvalidSyntax, "this does not name one concept")
        .hint("name it with both {type: \"…\", name: \"…\"}, or with {id: \"…\"}")
        .at(span)
}

/// The concept that an id names; none if there can be no such concept.
fn concept_id(id: &Spanned<Slot<String>>) -> Result<Option<ConceptId>, KipError> {
    let text = id.given()?;
    if !text.starts_with("C:") {
        let hint = "ids of concepts begin with C:; name a link as (id: \"P:…\")";
        return Err(wrong_kind(text, "concept", id.span).hint(hint));
    }
    Ok(parse_id(text).and_then(|parsed| match parsed.element {
        Element::Concept(id) => Some(id),
        Element::Link(_) => None,
    }))
}

/// The link that an id names; none if there can be no such link.
fn link_id(id: &Spanned<Slot<String>>) -> Result<Option<LinkId>, KipError> {
    let text = id.given()?;
    if !text.starts_with("P:") {
        let hint = "ids of links begin with P:; name a concept as {id: \"C:…\"}";
        return Err(wrong_kind(text, "link", id.span).hint(hint));
    }
    Ok(parse_id(text).and_then(|parsed| match parsed.element {
        Element::Link(id) => Some(id),
        Element::Concept(_) => None,
    }))
}

fn wrong_kind(text: &str, kind: &str, span: Span) -> KipError {
    KipError::new(KipCode::InvalidSyntax, format!("{text:?} is not the id of a {kind}")).at(span)
}

fn values(object: Option<&Object>) -> Result<Map, KipError> {
    object.map_or_else(|| Ok(Map::new()), Object::value)
}

fn given(version: Option<&Spanned<Slot<u64>>>) -> Result<Option<u64>, KipError> {
    version.map(|version| version.given().copied()).transpose()
}
