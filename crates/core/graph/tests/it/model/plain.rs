//! The graph as plain maps: what is right by looking at everything.

use std::collections::{BTreeMap, BTreeSet};

use cairn_base::Value;
use cairn_graph::{
    Concept, ConceptId, Deleted, Edge, Element, GraphError, GraphEvent, Link, LinkId, LinkTarget, Lookup,
    Map, Meta, Outcome, Part, PredicateId, Statistic, Target, TypeId, known,
};
use cairn_seam::Visit;

use super::Operation;
use crate::kit::{Kit, json};

#[derive(Debug, Clone)]
pub(crate) struct Plain {
    pub(crate) concepts: BTreeMap<ConceptId, Concept>,
    pub(crate) links: BTreeMap<LinkId, Link>,
    last_concept: u64,
    last_link: u64,
    pub(crate) schema: u64,
    space: cairn_base::SpaceId,
    pub(crate) events: Vec<GraphEvent>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Answer {
    Concept(ConceptId, TypeId, Outcome),
    Link(LinkId, Outcome),
    Removed(bool),
    Deleted(Deleted),
    DeletedLinks(u64),
}

type Refused = &'static str;

#[expect(clippy::wildcard_enum_match_arm, reason = "the steps run into no other")]
pub(crate) fn kind_of_error(error: &GraphError) -> Refused {
    match error {
        GraphError::NoConcept(_) => "no concept",
        GraphError::NoLink(_) => "no link",
        GraphError::NoType(_) => "no type",
        GraphError::Protected { .. } => "protected",
        GraphError::TypeInUse { .. } => "in use",
        GraphError::VersionMismatch { .. } => "version",
        other => panic!("{other}"),
    }
}

impl Plain {
    /// What is there when a test begins.
    pub(crate) fn of(kit: &Kit) -> Self {
        kit.read(|view| {
            let (mut wanted, mut ids) = (Vec::new(), Vec::new());
            view.all_concepts(None, &mut |id, kind| {
                wanted.push((id, kind));
                Visit::Continue
            })
            .unwrap();
            view.edges(&[Lookup::All { after: None }], &mut |_, edge| {
                ids.push(edge.link);
                Visit::Continue
            })
            .unwrap();
            let (mut concepts, mut links) = (BTreeMap::new(), BTreeMap::new());
            view.concepts(&wanted, &mut |place, concept| {
                concepts.insert(wanted[place].0, concept.unwrap());
            })
            .unwrap();
            view.links(&ids, &mut |place, link| {
                links.insert(ids[place], link.unwrap());
            })
            .unwrap();
            Plain {
                last_concept: concepts.len() as u64,
                last_link: links.len() as u64,
                concepts,
                links,
                schema: view.schema_generation().unwrap(),
                space: kit.scope.space(),
                events: Vec::new(),
            }
        })
    }

    pub(crate) fn of_kind(&self, kind: TypeId) -> Vec<ConceptId> {
        self.concepts.values().filter(|concept| concept.kind == kind).map(|concept| concept.id).collect()
    }

    pub(crate) fn apply(&mut self, operation: &Operation, now_ms: u64) -> Result<Answer, Refused> {
        match operation {
            Operation::Concept(write) => {
                self.concept(&write.target, write.expect_version, &write.attributes, &write.metadata, now_ms)
            }
            Operation::Link(write) => {
                self.link(write.target, write.expect_version, &write.attributes, &write.metadata, now_ms)
            }
            Operation::Remove(element, part, keys) => self.remove(*element, *part, keys, now_ms),
            Operation::DeleteConcepts(ids) => self.delete_concepts(ids),
            Operation::DeleteLinks(ids) => self.delete_links(ids),
        }
    }

