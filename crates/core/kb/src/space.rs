//! The graph space of a branch: its name, its types and predicates, and reading it into memory.

use std::mem;

use cairn_base::Value;
use cairn_graph::{
    ConceptId, ConceptWrite, Element, Lookup, Map, PredicateId, Target, TypeId, View, Writer, known,
};
use cairn_seam::Visit;

use crate::branch::{Branch, Edge, Node, NodeKey};
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
    relation: usize,
    after_edge: Option<(Element, Element)>,
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
        while let Some(relation) = Relation::ALL.get(self.relation) {
            if !self.edges_page(view, schema, *relation, rows_max, &mut rows)? {
                return Ok(None);
            }
            (self.relation, self.after_edge) = (self.relation + 1, None);
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

    /// Reads relationships of a type; returns whether those are all.
    fn edges_page(
        &mut self,
        view: &View<'_>,
        schema: &Schema,
        relation: Relation,
        rows_max: usize,
        rows: &mut usize,
    ) -> Result<bool> {
        let lookup = Lookup::Predicate { predicate: schema.predicate_of(relation), after: self.after_edge };
        let mut is_all = true;
        view.edges(&[lookup], &mut |_, edge| {
            if let (Element::Concept(from), Element::Concept(to)) = (edge.subject, edge.object) {
                self.branch.link(Edge { relation, from: NodeKey(from.0), to: NodeKey(to.0) });
            }
            self.after_edge = Some((edge.subject, edge.object));
            *rows += 1;
            if *rows < rows_max {
                return Visit::Continue;
            }
            is_all = false;
            Visit::Stop
        })?;
        Ok(is_all)
    }
}
