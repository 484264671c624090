//! `kb_find_gaps`: entities by missing and present relationships.

use std::collections::BTreeMap;

use super::filter::{Filter, check_items};
use super::page::Page;
use crate::Result;
use crate::branch::{Branch, Node, NodeKey};
use crate::limits::PAGE_DEFAULT;
use crate::model::Relation;
use crate::tools::{FindGapsInput, FindGapsOutput, GapRow, StatusOutput};

/// Returns the entities that pass the filters, have none of the missing relationship types and have every present
/// one, ordered by type and id.
///
/// Relationships count in both directions, one that starts and ends at the same entity once.
pub fn find_gaps(branch: &Branch, input: &FindGapsInput, meta: StatusOutput) -> Result<FindGapsOutput> {
    let page = Page::parse(input.limit, input.offset, PAGE_DEFAULT)?;
    let filter = Filter::parse(input.kind, &input.tags, input.source_file.as_deref())?;
    check_items("missingRelationships", input.missing_relationships.len())?;
    check_items("presentRelationships", input.present_relationships.len())?;
    let gaps = filter.of(branch).filter(|(key, _)| {
        input.missing_relationships.iter().all(|relation| !has(branch, *key, *relation))
            && input.present_relationships.iter().all(|relation| has(branch, *key, *relation))
    });
    let (gaps, count) = page.of(gaps);
    let rows = gaps.into_iter().map(|(key, node)| row(branch, key, node, input)).collect();
    Ok(FindGapsOutput { rows, count, meta })
}

fn has(branch: &Branch, key: NodeKey, relation: Relation) -> bool {
    branch.targets(key, relation).next().is_some() || branch.sources(key, relation).next().is_some()
}

fn row(branch: &Branch, key: NodeKey, node: &Node, input: &FindGapsInput) -> GapRow {
    let mut counts: BTreeMap<String, u64> =
        Relation::TEXTS.iter().map(|name| ((*name).to_owned(), 0)).collect();
    let incoming = branch.incoming(key).filter(|(_, from)| *from != key);
    for (relation, _) in branch.out(key).chain(incoming) {
        *counts.entry(relation.text().to_owned()).or_default() += 1;
    }
    GapRow {
        id: node.id.to_string(),
        kind: node.kind,
        title: node.title.to_string(),
        status: node.status.to_string(),
        missing_relationships: input.missing_relationships.clone(),
        present_relationships: input.present_relationships.clone(),
        relationship_counts: counts,
        source: node.source.to_string(),
    }
}
