//! The requirements KB: one graph space per workspace and branch, held in memory while it is in use.
//!
//! Writes of one branch follow each other under a lock: each is examined against the branch in memory, outside of any
//! transaction, and the transaction stores it only if the branch still has the version that it was examined
//! against. Reads see the branch as its last write left it.

mod accept;
mod branches;
mod check;
mod create;
mod damage;
mod delete;
mod diff;
mod export;
mod list;
mod memory;
mod model;
mod open;
mod reports;
mod results;
mod salvage;
mod search;
mod sparql;
mod state;
mod sync;
mod sync_staged;
mod upsert;
mod verify;

pub use self::create::KbEnsured;
pub use self::diff::KbDiff;
pub use self::list::{KbBranch, KbBranches};
pub(crate) use self::memory::Kb;

use cairn_base::TenantId;
use cairn_kb::KbError;

use crate::EngineError;

/// The KB of a branch of a workspace.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KbTarget {
    /// The tenant.
    pub tenant: TenantId,
    /// The id of the workspace.
    pub workspace: String,
    /// The branch.
    pub branch: String,
}

impl From<KbError> for EngineError {
    fn from(error: KbError) -> Self {
        if let KbError::Store(error) = error {
            error.into()
        } else if let KbError::Graph(error) = error {
            error.into()
        } else {
            EngineError::Kb(Box::new(error))
        }
    }
}
