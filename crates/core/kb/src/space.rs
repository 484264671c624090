//! The graph space of a branch: its name, its types and predicates, and reading it into memory.

use std::mem;

use cairn_base::Value;
use cairn_graph::{
    ConceptId, ConceptWrite, Element, LinkId, Lookup, Map, Part, PredicateId, RecordView, Target, TypeId, View,
    Writer, known,
};
use cairn_seam::Visit;

use crate::branch::{Branch, Edge, Ends, Node, NodeKey};
use crate::entity::Entity;
use crate::model::{EntityType, Relation};
use crate::sync::{FILE_TYPE, Files, Stored, StoredEntity, StoredLink};
use crate::{KbError, Result};

/// Numbers of the types and predicates of the KB in a space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schema {
    types: Vec<TypeId>,
    predicates: Vec<PredicateId>,
    /// The type of synced files; `None` before the first sync.
    files: Option<TypeId>,
}

impl Schema {
    /// Reads the numbers of a space that has them.
    pub fn read(view: &View<'_>) -> Result<Self> {
        let missing = |name: &str| KbError::Record(format!("the space has no `{name}`"));
        let types = EntityType::ALL.iter().map(|kind| {
            let name = kind.concept_type();
            view.type_id(name)?.ok_or_else(|| missing(name))
        });
        let predicates = Relation::ALL
            .iter()
            .map(|relation| view.predicate_id(relation.text())?.ok_or_else(|| missing(relation.text())));
        Ok(Schema {
            types: types.collect::<Result<_>>()?,
            predicates: predicates.collect::<Result<_>>()?,
            files: view.type_id(FILE_TYPE)?,
        })
    }

    /// The number of the concept type of synced files; `None` before the first sync.
    pub fn type_of_files(&self) -> Option<TypeId> {
        self.files
    }

    /// The same schema of a space in which synced files have this type.
    #[must_use]
    pub fn with_type_of_files(self, files: TypeId) -> Self {
        Schema { files: Some(files), ..self }
    }

    /// The number of the concept type of a type of entities.
    pub fn type_of(&self, kind: EntityType) -> TypeId {
        self.types[kind as usize]
    }

    /// The number of the predicate of a relationship type.
    pub fn predicate_of(&self, relation: Relation) -> PredicateId {
        self.predicates[relation as usize]
    }

    /// The relationship type of a predicate; `None` if it is none of the KB.
    pub fn relation_of(&self, predicate: PredicateId) -> Option<Relation> {
        let all = Relation::ALL.iter().zip(&self.predicates);
        all.into_iter().find(|(_, number)| **number == predicate).map(|(relation, _)| *relation)
    }
}

/// Defines the types and predicates of the KB in a new space.
pub fn define(writer: &mut Writer<'_>) -> Result<()> {
    let kinds = EntityType::ALL.iter().map(|kind| {
        let about = format!("Entities of type `{kind}` of the requirements KB; the name is the entity's id.");
        (known::CONCEPT_TYPE, kind.concept_type(), about)
    });
    let relations = Relation::ALL.iter().map(|relation| {
        let pairs = relation.pairs().unwrap_or_default().iter();
        let pairs: Vec<_> =
            pairs.map(|(from, to)| format!("{} -> {}", from.concept_type(), to.concept_type())).collect();
        let pairs = if pairs.is_empty() { "any -> any".to_owned() } else { pairs.join(", ") };
        (known::PROPOSITION_TYPE, relation.text(), format!("Relationship of the requirements KB: {pairs}."))
    });
    for (kind, name, about) in kinds.chain(relations) {
        writer.upsert_concept(ConceptWrite {
            target: Target::Named(kind, name.to_owned()),
            expect_version: None,
            attributes: Map::from([("description".to_owned(), Value::String(about))]),
            metadata: Map::new(),
        })?;
    }
    Ok(())
}

/// Reads whole entities; `None` for those that are not there.
pub fn entities(
    view: &View<'_>,
    schema: &Schema,
    wanted: &[(NodeKey, EntityType)],
) -> Result<Vec<Option<Entity>>> {
    let ids: Vec<_> = wanted.iter().map(|(key, kind)| (ConceptId(key.0), schema.type_of(*kind))).collect();
    let mut found = Vec::with_capacity(wanted.len());
    view.concepts(&ids, &mut |place, concept| {
        let kind = wanted[place].1;
        found.push(concept.map(|concept| Entity { id: concept.name, kind, attributes: concept.attributes }));
    })?;
    Ok(found)
}

