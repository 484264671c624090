//! What commits did to the graphs of a tenant becomes documents.

use std::collections::{BTreeMap, BTreeSet};

use cairn_base::{SpaceId, TenantId};
use cairn_graph::spaces::copied_elements;
use cairn_graph::{ConceptId, GraphEvent, LinkId};
use cairn_seam::{Change as Commit, Event, Snapshot};
use cairn_search::document::{Change, Partition};

use super::TOGETHER;
use super::documents::GraphDocuments;
use crate::search::Taking;
use crate::{Engine, EngineError};

/// Concepts and links that commits of one tenant touched.
#[derive(Default)]
struct GraphChanges(BTreeMap<SpaceId, Touched>);

#[derive(Default)]
struct Touched {
    concepts: BTreeSet<ConceptId>,
    links: BTreeSet<LinkId>,
    /// Pages of elements that came with the copy of a space.
    copied: Vec<GraphEvent>,
}

impl GraphChanges {
    /// Notes what an event says, if it is one of the graph.
    fn note(&mut self, event: &Event) {
        match GraphEvent::decode(event) {
            Ok(Some(GraphEvent::ConceptChanged(space, id) | GraphEvent::ConceptDeleted(space, id))) => {
                self.0.entry(space).or_default().concepts.insert(id);
            }
            Ok(Some(GraphEvent::LinkChanged(space, id) | GraphEvent::LinkDeleted(space, id))) => {
                self.0.entry(space).or_default().links.insert(id);
            }
            Ok(Some(
                copied @ (GraphEvent::ConceptsCopied(space, ..) | GraphEvent::LinksCopied(space, ..)),
            )) => {
                self.0.entry(space).or_default().copied.push(copied);
            }
            // What cannot be read is noticed by whoever reads records. Documents of a deleted space go one by one.
            Ok(
                Some(
                    GraphEvent::SpaceCreated(_) | GraphEvent::SpacePublished(_) | GraphEvent::SpaceDeleted(_),
                )
                | None,
            )
            | Err(_) => {}
        }
    }
}

/// Makes documents of everything that was touched. If that is much, it is taken into the index part by
/// part, before its commit is whole: it may come once more, and then takes its own place.
pub(super) fn take(
    engine: &Engine,
    tenant: TenantId,
    commits: &[Commit],
    snapshot: &dyn Snapshot,
    taking: &mut Taking<'_>,
) -> Result<(), EngineError> {
    let mut touched = GraphChanges::default();
    commits.iter().flat_map(|commit| &commit.events).for_each(|event| touched.note(event));
    for (space, Touched { mut concepts, mut links, copied }) in touched.0 {
        let scope = engine.own_space(tenant, space)?;
        for page in copied {
            let elements = copied_elements(snapshot, &scope, page)?;
            concepts.extend(elements.concepts);
            links.extend(elements.links);
        }
        let mut documents = GraphDocuments::new(snapshot, scope);
        let concepts: Vec<_> = concepts.into_iter().collect();
        let links: Vec<_> = links.into_iter().collect();
        let is_much = concepts.len() + links.len() > TOGETHER;
        let mut take = |part: Vec<(Partition, Change)>| {
            if is_much {
                return taking.add_now(&part);
            }
            taking.add(part);
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
