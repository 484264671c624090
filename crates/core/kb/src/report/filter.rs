//! Filters that reports share: type, tags and source.

use crate::branch::{Branch, Node, NodeKey};
use crate::limits::{ENTITY_TEXT_BYTES_MAX, FILTER_ITEMS_MAX};
use crate::model::EntityType;
use crate::{KbError, Result};

/// Filters of a request; an entity must pass all of them.
#[derive(Debug, Default)]
pub(super) struct Filter<'a> {
    kind: Option<EntityType>,
    tags: Vec<&'a str>,
    source_file: Option<&'a str>,
}

impl<'a> Filter<'a> {
    /// Returns the filters of a request. Fails if one is out of bounds.
    pub(super) fn parse(
        kind: Option<EntityType>,
        tags: &'a [String],
        source_file: Option<&'a str>,
    ) -> Result<Self> {
        check_items("tags", tags.len())?;
        let tags: Vec<&str> = tags.iter().map(|tag| tag.trim()).collect();
        if tags.contains(&"") {
            return Err(KbError::argument("tags", "a tag is blank; leave it out"));
        }
        if source_file.is_some_and(|file| file.len() > ENTITY_TEXT_BYTES_MAX) {
            let message = format!("more than {ENTITY_TEXT_BYTES_MAX} bytes; give a part of the path");
            return Err(KbError::argument("sourceFile", message));
        }
        Ok(Filter { kind, tags, source_file })
    }

    /// Whether an entity passes.
    pub(super) fn passes(&self, node: &Node) -> bool {
        self.kind.is_none_or(|kind| kind == node.kind)
            && (self.tags.is_empty() || node.tags.iter().any(|tag| self.tags.contains(&tag.trim())))
            && self.source_file.is_none_or(|part| {
                let file = node.source_file.as_deref().filter(|file| !file.is_empty());
                file.unwrap_or(&node.source).contains(part)
            })
    }

    /// Entities that pass, ordered by type and id.
    pub(super) fn of<'b>(&'b self, branch: &'b Branch) -> impl Iterator<Item = (NodeKey, &'b Node)> {
        branch.by_type(self.kind).filter(|(_, node)| self.passes(node))
    }
}

/// Refuses a filter with too many items.
pub(super) fn check_items(parameter: &'static str, count: usize) -> Result<()> {
    if count <= FILTER_ITEMS_MAX {
        return Ok(());
    }
    Err(KbError::argument(parameter, format!("{count} items are more than the {FILTER_ITEMS_MAX} allowed")))
}
