//! A synthetic branch in a store, written in large steps: what is measured comes afterwards.

use std::collections::HashMap;

use anyhow::{Context, Result};
use cairn_access::{Action, Principal, Resource, Scope, authorize};
use cairn_base::{Number, Position, TenantId, Value};
use cairn_engine::KbTarget;
use cairn_graph::{
    ConceptId, ConceptWrite, Element, GraphError, LinkTarget, LinkWrite, Map, Target, View, Writer,
};
use cairn_kb::testing::Synthetic;
use cairn_kb::{Branch, Edge, FactFields, Node, NodeKey, Schema, Version, find_branch, put_version};
use cairn_seam::{Store, write};

use super::Size;
use crate::kip::workload::word;

/// Entities or relationships of one transaction.
const STEP: usize = 2_000;
const AT: &str = "2026-01-01T00:00:00.000Z";
const AT_MS: u64 = 1_767_225_600_000;

/// Fills an empty branch. Relationships without an end, which no write makes, are left out.
pub(super) fn fill(store: &dyn Store, target: &KbTarget, size: Size) -> Result<()> {
    let Size { entities, relationships, .. } = size;
    let branch = Synthetic { entities, relationships, seed: 7 }.branch();
    let (scope, schema) = space(store, target)?;
    let ids = put_entities(store, scope, &schema, &branch)?;
    put_links(store, scope, &schema, &branch, &ids)?;
    write(store, scope.tenant(), move |tx| -> cairn_kb::Result<()> {
        put_version(tx, &scope, Version { number: 1, written_at_ms: AT_MS })
    })?;
    Ok(())
}

fn space(store: &dyn Store, target: &KbTarget) -> Result<(Scope, Schema)> {
    let snapshot = store.snapshot(Position::START)?;
    let record = find_branch(&*snapshot, TenantId::LOCAL, &target.workspace, &target.branch)?;
    let record = record.context("the branch is not there")?;
    let resource = Resource::space(TenantId::LOCAL, record.space);
    let permit = authorize(&Principal::local_owner(), Action::KbWrite, resource);
    let scope = permit.map_err(|refusal| anyhow::anyhow!("{refusal:?}"))?.scope();
    let schema = Schema::read(&View::new(&*snapshot, scope))?;
    Ok((scope, schema))
}

fn put_entities(
    store: &dyn Store,
    scope: Scope,
    schema: &Schema,
    branch: &Branch,
) -> Result<HashMap<NodeKey, ConceptId>> {
    let mut ids = HashMap::new();
    let mut all: Vec<(NodeKey, &Node)> = branch.by_id().collect();
    all.sort_unstable_by_key(|(key, _)| *key);
    for part in all.chunks(STEP) {
        let writes: Vec<ConceptWrite> = part
            .iter()
            .map(|(key, node)| ConceptWrite {
                target: Target::Named(schema.type_of(node.kind), node.id.to_string()),
                expect_version: None,
                attributes: attributes(*key, node),
                metadata: Map::new(),
            })
            .collect();
        let written = write(store, scope.tenant(), move |tx| -> Result<_, GraphError> {
            let mut writer = Writer::new(tx, scope, AT_MS);
            let ids: Result<Vec<_>, GraphError> =
                writes.iter().map(|write| Ok(writer.upsert_concept(write.clone())?.0)).collect();
            writer.finish()?;
            ids
        })?;
        ids.extend(part.iter().map(|(key, _)| *key).zip(written.0));
    }
    Ok(ids)
}

fn put_links(
    store: &dyn Store,
    scope: Scope,
    schema: &Schema,
    branch: &Branch,
    ids: &HashMap<NodeKey, ConceptId>,
) -> Result<()> {
    let mut edges: Vec<Edge> = branch.edges().collect();
    edges.sort_unstable();
    let ends =
        edges.iter().filter_map(|edge| Some((edge.relation, ids.get(&edge.from)?, ids.get(&edge.to)?)));
    let all: Vec<LinkTarget> = ends
        .map(|(relation, from, to)| {
            LinkTarget::Triple(Element::Concept(*from), schema.predicate_of(relation), Element::Concept(*to))
        })
        .collect();
    for part in all.chunks(STEP) {
        let targets = part.to_vec();
        write(store, scope.tenant(), move |tx| -> Result<_, GraphError> {
            let mut writer = Writer::new(tx, scope, AT_MS);
            for target in &targets {
                writer.upsert_link(LinkWrite {
                    target: target.clone(),
                    expect_version: None,
                    attributes: Map::new(),
                    metadata: Map::new(),
                })?;
            }
            writer.finish()
        })?;
    }
    Ok(())
}

/// The attributes that give this node, and a body of a dozen words.
fn attributes(key: NodeKey, node: &Node) -> Map {
    let mut map = Map::new();
    let mut put = |name: &str, value: &str| {
        if !value.is_empty() {
            map.insert(name.to_owned(), Value::from(value));
        }
    };
    put("title", &node.title);
    put("status", &node.status);
    put("source", &node.source);
    put("created_at", AT);
    put("updated_at", AT);
    put("source_file", node.source_file.as_deref().unwrap_or_default());
    put("priority", node.priority.as_deref().unwrap_or_default());
    put("verification_scope", node.verification_scope.as_deref().unwrap_or_default());
    put("body", &body(key.0));
    let tags = node.tags.iter().map(|tag| Value::from(&**tag)).collect();
    map.insert("tags".to_owned(), Value::Array(tags));
    if let Some(fact) = &node.fact {
        fact_attributes(fact, &mut map);
    }
    map
}

fn fact_attributes(fact: &FactFields, map: &mut Map) {
    let texts = [
        ("fact_kind", &fact.fact_kind),
        ("subject_key", &fact.subject_key),
        ("property_key", &fact.property_key),
        ("operator", &fact.operator),
        ("value_type", &fact.value_type),
    ];
    for (name, text) in texts {
        if let Some(text) = text {
            map.insert(name.to_owned(), Value::from(&**text));
        }
    }
    let number = |number: Number| Value::Number(number);
    if let Some(value) = fact.value_int {
        map.insert("value_int".to_owned(), number(value));
    }
}

/// Twelve of 4,096 words.
pub(super) fn body(number: u64) -> String {
    let words: Vec<String> = (0..12).map(|at| word(crate::random::mix(number * 12 + at) % 4096)).collect();
    words.join(" ")
}
