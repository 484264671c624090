//! The identity of this node: the id that callers address, and the key that it signs with.

use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use cairn_access::identity::{Existing, Identity, IdentityError, IdentityFolder};
use cairn_base::fs::SystemFs;
use cairn_base::{SystemClock, SystemEntropy};
use cairn_engine::{Signing, SigningError};

use crate::failure::Failure;

/// The identity of a data directory, or one in memory without a directory. Created when it is needed first.
#[derive(Debug)]
pub(crate) struct NodeIdentity {
    dir: Option<PathBuf>,
    in_memory: Mutex<Option<Identity>>,
}

impl NodeIdentity {
    /// The identity of the node whose data is in `dir`.
    pub(crate) fn of(dir: Option<&Path>) -> Self {
        NodeIdentity { dir: dir.map(Path::to_owned), in_memory: Mutex::new(None) }
    }

    /// Returns the node id. Callers that have to authenticate need one to address: with `auth_required`, a node
    /// without an identity gets a random one.
    pub(crate) fn node_id(&self, auth_required: bool) -> Result<Option<String>, Failure> {
        let identity = if auth_required { Some(self.load_or_create()?) } else { self.load()? };
        Ok(identity.map(|identity| identity.public_key().to_string()))
    }

    fn load(&self) -> Result<Option<Identity>, IdentityError> {
        match &self.dir {
            Some(dir) => IdentityFolder::new(&SystemFs, dir).load(),
            None => Ok(self.in_memory.lock().unwrap_or_else(PoisonError::into_inner).clone()),
        }
    }

    fn load_or_create(&self) -> Result<Identity, IdentityError> {
        if let Some(identity) = self.load()? {
            return Ok(identity);
        }
        let new = Identity::random(&SystemEntropy, &SystemClock).created_by_node();
        let Some(dir) = &self.dir else {
            let mut kept = self.in_memory.lock().unwrap_or_else(PoisonError::into_inner);
            return Ok(kept.get_or_insert(new).clone());
        };
        let folder = IdentityFolder::new(&SystemFs, dir);
        match folder.save(&new, Existing::Refuse) {
            Ok(_) => {
                let node_id = new.public_key().to_string();
                tracing::info!(node_id, "created an identity; `cairn identity export` writes a backup of it");
                Ok(new)
            }
            // Another command created one meanwhile.
            Err(error @ IdentityError::Exists { .. }) => folder.load()?.ok_or(error),
            Err(error) => Err(error),
        }
    }
}

impl Signing for NodeIdentity {
    fn identity(&self) -> Result<Identity, SigningError> {
        self.load_or_create().map_err(|error| SigningError(error.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_identity_is_created_once_and_kept() {
        let dir = tempfile::tempdir().expect("a temporary folder");
        for node in [NodeIdentity::of(None), NodeIdentity::of(Some(dir.path()))] {
            assert_eq!(node.node_id(false).expect("nothing is wrong"), None);
            let signing = node.identity().expect("it is created").public_key().to_string();
            assert_eq!(node.node_id(false).expect("it is there"), Some(signing.clone()));
            assert_eq!(node.node_id(true).expect("it is there"), Some(signing));
        }
        let again = NodeIdentity::of(Some(dir.path())).node_id(false).expect("it is there");
        assert!(again.is_some());
    }
}
