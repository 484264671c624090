//! Turns and contexts in the search index: their documents, and questions about them.

mod ask;
mod documents;
mod feed;
mod rebuild;
mod refresh;

use cairn_access::{Action, Scope};
use cairn_base::{ContextId, TenantId, TurnId};
use cairn_seam::{Change as Commit, Snapshot};
use cairn_search::document::{Collection, Document, Partition};
use cairn_search::index::SearchIndex;
use cairn_turns::search::COLLECTIONS;

pub use self::ask::{SearchHit, SearchIn, SearchPage, SearchQuestion, Snippet};
use super::memory::Turns;
use crate::memory::{Searchable, Walk};
use crate::search::Taking;
use crate::{Engine, EngineError};

impl Searchable for Turns {
    fn collections(&self) -> &'static [Collection] {
        COLLECTIONS
    }

    fn written_by(&self) -> &'static [Action] {
        &[Action::TurnsWrite]
    }

    fn take(
        &self,
        engine: &Engine,
        tenant: TenantId,
        commits: &[Commit],
        snapshot: &dyn Snapshot,
        taking: &mut Taking<'_>,
    ) -> Result<(), EngineError> {
        feed::take(self, engine, tenant, commits, snapshot, taking)
    }

    fn walk<'a>(
        &'a self,
        engine: &'a Engine,
        snapshot: &dyn Snapshot,
    ) -> Result<Box<dyn Walk + 'a>, EngineError> {
        Ok(Box::new(rebuild::Everything::of(engine, snapshot)?))
    }

    fn opened(&self, tenants: &[TenantId]) {
        // Types may have been described just before the last end.
        self.described.lock().extend(tenants);
    }

    fn stale(&self) -> Option<TenantId> {
        self.described.lock().first().copied()
    }

    fn is_stale(&self, tenant: TenantId) -> bool {
        self.described.lock().contains(&tenant)
    }

    fn refresh(&self, engine: &Engine, index: &SearchIndex, tenant: TenantId) -> Result<(), EngineError> {
        refresh::step(self, engine, index, tenant)
    }
}

/// Where the documents of a collection are kept for a scope.
fn partition(collection: &Collection, scope: &Scope) -> Partition {
    collection.partition(scope.tenant(), scope.space())
}

fn turn_of(id: &[u8]) -> TurnId {
    TurnId(Document::number_of(id))
}

fn context_of(id: &[u8]) -> ContextId {
    ContextId(Document::number_of(id))
}
