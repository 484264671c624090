//! Types and predicates that nobody registered.

use cairn_graph::{Meta, View};
use cairn_kip::{KipCode, KipError};

use crate::QueryError;

/// Says that a type or predicate is not registered, what may have been meant, and how to register it.
pub fn unregistered(view: &View<'_>, of: Meta, name: &str) -> Result<KipError, QueryError> {
    Ok(unregistered_beside(of, name, view.nearest(of, name)?.as_deref()))
}

/// The same, with the registered name that is nearest.
pub fn unregistered_beside(of: Meta, name: &str, nearest: Option<&str>) -> KipError {
    let (what, meta, list) = match of {
        Meta::Types => ("type", "$ConceptType", "DESCRIBE CONCEPT TYPES"),
        Meta::Predicates => ("predicate", "$PropositionType", "DESCRIBE PROPOSITION TYPES"),
    };
    let (question, advice) = match nearest {
        Some(near) => (format!(" Did you mean {near:?}?"), format!("use {near:?}, or ")),
        None => (String::new(), String::new()),
    };
    let message = format!("{name:?} is not a registered {what}.{question}");
    let hint = format!(
        "{advice}register it in front with CONCEPT {{ {{type: {meta:?}, name: {name:?}}} }}; {list} lists what \
         there is"
    );
    KipError::new(KipCode::TypeMismatch, message).hint(hint)
}
