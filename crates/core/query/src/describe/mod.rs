//! DESCRIBE: what there is to know about what is known.

mod domains;
mod primer;
mod types;

use std::collections::BTreeMap;

use cairn_base::Value;
use cairn_graph::{Concept, ConceptId, TypeId, View};
use cairn_kip::tree::Describe;

use crate::{Found, QueryError};

/// Answers a DESCRIBE.
pub fn describe(view: &View<'_>, describe: &Describe) -> Result<Found, QueryError> {
    let whole = |result| Found { result, next_cursor: None };
    match describe {
        Describe::Primer => primer::primer(view).map(whole),
        Describe::Domains => domains::domains(view).map(whole),
        Describe::Types { of, limit, cursor } => types::list(view, *of, limit.as_ref(), cursor.as_ref()),
        Describe::Type { of, name } => types::one(view, *of, name).map(whole),
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

/// Reads concepts of one type; those that are gone are left out.
fn read(view: &View<'_>, ids: &[ConceptId], kind: TypeId) -> Result<Vec<Concept>, QueryError> {
    let wanted: Vec<_> = ids.iter().map(|id| (*id, kind)).collect();
    let mut found = Vec::with_capacity(ids.len());
    view.concepts(&wanted, &mut |_, concept| found.extend(concept))?;
    Ok(found)
}
