//! DESCRIBE CONCEPT TYPES, DESCRIBE PROPOSITION TYPES, and one of either.

use std::collections::BTreeSet;

use cairn_base::{Base64Url, Value, from_base64_url};
use cairn_graph::known::{CONCEPT_TYPE, PROPOSITION_TYPE};
use cairn_graph::{Meta, TypeId, View};
use cairn_kip::tree::{ElementKind, Slot};
use cairn_kip::{KipCode, KipError, Span, Spanned};
use cairn_seam::Visit;

use super::{concept_info, read};
use crate::find::{fitting, item_bytes};
use crate::{Budget, Found, QueryError, limits};

/// Where definitions of a kind are, what their own type is called, and what their cursors begin with.
fn home(of: ElementKind) -> (Meta, TypeId, &'static str, char) {
    match of {
        ElementKind::Concept => (Meta::Types, CONCEPT_TYPE, "$ConceptType", 'c'),
        ElementKind::Proposition => (Meta::Predicates, PROPOSITION_TYPE, "$PropositionType", 'p'),
    }
}

/// Names of types or predicates, sorted, a page at a time.
pub(super) fn list(
    view: &View<'_>,
    of: ElementKind,
    limit: Option<&Spanned<Slot<u64>>>,
    cursor: Option<&Spanned<Slot<String>>>,
    bytes_max: Option<usize>,
) -> Result<Found, QueryError> {
    let (meta, ..) = home(of);
    let limit = limit.map_or(Ok(limits::KIP_ROWS_DEFAULT), within_limit)?;
    let after = cursor.map(|cursor| name_of_cursor(of, cursor.given()?, cursor.span)).transpose()?;
    // Only the page and one more are kept, however many there are.
    let mut names: BTreeSet<String> = BTreeSet::new();
    view.definitions(meta, &mut |_, name| {
        if after.as_deref().is_none_or(|after| name > after) {
            names.insert(name.to_owned());
        }
        if names.len() > limit + 1 {
            names.pop_last();
        }
        Visit::Continue
    })?;
    let count = names.len();
    let mut page: Vec<Value> = names.into_iter().take(limit).map(Value::String).collect();
    page.truncate(fitting(bytes_max, page.iter().map(item_bytes)));
    let has_more = count > page.len() && limit > 0;
    let last = page.last().and_then(Value::as_str).filter(|_| has_more);
    let next_cursor = last.map(|last| cursor_after(of, last));
    let result = Value::Array(page);
    Ok(Found { result, next_cursor, ..Found::default() })
}

/// The definition of a type or predicate.
pub(super) fn one(
    view: &View<'_>,
    of: ElementKind,
    name: &Spanned<Slot<String>>,
    budget: &mut Budget<'_>,
) -> Result<Value, QueryError> {
    let (meta, kind, kind_name, _) = home(of);
    let wanted = name.given()?;
    let id = match of {
        ElementKind::Concept => view.type_id(wanted)?.map(|id| id.concept()),
        ElementKind::Proposition => view.predicate_id(wanted)?.map(|id| id.concept()),
    };
    let found = id.map(|id| read(view, &[id], kind, budget)).transpose()?.unwrap_or_default();
    match found.first() {
        Some(definition) => Ok(Value::Object(concept_info(definition, kind_name))),
        None => Err(unknown(view, of, meta, wanted)?.at(name.span).into()),
    }
}

fn unknown(view: &View<'_>, of: ElementKind, meta: Meta, wanted: &str) -> Result<KipError, QueryError> {
    let (what, list) = match of {
        ElementKind::Concept => ("concept type", "DESCRIBE CONCEPT TYPES"),
        ElementKind::Proposition => ("proposition type", "DESCRIBE PROPOSITION TYPES"),
    };
    let hint = match view.nearest(meta, wanted)? {
        Some(near) => format!("did you mean {near:?}? {list} lists what there is"),
        None => format!("{list} lists what there is"),
    };
    Ok(KipError::new(KipCode::NotFound, format!("there is no {what} {wanted:?}")).hint(hint))
}

fn within_limit(limit: &Spanned<Slot<u64>>) -> Result<usize, KipError> {
    let rows = usize::try_from(*limit.given()?).unwrap_or(usize::MAX);
    if rows <= limits::KIP_ROWS_MAX {
        return Ok(rows);
    }
    let message = format!("LIMIT {rows} is more than {}", limits::KIP_ROWS_MAX);
    let hint = "take pages: the answer's next_cursor goes into CURSOR of the next command";
    Err(KipError::new(KipCode::ResourceExhausted, message).hint(hint).at(limit.span))
}

fn cursor_after(of: ElementKind, name: &str) -> String {
    Base64Url(format!("{}{name}", home(of).3).as_bytes()).to_string()
}

fn name_of_cursor(of: ElementKind, cursor: &str, span: Span) -> Result<String, KipError> {
    let decoded = from_base64_url(cursor).and_then(|bytes| String::from_utf8(bytes).ok());
    let name = decoded.and_then(|text| text.strip_prefix(home(of).3).map(str::to_owned));
    name.ok_or_else(|| {
        KipError::new(KipCode::InvalidSyntax, "this cursor does not belong to this command")
            .hint("use next_cursor of an answer to the same DESCRIBE, or leave CURSOR out")
            .at(span)
    })
}