    fn concept(
        &mut self,
        target: &Target,
        expect: Option<u64>,
        attributes: &Map,
        metadata: &Map,
        now_ms: u64,
    ) -> Result<Answer, Refused> {
        let found = match target {
            Target::Id(id) => Some(*id).filter(|id| self.concepts.contains_key(id)),
            Target::Named(kind, name) => {
                let has_name = |concept: &&Concept| concept.kind == *kind && concept.name == *name;
                self.concepts.values().find(has_name).map(|concept| concept.id)
            }
        };
        let Some(id) = found else {
            let Target::Named(kind, name) = target else { return Err("no concept") };
            if expect.is_some_and(|expected| expected != 0) {
                return Err("version");
            }
            if self.concepts.get(&kind.concept()).is_none_or(|concept| concept.kind != known::CONCEPT_TYPE) {
                return Err("no type");
            }
            self.last_concept += 1;
            let id = ConceptId(self.last_concept);
            let (attributes, metadata) = (attributes.clone(), metadata.clone());
            let (version, created_at_ms, updated_at_ms) = (1, now_ms, now_ms);
            let name = name.clone();
            self.concepts.insert(
                id,
                Concept {
                    id,
                    kind: *kind,
                    name,
                    attributes,
                    metadata,
                    version,
                    created_at_ms,
                    updated_at_ms,
                },
            );
            self.concept_changed(id);
            return Ok(Answer::Concept(id, *kind, Outcome::Created));
        };
        let concept = self.concepts.get_mut(&id).unwrap();
        let kind = concept.kind;
        if expect.is_some_and(|expected| expected != concept.version) {
            return Err("version");
        }
        if is_fixed(id) && !(attributes.is_empty() && metadata.is_empty()) {
            return Err("protected");
        }
        let before = (json(&concept.attributes), json(&concept.metadata));
        concept.attributes.extend(attributes.clone());
        concept.metadata.extend(metadata.clone());
        if before == (json(&concept.attributes), json(&concept.metadata)) {
            return Ok(Answer::Concept(id, kind, Outcome::Unchanged));
        }
        concept.version += 1;
        concept.updated_at_ms = now_ms;
        self.concept_changed(id);
        Ok(Answer::Concept(id, kind, Outcome::Updated))
    }

    fn concept_changed(&mut self, id: ConceptId) {
        self.events.push(GraphEvent::ConceptChanged(self.space, id));
        self.schema += u64::from(Meta::of_kind(self.concepts[&id].kind).is_some());
    }

    fn type_of(&self, end: Element) -> Result<Option<TypeId>, Refused> {
        match end {
            Element::Concept(id) => {
                self.concepts.get(&id).map(|concept| Some(concept.kind)).ok_or("no concept")
            }
            Element::Link(id) => self.links.get(&id).map(|_| None).ok_or("no link"),
        }
    }

    fn link(
        &mut self,
        target: LinkTarget,
        expect: Option<u64>,
        attributes: &Map,
        metadata: &Map,
        now_ms: u64,
    ) -> Result<Answer, Refused> {
        let found = match target {
            LinkTarget::Id(id) => Some(id).filter(|id| self.links.contains_key(id)),
            LinkTarget::Triple(subject, predicate, object) => {
                let is_it = |link: &&Link| {
                    (link.edge.subject, link.edge.predicate, link.edge.object) == (subject, predicate, object)
                };
                self.links.values().find(is_it).map(|link| link.id)
            }
        };
        let Some(id) = found else {
            let LinkTarget::Triple(subject, predicate, object) = target else { return Err("no link") };
            if expect.is_some_and(|expected| expected != 0) {
                return Err("version");
            }
            let (subject_type, object_type) = (self.type_of(subject)?, self.type_of(object)?);
            if is_fixed_end(subject) {
                return Err("protected");
            }
            self.last_link += 1;
            let id = LinkId(self.last_link);
            let edge = Edge { subject, predicate, object, link: id, subject_type, object_type };
            let (attributes, metadata) = (attributes.clone(), metadata.clone());
            let (version, created_at_ms, updated_at_ms) = (1, now_ms, now_ms);
            self.link_changed(id, has_text(&attributes));
            self.links
                .insert(id, Link { id, edge, attributes, metadata, version, created_at_ms, updated_at_ms });
            return Ok(Answer::Link(id, Outcome::Created));
        };
        let link = self.links.get_mut(&id).unwrap();
        if expect.is_some_and(|expected| expected != link.version) {
            return Err("version");
        }
        if is_fixed_end(link.edge.subject) && !(attributes.is_empty() && metadata.is_empty()) {
            return Err("protected");
        }
        let before = link.clone();
        link.attributes.extend(attributes.clone());
        link.metadata.extend(metadata.clone());
        if (json(&before.attributes), json(&before.metadata))
            == (json(&link.attributes), json(&link.metadata))
        {
            return Ok(Answer::Link(id, Outcome::Unchanged));
        }
        link.version += 1;
        link.updated_at_ms = now_ms;
        let is_told = has_text(&before.attributes) || has_text(&link.attributes);
        self.link_changed(id, is_told);
        Ok(Answer::Link(id, Outcome::Updated))
    }

