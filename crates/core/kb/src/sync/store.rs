//! Storing a plan: in one transaction, or batch by batch in a copy of the branch that nobody reads yet.

use std::ops::Range;

use cairn_graph::{
    ConceptId, ConceptWrite, Element, LinkId, LinkTarget, LinkWrite, Lookup, Map, Part, Target, TypeId,
    Writer, known,
};
use cairn_seam::Visit;

use super::files::{ABOUT, FILE_TYPE, FileRecord, TREE};
use super::plan::{End, Link, SyncPlan, Update};
use crate::Result;
use crate::branch::{Edge, NodeKey};
use crate::entity::bytes_of;
use crate::space::Schema;

/// Changes of a plan that are stored together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Batch {
    /// Relationships that are removed.
    Unlink(Range<usize>),
    /// Entities that go.
    Remove(Range<usize>),
    /// Entities that are created.
    Create(Range<usize>),
    /// Entities that change.
    Update(Range<usize>),
    /// Relationships that are added.
    Link(Range<usize>),
    /// Relationships whose metadata is replaced.
    Relink(Range<usize>),
    /// Files that are noted or forgotten.
    Files(Range<usize>),
    /// The count of syncs.
    Tree,
}

/// Numbers that storing a plan gives.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Keys {
    /// Entities that were created so far, in the order of the plan.
    pub created: Vec<NodeKey>,
    /// The concept type of synced files.
    pub files: Option<TypeId>,
}

/// Splits a plan into batches of at most so many items, and of about so many bytes of attributes. They have to be
/// stored in their order.
pub fn batches(plan: &SyncPlan, items_max: usize, bytes_max: usize) -> Vec<Batch> {
    let mut all = Vec::new();
    let mut add = |batch: fn(Range<usize>) -> Batch, bytes: &mut dyn Iterator<Item = usize>| {
        let (mut start, mut end, mut sum) = (0, 0, 0_usize);
        for bytes in bytes {
            if end > start && (end - start >= items_max || sum.saturating_add(bytes) > bytes_max) {
                all.push(batch(start..end));
                (start, sum) = (end, 0);
            }
            (end, sum) = (end + 1, sum.saturating_add(bytes));
        }
        if end > start {
            all.push(batch(start..end));
        }
    };
    let small = |count: usize| std::iter::repeat_n(0, count);
    add(Batch::Unlink, &mut small(plan.unlinked.len() + plan.dangling.len()));
    add(Batch::Remove, &mut small(plan.removed.len()));
    add(Batch::Create, &mut plan.created.iter().map(|entity| bytes_of(&entity.attributes)));
    add(Batch::Update, &mut plan.updated.iter().map(|update| bytes_of(&update.changed)));
    add(Batch::Link, &mut plan.linked.iter().map(|link| bytes_of(&link.metadata)));
    add(Batch::Relink, &mut plan.relinked.iter().map(|(_, metadata)| bytes_of(metadata)));
    add(Batch::Files, &mut plan.files.keys().map(String::len));
    all.push(Batch::Tree);
    all
}

/// Stores one batch; `keys` has the numbers of the batches before this one.
pub fn store_batch(
    writer: &mut Writer<'_>,
    schema: &Schema,
    plan: &SyncPlan,
    batch: &Batch,
    keys: &mut Keys,
) -> Result<()> {
    match batch {
        Batch::Unlink(range) => {
            let edges = plan.unlinked.iter().chain(&plan.dangling);
            unlink(writer, schema, edges.skip(range.start).take(range.len()).copied())
        }
        Batch::Remove(range) => {
            let gone: Vec<ConceptId> =
                plan.removed[range.clone()].iter().map(|key| ConceptId(key.0)).collect();
            writer.delete_concepts(&gone)?;
            Ok(())
        }
        Batch::Create(range) => {
            writer.read_ahead()?;
            for entity in &plan.created[range.clone()] {
                let (id, ..) = writer.upsert_concept(ConceptWrite {
                    target: Target::Named(schema.type_of(entity.kind), entity.id.clone()),
                    expect_version: Some(0),
                    attributes: entity.attributes.clone(),
                    metadata: Map::new(),
                })?;
                keys.created.push(NodeKey(id.0));
            }
            Ok(())
        }
        Batch::Update(range) => plan.updated[range.clone()].iter().try_for_each(|one| update(writer, one)),
        Batch::Link(range) => {
            let created = &keys.created;
            plan.linked[range.clone()].iter().try_for_each(|one| link(writer, schema, created, one))
        }
        Batch::Relink(range) => relink(writer, schema, &plan.relinked[range.clone()]),
        Batch::Files(range) => {
            let kind = type_of_files(writer, schema, keys)?;
            let changes: Vec<_> = plan.files.iter().skip(range.start).take(range.len()).collect();
            note_files(writer, kind, &changes)
        }
        Batch::Tree => {
            let kind = type_of_files(writer, schema, keys)?;
            note(writer, kind, TREE, plan.tree.clone())
        }
    }
}

