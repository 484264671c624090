//! Types and predicates by their names, each looked up once.

use std::collections::HashMap;

use cairn_graph::{Meta, PredicateId, TypeId, View};
use cairn_kip::{KipCode, KipError, Span, Spanned, tree};

use crate::Result;
use crate::absent::absent_hint;

/// What names of the schema mean in one snapshot.
pub(crate) struct Names<'v> {
    view: View<'v>,
    types: HashMap<String, TypeId>,
    predicates: HashMap<String, PredicateId>,
}

impl<'v> Names<'v> {
    pub(crate) fn new(view: View<'v>) -> Self {
        Names { view, types: HashMap::new(), predicates: HashMap::new() }
    }

    /// The type of this name. Fails if it is not registered.
    pub(crate) fn kind(&mut self, name: &Spanned<tree::Slot<String>>) -> Result<TypeId> {
        let text = name.given()?;
        if let Some(id) = self.types.get(text) {
            return Ok(*id);
        }
        let Some(id) = self.view.type_id(text)? else {
            return Err(self.unknown(Meta::Types, "concept type", text, name.span)?.into());
        };
        self.types.insert(text.clone(), id);
        Ok(id)
    }

    /// The predicate of this name. Fails if it is not registered.
    pub(crate) fn predicate(&mut self, name: &Spanned<tree::Slot<String>>) -> Result<PredicateId> {
        let text = name.given()?;
        if let Some(id) = self.predicates.get(text) {
            return Ok(*id);
        }
        let Some(id) = self.view.predicate_id(text)? else {
            return Err(self.unknown(Meta::Predicates, "predicate", text, name.span)?.into());
        };
        self.predicates.insert(text.clone(), id);
        Ok(id)
    }

    /// What to do about a concept that is not there.
    pub(crate) fn absent_hint(&self, kind: TypeId, name: &str) -> Result<String> {
        absent_hint(&self.view, kind, name)
    }

    fn unknown(&self, meta: Meta, what: &str, name: &str, span: Span) -> Result<KipError> {
        let error = KipError::new(KipCode::TypeMismatch, format!("'{name}' is not a registered {what}"));
        let error = match self.view.nearest(meta, name)? {
            Some(near) => error.hint(format!("did you mean '{near}'? {}", KipCode::TypeMismatch.hint())),
            None => error,
        };
        Ok(error.at(span))
    }
}