/// Reads whole entities with the relationships that start at them; with `true`, also those that end at them. Those that
/// are not there are left out.
pub fn stored_entities(
    view: &View<'_>,
    schema: &Schema,
    wanted: &[(NodeKey, EntityType, bool)],
) -> Result<Stored> {
    let typed: Vec<_> = wanted.iter().map(|(key, kind, _)| (*key, *kind)).collect();
    let found = entities(view, schema, &typed)?;
    let mut stored = Stored::with_capacity(wanted.len());
    for (entity, (key, ..)) in found.into_iter().zip(wanted) {
        if let Some(entity) = entity {
            stored.insert(*key, StoredEntity { entity, links: Vec::new(), incoming: Vec::new() });
        }
    }
    let element = |key: &NodeKey| Element::Concept(ConceptId(key.0));
    let out = wanted.iter().map(|(key, ..)| Lookup::Out { subject: element(key), predicate: None });
    let incoming = wanted.iter().filter(|(.., is_wanted)| *is_wanted);
    let incoming = incoming.map(|(key, ..)| Lookup::In { object: element(key), predicate: None });
    let lookups: Vec<Lookup> = out.chain(incoming).collect();
    let mut edges: Vec<(bool, LinkId, Edge)> = Vec::new();
    view.edges(&lookups, &mut |place, edge| {
        let relation =
            Relation::ALL.iter().find(|relation| schema.predicate_of(**relation) == edge.predicate);
        if let (Some(relation), Element::Concept(from), Element::Concept(to)) =
            (relation, edge.subject, edge.object)
        {
            let (from, to) = (NodeKey(from.0), NodeKey(to.0));
            edges.push((place < wanted.len(), edge.link, Edge { relation: *relation, from, to }));
        }
        Visit::Continue
    })?;
    let ids: Vec<LinkId> = edges.iter().map(|(_, id, _)| *id).collect();
    view.links(&ids, &mut |place, link| {
        let (starts, _, Edge { relation, from, to }) = edges[place];
        let mut metadata = link.map(|link| link.metadata).unwrap_or_default();
        metadata.retain(|name, _| !name.starts_with('_'));
        match stored.get_mut(if starts { &from } else { &to }) {
            Some(known) if starts => known.links.push(StoredLink { relation, to, metadata }),
            Some(known) => known.incoming.push((from, relation, metadata)),
            None => {}
        }
    })?;
    Ok(stored)
}

/// Reads a branch into memory, page by page, because snapshots are short-lived. Nobody may write to the space
/// between two pages.
#[derive(Debug, Default)]
pub struct Loading {
    branch: Branch,
    files: Files,
    after_file: Option<ConceptId>,
    has_files: bool,
    kind: usize,
    after_entity: Option<ConceptId>,
    after_link: Option<LinkId>,
}

impl Loading {
    /// Reads about as many rows as it may; returns the branch and its files when they are complete.
    pub fn page(
        &mut self,
        view: &View<'_>,
        schema: &Schema,
        rows_max: usize,
    ) -> Result<Option<(Branch, Files)>> {
        let mut rows = 0;
        while let Some(kind) = EntityType::ALL.get(self.kind) {
            if !self.entities_page(view, schema, *kind, rows_max, &mut rows)? {
                return Ok(None);
            }
            (self.kind, self.after_entity) = (self.kind + 1, None);
        }
        if !self.edges_page(view, schema, rows_max, &mut rows)? {
            return Ok(None);
        }
        if !self.has_files && !self.files_page(view, schema, rows_max, &mut rows)? {
            return Ok(None);
        }
        self.has_files = true;
        Ok(Some((mem::take(&mut self.branch), mem::take(&mut self.files))))
    }

    /// Reads synced files; returns whether those are all.
    fn files_page(
        &mut self,
        view: &View<'_>,
        schema: &Schema,
        rows_max: usize,
        rows: &mut usize,
    ) -> Result<bool> {
        let Some(kind) = schema.files else { return Ok(true) };
        let mut verdict = Ok(true);
        view.concepts_of_type(kind, self.after_file, &mut |id, record| {
            let name = record.name().unwrap_or_default();
            match record.attributes() {
                Ok(attributes) => self.files.load(name, &attributes),
                Err(error) => {
                    verdict = Err(error.into());
                    return Visit::Stop;
                }
            }
            self.after_file = Some(id);
            *rows += 1;
            if *rows < rows_max {
                return Visit::Continue;
            }
            verdict = Ok(false);
            Visit::Stop
        })?;
        verdict
    }

    /// Reads entities of a type; returns whether those are all.
    fn entities_page(
        &mut self,
        view: &View<'_>,
        schema: &Schema,
        kind: EntityType,
        rows_max: usize,
        rows: &mut usize,
    ) -> Result<bool> {
        let mut verdict = Ok(true);
        view.concepts_of_type(schema.type_of(kind), self.after_entity, &mut |id, record| {
            let name = record.name().unwrap_or_default();
            match record.attributes() {
                Ok(attributes) => self.branch.put(NodeKey(id.0), Node::of(name, kind, &attributes)),
                Err(error) => {
                    verdict = Err(error.into());
                    return Visit::Stop;
                }
            }
            self.after_entity = Some(id);
            *rows += 1;
            if *rows < rows_max {
                return Visit::Continue;
            }
            verdict = Ok(false);
            Visit::Stop
        })?;
        verdict
    }

    /// Reads relationships; returns whether those are all.
    fn edges_page(
        &mut self,
        view: &View<'_>,
        schema: &Schema,
        rows_max: usize,
        rows: &mut usize,
    ) -> Result<bool> {
        let mut verdict = Ok(true);
        view.all_links(self.after_link, &mut |id, record| {
            if let Err(error) = self.add_link(schema, &record) {
                verdict = Err(error);
                return Visit::Stop;
            }
            self.after_link = Some(id);
            *rows += 1;
            if *rows < rows_max {
                return Visit::Continue;
            }
            verdict = Ok(false);
            Visit::Stop
        })?;
        verdict
    }

    /// Adds a link, unless it is none of the KB.
    fn add_link(&mut self, schema: &Schema, record: &RecordView<'_>) -> Result<()> {
        let Some(edge) = record.edge() else { return Ok(()) };
        let Some(relation) = schema.relation_of(edge.predicate) else { return Ok(()) };
        if let (Element::Concept(from), Element::Concept(to)) = (edge.subject, edge.object) {
            let edge = Edge { relation, from: NodeKey(from.0), to: NodeKey(to.0) };
            self.branch.link(edge);
            let ends = record.value(Part::Metadata, &[Ends::METADATA])?;
            self.branch.note_ends(edge, ends.as_ref().and_then(Ends::from_metadata));
        }
        Ok(())
    }
}