fn unlink(writer: &mut Writer<'_>, schema: &Schema, edges: impl Iterator<Item = Edge>) -> Result<()> {
    let edges: Vec<Edge> = edges.collect();
    let found: Vec<LinkId> = links_of(writer, schema, &edges)?.into_iter().flatten().collect();
    writer.delete_links(&found)?;
    Ok(())
}

/// The numbers of relationships; `None` for those that are not there.
fn links_of(writer: &Writer<'_>, schema: &Schema, edges: &[Edge]) -> Result<Vec<Option<LinkId>>> {
    let lookups: Vec<Lookup> = edges
        .iter()
        .map(|edge| Lookup::Exact {
            subject: Element::Concept(ConceptId(edge.from.0)),
            predicate: schema.predicate_of(edge.relation),
            object: Element::Concept(ConceptId(edge.to.0)),
        })
        .collect();
    let mut found = vec![None; edges.len()];
    writer.view().edges(&lookups, &mut |place, edge| {
        found[place] = Some(edge.link);
        Visit::Continue
    })?;
    Ok(found)
}

fn update(writer: &mut Writer<'_>, update: &Update) -> Result<()> {
    let id = ConceptId(update.key.0);
    if !update.removed.is_empty() {
        writer.remove_keys(Element::Concept(id), Part::Attributes, &update.removed)?;
    }
    if !update.changed.is_empty() {
        writer.upsert_concept(ConceptWrite {
            target: Target::Id(id),
            expect_version: None,
            attributes: update.changed.clone(),
            metadata: Map::new(),
        })?;
    }
    Ok(())
}

fn link(writer: &mut Writer<'_>, schema: &Schema, created: &[NodeKey], link: &Link) -> Result<()> {
    let element = |end: End| match end {
        End::Stored(key) => Element::Concept(ConceptId(key.0)),
        End::New(at) => Element::Concept(ConceptId(created[at].0)),
    };
    writer.upsert_link(LinkWrite {
        target: LinkTarget::Triple(element(link.from), schema.predicate_of(link.relation), element(link.to)),
        expect_version: None,
        attributes: Map::new(),
        metadata: link.metadata.clone(),
    })?;
    Ok(())
}

/// Replaces the metadata of relationships.
fn relink(writer: &mut Writer<'_>, schema: &Schema, links: &[(Edge, Map)]) -> Result<()> {
    let edges: Vec<Edge> = links.iter().map(|(edge, _)| *edge).collect();
    let found = links_of(writer, schema, &edges)?;
    for (id, (_, metadata)) in found.into_iter().zip(links) {
        let Some(id) = id else { continue };
        let mut old = Map::new();
        writer
            .view()
            .links(&[id], &mut |_, link| old = link.map(|link| link.metadata).unwrap_or_default())?;
        let gone = old.into_keys().filter(|name| !metadata.contains_key(name) && !name.starts_with('_'));
        let gone: Vec<String> = gone.collect();
        if !gone.is_empty() {
            writer.remove_keys(Element::Link(id), Part::Metadata, &gone)?;
        }
        let metadata = metadata.clone();
        let target = LinkTarget::Id(id);
        writer.upsert_link(LinkWrite { target, expect_version: None, attributes: Map::new(), metadata })?;
    }
    Ok(())
}

/// The concept type of files, defined by the first sync.
fn type_of_files(writer: &mut Writer<'_>, schema: &Schema, keys: &mut Keys) -> Result<TypeId> {
    if let Some(kind) = schema.type_of_files().or(keys.files) {
        keys.files = Some(kind);
        return Ok(kind);
    }
    let (id, ..) = writer.upsert_concept(ConceptWrite {
        target: Target::Named(known::CONCEPT_TYPE, FILE_TYPE.to_owned()),
        expect_version: None,
        attributes: Map::from([("description".to_owned(), ABOUT.into())]),
        metadata: Map::new(),
    })?;
    keys.files = Some(TypeId(id.0));
    Ok(TypeId(id.0))
}

fn note_files(
    writer: &mut Writer<'_>,
    kind: TypeId,
    changes: &[(&String, &Option<FileRecord>)],
) -> Result<()> {
    let gone = changes.iter().filter(|(_, record)| record.is_none());
    let gone: Vec<(TypeId, &str)> = gone.map(|(path, _)| (kind, path.as_str())).collect();
    if !gone.is_empty() {
        let found: Vec<ConceptId> = writer.view().find_concepts(&gone)?.into_iter().flatten().collect();
        writer.delete_concepts(&found)?;
    }
    for (path, record) in changes {
        if let Some(record) = record {
            note(writer, kind, path, record.attributes())?;
        }
    }
    Ok(())
}

fn note(writer: &mut Writer<'_>, kind: TypeId, name: &str, attributes: Map) -> Result<()> {
    writer.upsert_concept(ConceptWrite {
        target: Target::Named(kind, name.to_owned()),
        expect_version: None,
        attributes,
        metadata: Map::new(),
    })?;
    Ok(())
}
