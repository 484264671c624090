//! Links about links are no deeper and no more than a command has room for.
//!
//! A link is named by its ends, and so by the ends of the links inside of it. What is made within these bounds
//! stays within them, because the ends of a link never change.

use super::Writer;
use crate::{Element, GraphError, LinkId, Result, limits};

impl Writer<'_> {
    /// Looks at the links inside of one that is to be made, and at no more of them than there may be.
    pub(super) fn check_links_inside(&self, subject: Element, object: Element) -> Result<()> {
        let mut level: Vec<LinkId> = [subject, object].into_iter().filter_map(link).collect();
        let (mut levels, mut inside) = (0, 0);
        while !level.is_empty() {
            levels += 1;
            inside += level.len();
            if levels > limits::LINK_LEVELS_MAX || inside > limits::LINKS_INSIDE_MAX {
                return Err(GraphError::TooManyInside {
                    levels_max: limits::LINK_LEVELS_MAX,
                    links_max: limits::LINKS_INSIDE_MAX,
                });
            }
            let mut next = Vec::new();
            self.view().link_views(&level, &mut |_, record| {
                let edge = record.and_then(|record| record.edge().copied());
                next.extend(edge.into_iter().flat_map(|edge| [edge.subject, edge.object]).filter_map(link));
            })?;
            level = next;
        }
        Ok(())
    }
}

fn link(end: Element) -> Option<LinkId> {
    match end {
        Element::Concept(_) => None,
        Element::Link(id) => Some(id),
    }
}
