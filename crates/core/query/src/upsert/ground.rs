//! What the store knows of the things a capsule refers to.
//!
//! Everything is asked in a few calls, however long the capsule is: one for the names of types and
//! predicates, one for the names of concepts, one each for ids of concepts and links, and one for each
//! level of propositions inside each other.

use std::collections::HashMap;

use cairn_graph::known::{CONCEPT_TYPE, PROPOSITION_TYPE};
use cairn_graph::{ConceptId, Element, LinkId, Lookup, Meta, PredicateId, TypeId, View};
use cairn_kip::{KipCode, KipError};
use cairn_seam::Visit;

use super::plan::{Need, Node, Place, Plan};
use crate::absent::absent_hint;
use crate::hash::{FastMap, HashMapExt};
use crate::{QueryError, unregistered};

/// The three parts of a proposition.
pub(super) type Parts = (Element, PredicateId, Element);

/// A predicate, and what stands at one of its ends.
pub(super) type End = (PredicateId, Element);

/// What is known of the nodes of a plan, while it is carried out.
pub(super) struct Ground<'a> {
    types: HashMap<&'a str, TypeId>,
    predicates: HashMap<&'a str, PredicateId>,
    /// What each node is, if it is there by now.
    elements: Vec<Option<Element>>,
    /// Links that were written by now, however they were referred to.
    links: FastMap<Parts, LinkId>,
}

impl<'a> Ground<'a> {
    /// Asks the store.
    pub(super) fn ask(view: &View<'_>, plan: &Plan<'a>) -> Result<Self, QueryError> {
        let mut ground = Ground {
            types: HashMap::new(),
            predicates: HashMap::new(),
            elements: vec![None; plan.nodes.len()],
            links: FastMap::new(),
        };
        ground.ask_definitions(view, plan)?;
        ground.ask_names(view, plan)?;
        ground.ask_ids(view, plan)?;
        ground.ask_triples(view, plan)?;
        Ok(ground)
    }

    fn ask_definitions(&mut self, view: &View<'_>, plan: &Plan<'a>) -> Result<(), QueryError> {
        let mut wanted = Vec::new();
        for node in &plan.nodes {
            match node {
                Node::Named { kind, .. } => wanted.push((CONCEPT_TYPE, *kind)),
                Node::Triple { predicate, .. } => wanted.push((PROPOSITION_TYPE, *predicate)),
                Node::Concept { .. } | Node::Link { .. } => {}
            }
        }
        wanted.sort_unstable();
        wanted.dedup();
        for ((meta, name), found) in wanted.iter().zip(view.find_concepts(&wanted)?) {
            let Some(found) = found else { continue };
            self.note_definition(*meta, name, found);
        }
        Ok(())
    }

    fn ask_names(&mut self, view: &View<'_>, plan: &Plan<'a>) -> Result<(), QueryError> {
        let (mut at, mut wanted) = (Vec::new(), Vec::new());
        for (index, node) in plan.nodes.iter().enumerate() {
            // Nothing is of a type that nobody has defined yet.
            if let Node::Named { kind, name } = node
                && let Some(kind) = self.types.get(kind)
            {
                at.push(index);
                wanted.push((*kind, *name));
            }
        }
        for (index, found) in at.into_iter().zip(view.find_concepts(&wanted)?) {
            self.elements[index] = found.map(Element::Concept);
        }
        Ok(())
    }

    fn ask_ids(&mut self, view: &View<'_>, plan: &Plan<'a>) -> Result<(), QueryError> {
        let (mut concepts, mut links) = (Vec::new(), Vec::new());
        for (index, node) in plan.nodes.iter().enumerate() {
            match node {
                Node::Concept { id } => concepts.extend(id.map(|id| (index, id))),
                Node::Link { id, .. } => links.extend(id.map(|id| (index, id))),
                Node::Named { .. } | Node::Triple { .. } => {}
            }
        }
        let ids: Vec<_> = concepts.iter().map(|(_, id)| *id).collect();
        for ((index, id), kind) in concepts.into_iter().zip(view.types_of(&ids)?) {
            self.elements[index] = kind.map(|_| Element::Concept(id));
        }
        let ids: Vec<_> = links.iter().map(|(_, id)| *id).collect();
        let mut predicates = vec![None; links.len()];
        view.links(&ids, &mut |place, link| predicates[place] = link.map(|link| link.edge.predicate))?;
        for ((index, id), predicate) in links.into_iter().zip(predicates) {
            let Some(predicate) = predicate else { continue };
            // The predicate is part of an id: one with another predicate names nothing.
            let name = view.definition_name(predicate.0)?.unwrap_or_default();
            let Node::Link { text, .. } = plan.nodes[index] else { continue };
            self.elements[index] = (cairn_graph::link_text(id, &name) == text).then_some(Element::Link(id));
        }
        Ok(())
    }

    /// Level by level: the ends of a proposition are made out before it is.
    fn ask_triples(&mut self, view: &View<'_>, plan: &Plan<'a>) -> Result<(), QueryError> {
        let mut levels: Vec<Vec<usize>> = Vec::new();
        let mut level_of = vec![0; plan.nodes.len()];
        for (index, node) in plan.nodes.iter().enumerate() {
            let Node::Triple { subject, object, .. } = node else { continue };
            let level: usize = level_of[*subject].max(level_of[*object]) + 1;
            level_of[index] = level;
            levels.resize_with(levels.len().max(level), Vec::new);
            levels[level - 1].push(index);
        }
        for level in levels {
            let (mut at, mut lookups) = (Vec::new(), Vec::new());
            for index in level {
                if let Some((subject, predicate, object)) = self.parts(plan.nodes[index]) {
                    at.push(index);
                    lookups.push(Lookup::Exact { subject, predicate, object });
                }
            }
            view.edges(&lookups, &mut |place, edge| {
                self.elements[at[place]] = Some(Element::Link(edge.link));
                Visit::Continue
            })?;
        }
        Ok(())
    }

