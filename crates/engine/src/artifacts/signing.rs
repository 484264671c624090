//! The key that the node signs with.

use std::fmt;
use std::sync::Arc;

use cairn_access::identity::{Identity, PublicKey};

use crate::{Engine, EngineError};

/// The reason why there is no key to sign with.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct SigningError(pub String);

/// A source of the key that the node signs with. Asked once, when something is signed for the first time.
pub trait Signing: fmt::Debug + Send + Sync {
    /// The identity of the node; makes one if there is none yet.
    fn identity(&self) -> Result<Identity, SigningError>;
}

impl Engine {
    /// The key that this node signs with; `None` if it has none.
    pub fn signing_key(&self) -> Option<PublicKey> {
        self.signing_identity().ok().map(|identity| identity.public_key())
    }

    /// The identity that this node signs with.
    pub(crate) fn signing_identity(&self) -> Result<Arc<Identity>, EngineError> {
        let mut known = self.memories.artifacts.identity.lock();
        if let Some(identity) = &*known {
            return Ok(Arc::clone(identity));
        }
        let missing = |detail: String| EngineError::NoSigning { detail };
        let source = self.memories.artifacts.signing.as_ref();
        let source = source.ok_or_else(|| missing("it has no identity".into()))?;
        let identity = Arc::new(source.identity().map_err(|error| missing(error.0))?);
        *known = Some(Arc::clone(&identity));
        Ok(identity)
    }
}
