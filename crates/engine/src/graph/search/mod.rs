//! Concepts and links in the search index: their documents, and questions about them.

mod ask;
mod documents;
mod ends;
mod feed;
pub(crate) mod rebuild;

use cairn_access::{Action, Scope};
use cairn_base::TenantId;
use cairn_graph::search::COLLECTIONS;
use cairn_seam::{Change as Commit, Snapshot};
use cairn_search::document::{Collection, Partition};

pub(crate) use self::ask::{ElementHit, GraphQuestion};
use super::memory::Graph;
use crate::memory::{Searchable, Walk};
use crate::search::Taking;
use crate::{Engine, EngineError};

/// Records that are in memory at once.
const TOGETHER: usize = 64;

impl Searchable for Graph {
    fn collections(&self) -> &'static [Collection] {
        COLLECTIONS
    }

    fn written_by(&self) -> &'static [Action] {
        &[Action::GraphWrite, Action::KbWrite]
    }

    fn take(
        &self,
        engine: &Engine,
        tenant: TenantId,
        commits: &[Commit],
        snapshot: &dyn Snapshot,
        taking: &mut Taking<'_>,
    ) -> Result<(), EngineError> {
        feed::take(engine, tenant, commits, snapshot, taking)
    }

    fn walk<'a>(
        &'a self,
        engine: &'a Engine,
        snapshot: &dyn Snapshot,
    ) -> Result<Box<dyn Walk + 'a>, EngineError> {
        Ok(Box::new(rebuild::Everything::of(engine, snapshot)?))
    }
}

/// Where the documents of a collection are kept for a scope.
fn partition(collection: &Collection, scope: &Scope) -> Partition {
    collection.partition(scope.tenant(), scope.space())
}
