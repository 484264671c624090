//! Follows the change feed: what was committed becomes documents.

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::{ContextId, TenantId, TurnId, limits, take_varint};
use cairn_seam::{Change as Commit, Event, Snapshot};
use cairn_search::document::{Change, Partition};
use cairn_search::index::SearchIndex;
use cairn_turns::tables::{
    BUNDLE_PUBLISHED, CONTEXT_CREATED, CONTEXT_PRUNED, METADATA_UPDATED, TURN_APPENDED, TURN_PRUNED,
};

use super::collections::{CONTEXTS, TURNS, id_of, partition};
use super::documents::Documents;
use super::graph_feed::GraphChanges;
use crate::{Act, Engine, EngineError};

/// Commits with about so many events are taken in together.
const EVENTS_TOGETHER: usize = 256;

/// How far the feed was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fed {
    /// To its end.
    Whole,
    /// There is more.
    Partly,
    /// As far as there is memory: the rest waits in the feed until something was written to disk.
    Full,
}

/// What some commits come to.
#[derive(Default)]
struct Taken {
    changes: Vec<(Partition, Change)>,
    /// Tenants that described types: turns of these may read differently now.
    described: Vec<TenantId>,
}

impl Engine {
    /// Takes the next page of the feed into the index, as far as there is memory for it.
    ///
    /// Only one at a time, which is whoever holds the lock of the feed.
    pub(super) fn feed_page_into(&self, index: &SearchIndex) -> Result<Fed, EngineError> {
        let store = self.pipeline.store();
        let page = store.changes(index.position(), None, limits::CHANGES_PAGE_MAX)?;
        // Taken after the feed was read, so that the records of everything in it are there.
        let snapshot = store.snapshot(page.next)?;
        let mut rest = &page.changes[..];
        loop {
            if self.searching.is_full(index) {
                return Ok(Fed::Full);
            }
            let (together, after) = rest.split_at(how_many_together(rest));
            let mut taken = Taken::default();
            // Neighbours of one tenant go together.
            for commits in together.chunk_by(|left, right| left.tenant == right.tenant) {
                self.take_commits(commits, &*snapshot, index, &mut taken)?;
            }
            // Commits without events are dealt with when those before them are.
            let last = together.last().filter(|_| !after.is_empty());
            take_into(index, &taken.changes, last.map_or(page.next, |commit| commit.position))?;
            self.searching.note_described(&taken.described);
            self.searching.note_fed(index);
            rest = after;
            if rest.is_empty() {
                return Ok(if page.at_end { Fed::Whole } else { Fed::Partly });
            }
        }
    }

    /// The scope of a tenant's turns, for work that the node does for itself.
    pub(super) fn own_scope(&self, tenant: TenantId) -> Result<Scope, EngineError> {
        let act = Act::new(Action::TurnsRead, Resource::tenant(tenant));
        Ok(self.pipeline.permit(&Principal::local_owner(), &act)?.scope())
    }

    fn take_commits(
        &self,
        commits: &[Commit],
        snapshot: &dyn Snapshot,
        index: &SearchIndex,
        taken: &mut Taken,
    ) -> Result<(), EngineError> {
        let Some(tenant) = commits.first().map(|commit| commit.tenant) else { return Ok(()) };
        let mut appended = Vec::new();
        let mut pruned = Vec::new();
        let mut contexts = Vec::new();
        let mut gone = Vec::new();
        let mut graph = GraphChanges::default();
        for event in commits.iter().flat_map(|commit| &commit.events) {
            match event.kind {
                TURN_APPENDED => appended.extend(number(event).map(TurnId)),
                TURN_PRUNED => pruned.extend(number(event)),
                CONTEXT_CREATED | METADATA_UPDATED => contexts.extend(number(event).map(ContextId)),
                CONTEXT_PRUNED => gone.extend(number(event)),
                BUNDLE_PUBLISHED => taken.described.push(tenant),
                _ => graph.note(event),
            }
        }
        self.take_graph(tenant, &graph, snapshot, index, &mut taken.changes)?;
        if [appended.len(), pruned.len(), contexts.len(), gone.len()].iter().all(|count| *count == 0) {
            return Ok(());
        }
        let scope = self.own_scope(tenant)?;
        contexts.sort_unstable();
        contexts.dedup();
        let mut documents = Documents::new(self, snapshot, scope)?;
        // Turns get their numbers once, so a new one is never there already. Those that are gone by now
        // are left out here, and removing what is not there does nothing.
        let parts = documents.parts(&appended)?;
        let is_much = parts.len() > 1;
        for part in parts {
            let added = documents.of_turns(&part)?.into_iter();
            if is_much {
                // Taken before its commit is whole, so it may come once more.
                let replaced: Vec<_> =
                    added.map(|(home, document)| (home, Change::Replace(document))).collect();
                take_into(index, &replaced, index.position())?;
            } else {
                taken.changes.extend(added.map(|(home, document)| (home, Change::Add(document))));
            }
        }
        let removed = |number: u64| (partition(&TURNS, &scope), Change::Remove(id_of(number)));
        taken.changes.extend(pruned.into_iter().map(removed));
        taken.changes.extend(documents.contexts(&contexts)?);
        let removed = |number: u64| (partition(&CONTEXTS, &scope), Change::Remove(id_of(number)));
        taken.changes.extend(gone.into_iter().map(removed));
        Ok(())
    }
}

/// Takes changes into an index, and says so if something of them will not be found.
pub(super) fn take_into(
    index: &SearchIndex,
    changes: &[(Partition, Change)],
    position: cairn_base::Position,
) -> Result<(), EngineError> {
    let unreadable = index.apply(changes, position)?;
    if unreadable > 0 {
        tracing::warn!(unreadable, %position, "texts could not be taken apart, and are not found");
    }
    Ok(())
}

/// How many of these commits have about as many events as are taken in together; one at least.
fn how_many_together(commits: &[Commit]) -> usize {
    let mut events = 0;
    let fits = |commit: &&Commit| {
        events += commit.events.len();
        events <= EVENTS_TOGETHER
    };
    commits.iter().take_while(fits).count().max(1).min(commits.len())
}

/// The number that events of turns consist of.
fn number(event: &Event) -> Option<u64> {
    take_varint(&mut &event.body[..])
}
