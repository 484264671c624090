//! By which id callers address the server.

use std::path::Path;

use cairn_access::identity::{Existing, Identity, IdentityFolder};
use cairn_base::fs::SystemFs;
use cairn_base::{SystemClock, SystemEntropy};

use crate::failure::Failure;

/// The node id of a data directory. Where callers have to say who they are, there has to be one: a server
/// without an identity makes one of chance.
pub(crate) fn of(dir: Option<&Path>, auth_required: bool) -> Result<Option<String>, Failure> {
    let folder = dir.map(|dir| IdentityFolder::new(&SystemFs, dir));
    if let Some(identity) = folder.as_ref().map(IdentityFolder::load).transpose()?.flatten() {
        return Ok(Some(identity.public_key().to_string()));
    }
    if !auth_required {
        return Ok(None);
    }
    let identity = Identity::random(&SystemEntropy, &SystemClock);
    let node_id = identity.public_key().to_string();
    if let Some(folder) = folder {
        folder.save(&identity, Existing::Refuse)?;
        tracing::info!(node_id, "made an identity; `cairn identity export` keeps a copy of it");
    }
    Ok(Some(node_id))
}
