//! Accepting the present contents of the ends of links, so that the links are suspect no more.

use cairn_graph::{ConceptId, Element, LinkTarget, LinkWrite, Map, Writer};

use crate::branch::{Branch, Change, Edge, Ends, Trust};
use crate::limits::ACCEPT_LINKS_MAX;
use crate::report::suspect::{edges, named};
use crate::space::Schema;
use crate::tools::AcceptInput;
use crate::{KbError, Result};

/// Links whose ends are accepted as they are.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct AcceptPlan {
    /// The links with the contents that are accepted, ordered by type, source and target.
    pub links: Vec<(Edge, Ends)>,
    /// Links beyond the limit of one request.
    pub remaining: u64,
}

impl AcceptPlan {
    /// The changes of the branch.
    pub fn changes(&self) -> Vec<Change> {
        self.links.iter().map(|(edge, ends)| Change::Ends(*edge, Some(*ends))).collect()
    }
}

/// Plans to accept the ends of links as they are, at most as many as one request may accept.
///
/// # Errors
///
/// Fails if neither ids nor all links are named, or both, or if an id is unknown.
pub fn plan_accept(branch: &Branch, input: &AcceptInput) -> Result<AcceptPlan> {
    if input.all != input.ids.is_empty() {
        return Err(KbError::argument("ids", "name entities, or set `all`, and not both"));
    }
    let (keys, unknown) = named(branch, &input.ids)?;
    if !unknown.is_empty() {
        return Err(KbError::NoEntity(unknown));
    }
    let mut found: Vec<_> = edges(branch, keys.as_ref())
        .into_iter()
        .filter(|edge| match branch.trust(*edge) {
            Trust::Suspect { .. } => true,
            Trust::Unknown => input.include_unknown,
            Trust::Current => false,
        })
        .filter_map(|edge| {
            let (from, to) = (branch.node(edge.from)?, branch.node(edge.to)?);
            Some(((edge.relation.text(), &*from.id, &*to.id), edge, branch.present_ends(edge)?))
        })
        .collect();
    found.sort_unstable_by_key(|(order, ..)| *order);
    let remaining = found.len().saturating_sub(ACCEPT_LINKS_MAX) as u64;
    let links = found.into_iter().take(ACCEPT_LINKS_MAX).map(|(_, edge, ends)| (edge, ends)).collect();
    Ok(AcceptPlan { links, remaining })
}

/// Stores the contents of the ends of links.
pub fn store_acceptance(writer: &mut Writer<'_>, schema: &Schema, plan: &AcceptPlan) -> Result<()> {
    for (Edge { relation, from, to }, ends) in &plan.links {
        let end = |key: u64| Element::Concept(ConceptId(key));
        writer.upsert_link(LinkWrite {
            target: LinkTarget::Triple(end(from.0), schema.predicate_of(*relation), end(to.0)),
            expect_version: None,
            attributes: Map::new(),
            metadata: Map::from([(Ends::METADATA.to_owned(), ends.to_metadata())]),
        })?;
    }
    Ok(())
}
