//! DESCRIBE DOMAINS.

use cairn_base::Value;
use cairn_graph::known::DOMAIN;
use cairn_graph::{Concept, ConceptId, View};
use cairn_kip::{KipCode, KipError};
use cairn_seam::Visit;

use super::{concept_info, read};
use crate::{Budget, QueryError, limits};

/// Every domain, in the order they were made.
pub(super) fn domains(view: &View<'_>, budget: &mut Budget<'_>) -> Result<Value, QueryError> {
    let ids = first(view, limits::KIP_ROWS_DEFAULT + 1)?;
    if ids.len() > limits::KIP_ROWS_DEFAULT {
        let message = format!("there are more than {} domains", limits::KIP_ROWS_DEFAULT);
        let hint = "take pages of them: FIND(?d) WHERE { ?d {type: \"Domain\"} } LIMIT 100";
        return Err(KipError::new(KipCode::ResourceExhausted, message).hint(hint).into());
    }
    let info = |domain: Concept| Value::Object(concept_info(&domain, "Domain"));
    Ok(Value::Array(read(view, &ids, DOMAIN, budget)?.into_iter().map(info).collect()))
}

/// The domains that were made first.
pub(super) fn first(view: &View<'_>, most: usize) -> Result<Vec<ConceptId>, QueryError> {
    let mut ids = Vec::new();
    view.concepts_of_type(DOMAIN, None, &mut |id, _| {
        ids.push(id);
        if ids.len() < most { Visit::Continue } else { Visit::Stop }
    })?;
    Ok(ids)
}
