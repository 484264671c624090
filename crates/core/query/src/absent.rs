//! Concepts that are named exactly and are not there.

use cairn_graph::{TypeId, View};

use crate::Result;

/// What may have been meant by a type and a name that no concept has, and how to find out.
pub(crate) fn absent_hint(view: &View<'_>, kind: TypeId, name: &str) -> Result<String> {
    let search = format!("find the exact name with SEARCH CONCEPT {name:?}");
    if let Some(near) = view.nearest_concept(kind, name)? {
        return Ok(format!("did you mean {near:?}? If not, {search}"));
    }
    // Or the type is wrong.
    let Some((other, _)) = view.concepts_named(name)?.into_iter().next() else { return Ok(search) };
    let other = view.definition_name(other.0)?.unwrap_or_default();
    Ok(format!("there is {{type: {other:?}, name: {name:?}}}; if that is not it, {search}"))
}
