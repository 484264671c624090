//! Storing a plan: concepts and links of the space, in one transaction.

use cairn_graph::{ConceptId, ConceptWrite, Element, LinkTarget, LinkWrite, Map, Part, Target, Writer};

use super::delete::DeletePlan;
use super::examine::UpsertPlan;
use crate::Result;
use crate::branch::{Ends, NodeKey};
use crate::space::Schema;

/// The outcome of a stored upsert.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stored {
    /// The number of the entity.
    pub key: NodeKey,
    /// Relationships that were added.
    pub links: usize,
}

/// Stores an upsert.
pub fn store_upsert(writer: &mut Writer<'_>, schema: &Schema, plan: &UpsertPlan) -> Result<Stored> {
    let entity = &plan.entity;
    if let (Some(key), false) = (plan.key, plan.removed.is_empty()) {
        writer.remove_keys(Element::Concept(ConceptId(key.0)), Part::Attributes, &plan.removed)?;
    }
    let target = match plan.key {
        Some(key) => Target::Id(ConceptId(key.0)),
        None => Target::Named(schema.type_of(entity.kind), entity.id.clone()),
    };
    let attributes = plan.changed.clone();
    let expect_version = plan.key.is_none().then_some(0);
    let write = ConceptWrite { target, expect_version, attributes, metadata: Map::new() };
    let (id, ..) = writer.upsert_concept(write)?;
    for link in &plan.links {
        let to = link.to.map_or(id, |to| ConceptId(to.0));
        let predicate = schema.predicate_of(link.relation);
        let mut metadata = link.metadata.clone();
        metadata.insert(Ends::METADATA.to_owned(), link.ends.to_metadata());
        writer.upsert_link(LinkWrite {
            target: LinkTarget::Triple(Element::Concept(id), predicate, Element::Concept(to)),
            expect_version: None,
            attributes: Map::new(),
            metadata,
        })?;
    }
    Ok(Stored { key: NodeKey(id.0), links: plan.links.len() })
}

/// Stores a deletion.
pub fn store_deletion(writer: &mut Writer<'_>, plan: &DeletePlan) -> Result<()> {
    let ids: Vec<ConceptId> = plan.keys.iter().map(|key| ConceptId(key.0)).collect();
    writer.delete_concepts(&ids)?;
    Ok(())
}