    fn link_changed(&mut self, id: LinkId, is_told: bool) {
        self.events.extend(is_told.then_some(GraphEvent::LinkChanged(self.space, id)));
    }

    fn remove(
        &mut self,
        element: Element,
        part: Part,
        keys: &[String],
        now_ms: u64,
    ) -> Result<Answer, Refused> {
        self.type_of(element)?;
        let subject = match element {
            Element::Concept(_) => element,
            Element::Link(id) => self.links[&id].edge.subject,
        };
        if is_fixed_end(subject) && !keys.is_empty() {
            return Err("protected");
        }
        let (attributes, metadata, version, updated_at_ms) = match element {
            Element::Concept(id) => {
                let Concept { attributes, metadata, version, updated_at_ms, .. } =
                    self.concepts.get_mut(&id).unwrap();
                (attributes, metadata, version, updated_at_ms)
            }
            Element::Link(id) => {
                let Link { attributes, metadata, version, updated_at_ms, .. } =
                    self.links.get_mut(&id).unwrap();
                (attributes, metadata, version, updated_at_ms)
            }
        };
        let had_text = has_text(attributes);
        let map = match part {
            Part::Attributes => attributes,
            Part::Metadata => metadata,
        };
        let before = map.len();
        map.retain(|key, _| !keys.contains(key));
        if map.len() == before {
            return Ok(Answer::Removed(false));
        }
        *version += 1;
        *updated_at_ms = now_ms;
        match element {
            Element::Concept(id) => self.concept_changed(id),
            Element::Link(id) => self.link_changed(id, had_text),
        }
        Ok(Answer::Removed(true))
    }

    fn delete_concepts(&mut self, ids: &[ConceptId]) -> Result<Answer, Refused> {
        let ids: BTreeSet<ConceptId> =
            ids.iter().copied().filter(|id| self.concepts.contains_key(id)).collect();
        if ids.iter().any(|id| is_fixed(*id) || is_kept(&self.concepts[id])) {
            return Err("protected");
        }
        let links = self.cascade(ids.iter().map(|id| Element::Concept(*id)).collect());
        let deleted: Vec<Concept> = ids.iter().map(|id| self.concepts.remove(id).unwrap()).collect();
        for concept in &deleted {
            let is_used = self.concepts.values().any(|other| other.kind.concept() == concept.id)
                || self.links.values().any(|link| link.edge.predicate.concept() == concept.id);
            if is_used {
                return Err("in use");
            }
            self.events.push(GraphEvent::ConceptDeleted(self.space, concept.id));
            self.schema += u64::from(Meta::of_kind(concept.kind).is_some());
        }
        Ok(Answer::Deleted(Deleted { concepts: ids.len() as u64, links }))
    }

