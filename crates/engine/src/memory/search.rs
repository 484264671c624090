//! A memory's side of the search index.

use cairn_access::Action;
use cairn_base::TenantId;
use cairn_seam::{Change as Commit, Snapshot};
use cairn_search::document::Collection;
use cairn_search::index::SearchIndex;

use crate::search::{Filling, Taking};
use crate::{Engine, EngineError};

/// A memory whose records can be found by their words.
pub trait Searchable: Send + Sync {
    /// The kinds of its documents. Numbers are stored: chosen once and never reused.
    fn collections(&self) -> &'static [Collection];

    /// Actions that change documents: a caller of these waits a little when the index lags behind.
    fn written_by(&self) -> &'static [Action] {
        &[]
    }

    /// Turns events of commits into changes of documents. The commits are neighbours of one tenant, with events
    /// of every memory, and `snapshot` is at least as new as all of them.
    ///
    /// The same commits may come again after a failure.
    fn take(
        &self,
        engine: &Engine,
        tenant: TenantId,
        commits: &[Commit],
        snapshot: &dyn Snapshot,
        taking: &mut Taking<'_>,
    ) -> Result<(), EngineError>;

    /// Begins a walk over everything that is there, for a new index. Everything after `snapshot` comes from the
    /// feed, and must not come from the walk as [`Change::Add`](cairn_search::document::Change::Add).
    fn walk<'a>(
        &'a self,
        engine: &'a Engine,
        snapshot: &dyn Snapshot,
    ) -> Result<Box<dyn Walk + 'a>, EngineError>;

    /// An index was opened that holds documents of these tenants.
    fn opened(&self, tenants: &[TenantId]) {
        let _ = tenants;
    }

    /// A tenant with documents that have to be rebuilt although no event says so, if there is one.
    fn stale(&self) -> Option<TenantId> {
        None
    }

    /// Whether a tenant has such documents.
    fn is_stale(&self, tenant: TenantId) -> bool {
        let _ = tenant;
        false
    }

    /// Rebuilds some of these documents. A tenant that has no more is no longer [stale](Searchable::stale).
    fn refresh(&self, engine: &Engine, index: &SearchIndex, tenant: TenantId) -> Result<(), EngineError> {
        let _ = (engine, index, tenant);
        Ok(())
    }
}

/// A walk over everything of a memory.
pub trait Walk {
    /// About how many records there are, for progress.
    fn size(&self) -> u64;

    /// Hands the documents of all of them over, page by page.
    fn run(&mut self, filling: &Filling<'_>) -> Result<(), EngineError>;
}
