//! What commits did to turns and contexts becomes documents.

use cairn_base::{ContextId, TenantId, TurnId, take_varint};
use cairn_seam::{Change as Commit, Event, Snapshot};
use cairn_search::document::{Change, Document};
use cairn_turns::search::{CONTEXTS, TURNS};
use cairn_turns::tables::{
    BUNDLE_PUBLISHED, CONTEXT_CREATED, CONTEXT_PRUNED, METADATA_UPDATED, TURN_APPENDED, TURN_PRUNED,
};

use super::documents::Documents;
use super::partition;
use crate::search::Taking;
use crate::turns::memory::Turns;
use crate::{Engine, EngineError};

/// What some commits of a tenant touched.
#[derive(Default)]
struct Touched {
    appended: Vec<TurnId>,
    pruned: Vec<u64>,
    contexts: Vec<ContextId>,
    gone: Vec<u64>,
    has_described: bool,
}

impl Touched {
    fn of(commits: &[Commit]) -> Self {
        let mut touched = Touched::default();
        for event in commits.iter().flat_map(|commit| &commit.events) {
            match event.kind {
                TURN_APPENDED => touched.appended.extend(number(event).map(TurnId)),
                TURN_PRUNED => touched.pruned.extend(number(event)),
                CONTEXT_CREATED | METADATA_UPDATED => touched.contexts.extend(number(event).map(ContextId)),
                CONTEXT_PRUNED => touched.gone.extend(number(event)),
                BUNDLE_PUBLISHED => touched.has_described = true,
                _ => {}
            }
        }
        touched.contexts.sort_unstable();
        touched.contexts.dedup();
        touched
    }

    fn is_nothing(&self) -> bool {
        let Touched { appended, pruned, contexts, gone, .. } = self;
        appended.is_empty() && pruned.is_empty() && contexts.is_empty() && gone.is_empty()
    }
}

pub(super) fn take(
    memory: &Turns,
    engine: &Engine,
    tenant: TenantId,
    commits: &[Commit],
    snapshot: &dyn Snapshot,
    taking: &mut Taking<'_>,
) -> Result<(), EngineError> {
    let touched = Touched::of(commits);
    if touched.has_described {
        // Turns of these types may read differently now.
        memory.described.lock().insert(tenant);
    }
    if touched.is_nothing() {
        return Ok(());
    }
    let scope = engine.own_scope(tenant)?;
    let mut documents = Documents::new(engine, snapshot, scope)?;
    // Turns get their numbers once, so a new one is never there already. Those that are gone by now
    // are left out here, and removing what is not there does nothing.
    let parts = documents.parts(&touched.appended)?;
    let is_much = parts.len() > 1;
    for part in parts {
        let added = documents.of_turns(&part)?.into_iter();
        if is_much {
            // Taken before its commit is whole, so it may come once more.
            let replaced: Vec<_> = added.map(|(home, document)| (home, Change::Replace(document))).collect();
            taking.add_now(&replaced)?;
        } else {
            taking.add(added.map(|(home, document)| (home, Change::Add(document))));
        }
    }
    let removed = |number: u64| (partition(&TURNS, &scope), Change::Remove(Document::id_of(number)));
    taking.add(touched.pruned.into_iter().map(removed));
    taking.add(documents.contexts(&touched.contexts)?);
    let removed = |number: u64| (partition(&CONTEXTS, &scope), Change::Remove(Document::id_of(number)));
    taking.add(touched.gone.into_iter().map(removed));
    Ok(())
}

/// The number that events of turns consist of.
fn number(event: &Event) -> Option<u64> {
    take_varint(&mut &event.body[..])
}