    fn delete_links(&mut self, ids: &[LinkId]) -> Result<Answer, Refused> {
        let ids: BTreeSet<LinkId> = ids.iter().copied().filter(|id| self.links.contains_key(id)).collect();
        if ids.iter().any(|id| is_fixed_end(self.links[id].edge.subject)) {
            return Err("protected");
        }
        let own = ids.len() as u64;
        for id in &ids {
            let link = self.links.remove(id).unwrap();
            self.link_deleted(&link);
        }
        let others = self.cascade(ids.into_iter().map(Element::Link).collect());
        Ok(Answer::DeletedLinks(own + others))
    }

    /// Removes links at these elements until none is left that begins or ends at nothing.
    fn cascade(&mut self, mut gone: BTreeSet<Element>) -> u64 {
        let mut count = 0;
        loop {
            let is_lost =
                |link: &&Link| gone.contains(&link.edge.subject) || gone.contains(&link.edge.object);
            let Some(id) = self.links.values().find(is_lost).map(|link| link.id) else { return count };
            let link = self.links.remove(&id).unwrap();
            self.link_deleted(&link);
            gone.insert(Element::Link(id));
            count += 1;
        }
    }

    fn link_deleted(&mut self, link: &Link) {
        let is_told = has_text(&link.attributes);
        self.events.extend(is_told.then_some(GraphEvent::LinkDeleted(self.space, link.id)));
    }

    /// Every count that is not zero.
    pub(crate) fn statistics(&self) -> BTreeMap<Statistic, u64> {
        let mut counts = BTreeMap::new();
        let mut ends: BTreeSet<(Statistic, Element)> = BTreeSet::new();
        let mut count = |of: Statistic| *counts.entry(of).or_insert(0) += 1;
        self.concepts.values().for_each(|concept| count(Statistic::Type(concept.kind)));
        for Link { edge, .. } in self.links.values() {
            count(Statistic::Predicate(edge.predicate));
            edge.subject_type
                .into_iter()
                .for_each(|kind| count(Statistic::SubjectType(kind, edge.predicate)));
            edge.object_type.into_iter().for_each(|kind| count(Statistic::ObjectType(edge.predicate, kind)));
            ends.insert((Statistic::Subjects(edge.predicate), edge.subject));
            ends.insert((Statistic::Objects(edge.predicate), edge.object));
        }
        ends.into_iter().for_each(|(statistic, _)| count(statistic));
        counts
    }

    /// The links of some kind, in the order of three numbers.
    pub(crate) fn edges(
        &self,
        is_wanted: impl Fn(&Edge) -> bool,
        order: impl Fn(&Edge) -> (u64, u64, u64),
    ) -> Vec<Edge> {
        let mut edges: Vec<Edge> =
            self.links.values().map(|link| link.edge).filter(|edge| is_wanted(edge)).collect();
        edges.sort_by_key(order);
        edges
    }

    pub(crate) fn predicates(&self) -> Vec<PredicateId> {
        self.of_kind(known::PROPOSITION_TYPE).into_iter().map(|id| PredicateId(id.0)).collect()
    }
}

fn is_fixed(id: ConceptId) -> bool {
    (1..=7).contains(&id.0)
}

/// What else cannot be deleted.
fn is_kept(concept: &Concept) -> bool {
    let names: &[&str] = match concept.kind {
        known::CONCEPT_TYPE => &["Person", "Event", "SleepTask"],
        known::PERSON => &["$self", "$system"],
        _ => &[],
    };
    names.contains(&concept.name.as_str())
}

fn is_fixed_end(end: Element) -> bool {
    matches!(end, Element::Concept(id) if is_fixed(id))
}

fn has_text(map: &Map) -> bool {
    fn texts(value: &Value, found: &mut bool) {
        match value {
            Value::String(text) => *found |= !text.is_empty(),
            Value::Array(items) => items.iter().for_each(|item| texts(item, found)),
            Value::Object(entries) => entries.values().for_each(|value| texts(value, found)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut found = false;
    map.values().for_each(|value| texts(value, &mut found));
    found
}
