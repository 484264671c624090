//! Attaching a file tree to a turn.

use cairn_access::Principal;
use cairn_base::{ContentHash, TenantId, TurnId};

use super::acts::writing;
use crate::{Engine, Prepared};

impl Engine {
    /// Prepares to attach the file tree `root`, whose blobs are stored already, to a turn.
    pub fn attach_tree(
        &self,
        principal: &Principal,
        tenant: TenantId,
        turn: TurnId,
        root: ContentHash,
    ) -> Prepared<()> {
        Prepared::new(principal, writing(tenant), move |tx, scope| {
            Ok(cairn_turns::attach(tx, scope, turn, &root)?)
        })
    }
}
