//! What commits did to the graphs of a tenant becomes documents.

use std::collections::{BTreeMap, BTreeSet};

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::{SpaceId, TenantId};
use cairn_graph::{ConceptId, GraphEvent, LinkId};
use cairn_seam::{Event, Snapshot};
use cairn_search::document::{Change, Partition};
use cairn_search::index::SearchIndex;

use super::feed::take_into;
use super::graph_documents::GraphDocuments;
use crate::{Act, Engine, EngineError};

/// Records that are in memory at once.
pub(super) const TOGETHER: usize = 64;

/// Concepts and links that commits of one tenant touched.
#[derive(Default)]
pub(super) struct GraphChanges(BTreeMap<SpaceId, Touched>);

#[derive(Default)]
struct Touched {
    concepts: BTreeSet<ConceptId>,
    links: BTreeSet<LinkId>,
}

impl GraphChanges {
    /// Notes what an event says, if it is one of the graph.
    pub(super) fn note(&mut self, event: &Event) {
        match GraphEvent::decode(event) {
            Ok(Some(GraphEvent::ConceptChanged(space, id) | GraphEvent::ConceptDeleted(space, id))) => {
                self.0.entry(space).or_default().concepts.insert(id);
            }
            Ok(Some(GraphEvent::LinkChanged(space, id) | GraphEvent::LinkDeleted(space, id))) => {
                self.0.entry(space).or_default().links.insert(id);
            }
            // What cannot be read is noticed by whoever reads records.
            Ok(Some(GraphEvent::SpaceCreated(_)) | None) | Err(_) => {}
        }
    }
}

impl Engine {
    /// Makes documents of everything that was touched. If that is much, it is taken into the index part by
    /// part, before its commit is whole: it may come once more, and then takes its own place.
    pub(super) fn take_graph(
        &self,
        tenant: TenantId,
        touched: &GraphChanges,
        snapshot: &dyn Snapshot,
        index: &SearchIndex,
        changes: &mut Vec<(Partition, Change)>,
    ) -> Result<(), EngineError> {
        for (space, Touched { concepts, links }) in &touched.0 {
            let mut documents = GraphDocuments::new(snapshot, self.own_space(tenant, *space)?);
            let concepts: Vec<_> = concepts.iter().copied().collect();
            let links: Vec<_> = links.iter().copied().collect();
            let is_much = concepts.len() + links.len() > TOGETHER;
            let mut take = |part: Vec<(Partition, Change)>| {
                if is_much {
                    return take_into(index, &part, index.position());
                }
                changes.extend(part);
                Ok(())
            };
            for part in concepts.chunks(TOGETHER) {
                take(documents.concepts(part)?)?;
            }
            for part in links.chunks(TOGETHER) {
                take(documents.links(part)?)?;
            }
        }
        Ok(())
    }

    /// The scope of a space, for work that the node does for itself.
    pub(crate) fn own_space(&self, tenant: TenantId, space: SpaceId) -> Result<Scope, EngineError> {
        let act = Act::new(Action::GraphRead, Resource::space(tenant, space));
        Ok(self.pipeline.permit(&Principal::local_owner(), &act)?.scope())
    }
}
