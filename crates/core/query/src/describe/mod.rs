//! DESCRIBE: what there is to know about what is known.

mod domains;
mod primer;
mod types;

use std::collections::BTreeMap;

use cairn_base::Value;
use cairn_graph::{Concept, ConceptId, TypeId, View};
use cairn_kip::tree::Describe;

use crate::fields::value_bytes;
use crate::{Budget, Found, QueryError};

/// Answers a DESCRIBE. A page of names ends where `bytes_max` bytes of JSON are full, if that is given.
pub fn describe(
    view: &View<'_>,
    describe: &Describe,
    bytes_max: Option<usize>,
    budget: &mut Budget<'_>,
) -> Result<Found, QueryError> {
    let whole = |result: Value| Found::from(result);
    match describe {
        Describe::Primer => primer::primer(view, budget).map(whole),
        Describe::Domains => domains::domains(view, budget).map(whole),
        Describe::Types { of, limit, cursor } => {
            types::list(view, *of, limit.as_ref(), cursor.as_ref(), bytes_max)
        }
        Describe::Type { of, name } => types::one(view, *of, name, budget).map(whole),
    }
}

/// What descriptions and searches show of a concept: no metadata.
pub fn concept_info(concept: &Concept, kind: &str) -> BTreeMap<String, Value> {
    BTreeMap::from([
        ("id".to_owned(), Value::String(cairn_graph::concept_text(concept.id))),
        ("type".to_owned(), Value::String(kind.to_owned())),
        ("name".to_owned(), Value::String(concept.name.clone())),
        ("attributes".to_owned(), Value::Object(concept.attributes.clone())),
    ])
}

/// Concepts that are read at once: each may be long.
const TOGETHER: usize = 16;

/// Reads concepts of one type; those that are gone are left out.
fn read(
    view: &View<'_>,
    ids: &[ConceptId],
    kind: TypeId,
    budget: &mut Budget<'_>,
) -> Result<Vec<Concept>, QueryError> {
    let mut found = Vec::with_capacity(ids.len());
    for ids in ids.chunks(TOGETHER) {
        let wanted: Vec<_> = ids.iter().map(|id| (*id, kind)).collect();
        let before = found.len();
        view.concepts(&wanted, &mut |_, concept| found.extend(concept))?;
        for concept in &found[before..] {
            budget.steps(STEPS_PER_CONCEPT)?;
            budget.hold(concept.name.len() + concept.attributes.values().map(value_bytes).sum::<usize>())?;
        }
    }
    Ok(found)
}

const STEPS_PER_CONCEPT: u32 = 16;
