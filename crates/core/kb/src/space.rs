//! The graph space of a branch: its name, its types and predicates, and reading it into memory.

use std::mem;

use cairn_base::Value;
use cairn_graph::{
    ConceptId, ConceptWrite, Element, LinkId, Map, Part, PredicateId, RecordView, Target, TypeId, View,
    Writer, known,
};
use cairn_seam::Visit;

use crate::branch::{Branch, Edge, Ends, Node, NodeKey};
use crate::entity::Entity;
use crate::model::{EntityType, Relation};
use crate::{KbError, Result};

/// Numbers of the types and predicates of the KB in a space.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Schema {
    types: Vec<TypeId>,
    predicates: Vec<PredicateId>,
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
        Ok(Schema { types: types.collect::<Result<_>>()?, predicates: predicates.collect::<Result<_>>()? })
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

/// Reads a branch into memory, page by page, because snapshots are short-lived. Nobody may write to the space
/// between two pages.
#[derive(Debug, Default)]
pub struct Loading {
    branch: Branch,
    kind: usize,
    after_entity: Option<ConceptId>,
    after_link: Option<LinkId>,
}

impl Loading {
    /// Reads about as many rows as it may; returns the branch when it is complete.
    pub fn page(&mut self, view: &View<'_>, schema: &Schema, rows_max: usize) -> Result<Option<Branch>> {
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
        Ok(Some(mem::take(&mut self.branch)))
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
