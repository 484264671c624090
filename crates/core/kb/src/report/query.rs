//! `kb_query`: entities by type, id, tags and source.

use super::filter::Filter;
use super::page::Page;
use crate::Result;
use crate::branch::{Branch, NodeKey};
use crate::limits::PAGE_DEFAULT;
use crate::tools::QueryInput;

/// Returns the entities of the page, ordered by type and id, and the number of all that pass every filter.
///
/// An id is looked up, and the other filters must still match.
pub fn query(branch: &Branch, input: &QueryInput) -> Result<(Vec<NodeKey>, u64)> {
    let page = Page::parse(input.limit, input.offset, PAGE_DEFAULT)?;
    let filter = Filter::parse(input.kind, &input.tags, input.source_file.as_deref())?;
    Ok(match &input.id {
        Some(id) => {
            let found = branch.find(id).filter(|(_, node)| filter.passes(node));
            page.of(found.into_iter().map(|(key, _)| key))
        }
        None => page.of(filter.of(branch).map(|(key, _)| key)),
    })
}