    /// The parts of a proposition, if they are there by now.
    pub(super) fn parts(&self, node: Node<'_>) -> Option<Parts> {
        let Node::Triple { subject, predicate, object } = node else { return None };
        Some((self.elements[subject]?, *self.predicates.get(predicate)?, self.elements[object]?))
    }

    /// The ends of a proposition that are there, each with its predicate: subject and object.
    pub(super) fn ends(&self, node: Node<'_>) -> (Option<End>, Option<End>) {
        let Node::Triple { subject, predicate, object } = node else { return (None, None) };
        let Some(predicate) = self.predicates.get(predicate) else { return (None, None) };
        let end = |node: usize| self.elements[node].map(|element| (*predicate, element));
        (end(subject), end(object))
    }

    /// What a node is, if it is there by now.
    pub(super) fn element(&self, plan: &Plan<'_>, node: usize) -> Option<Element> {
        let written = || self.links.get(&self.parts(plan.nodes[node])?).copied().map(Element::Link);
        self.elements[node].or_else(written)
    }

    /// Fails with what to do about it if something is not there.
    pub(super) fn require(
        &mut self,
        view: &View<'_>,
        plan: &Plan<'_>,
        need: &Need,
    ) -> Result<(), QueryError> {
        if let Some(found) = self.element(plan, need.node) {
            // It may have been written under another reference; what is around this one finds it here.
            self.elements[need.node] = Some(found);
            return Ok(());
        }
        let node = plan.nodes[need.node];
        match node {
            Node::Named { kind, name } => {
                let kind = self.kind(view, kind, need.place)?;
                let hint = absent_hint(view, kind, name)?;
                let hint = format!("{hint}, or write it in front with CONCEPT {{ {} }}", reference(node));
                return Err(missing(node, need.place).hint(hint).into());
            }
            Node::Triple { predicate, .. } => drop(self.predicate(view, predicate, need.place)?),
            Node::Concept { .. } | Node::Link { .. } => {}
        }
        Err(missing(node, need.place).into())
    }

    /// A type that is registered by now.
    pub(super) fn kind(&self, view: &View<'_>, name: &str, place: Place) -> Result<TypeId, QueryError> {
        match self.types.get(name) {
            Some(kind) => Ok(*kind),
            None => Err(unregistered(view, Meta::Types, name)?.at(place.definition).into()),
        }
    }

    /// A predicate that is registered by now.
    pub(super) fn predicate(
        &self,
        view: &View<'_>,
        name: &str,
        place: Place,
    ) -> Result<PredicateId, QueryError> {
        match self.predicates.get(name) {
            Some(predicate) => Ok(*predicate),
            None => Err(unregistered(view, Meta::Predicates, name)?.at(place.definition).into()),
        }
    }

    /// A concept was written, and may be a definition.
    pub(super) fn note_concept(&mut self, node: usize, kind: TypeId, id: ConceptId, plan: &Plan<'a>) {
        self.elements[node] = Some(Element::Concept(id));
        if let Node::Named { name, .. } = plan.nodes[node] {
            self.note_definition(kind, name, id);
        }
    }

    /// A link was written.
    pub(super) fn note_link(&mut self, node: usize, id: LinkId, plan: &Plan<'a>) {
        self.elements[node] = Some(Element::Link(id));
        if let Some(parts) = self.parts(plan.nodes[node]) {
            self.links.insert(parts, id);
        }
    }

    fn note_definition(&mut self, kind: TypeId, name: &'a str, id: ConceptId) {
        if kind == CONCEPT_TYPE {
            self.types.insert(name, TypeId(id.0));
        } else if kind == PROPOSITION_TYPE {
            self.predicates.insert(name, PredicateId(id.0));
        }
    }
}

/// How a concept is named.
fn reference(node: Node<'_>) -> String {
    match node {
        Node::Named { kind, name } => format!("{{type: {kind:?}, name: {name:?}}}"),
        Node::Concept { .. } | Node::Link { .. } | Node::Triple { .. } => String::new(),
    }
}

/// Something that is referred to is not there.
pub(super) fn missing(node: Node<'_>, place: Place) -> KipError {
    let (what, hint) = match node {
        Node::Named { kind, name } => (
            format!("there is no {kind} called {name:?}"),
            format!(
                "find the exact name with SEARCH CONCEPT {name:?}, or write it in front with CONCEPT {{ {} }}",
                reference(node)
            ),
        ),
        Node::Concept { id } => (
            id.map_or("there is no concept with this id".to_owned(), |id| {
                format!("there is no concept {id}")
            }),
            "{id} finds what is there and creates nothing; find it with SEARCH CONCEPT \"<words>\""
                .to_owned(),
        ),
        Node::Link { text, .. } => (
            format!("there is no link {text:?}"),
            "(id:) finds what is there and creates nothing; find it with FIND(?link) WHERE { ?link (…) }"
                .to_owned(),
        ),
        Node::Triple { predicate, .. } => (
            format!("there is no such {predicate:?} link"),
            format!(
                "write it in front with PROPOSITION {{ (…, {predicate:?}, …) }}, or find what is there with \
                 SEARCH PROPOSITION \"<words>\""
            ),
        ),
    };
    KipError::new(KipCode::NotFound, what).hint(hint).at(place.whole)
}
