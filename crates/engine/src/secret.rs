//! A secret of the store: what tenants are shown and must learn nothing from is sealed under it.
//!
//! It is kept in the store, so that what was sealed can be read after a restart, and after a restore.

use cairn_access::{Action, Principal, Resource, Scope};
use cairn_base::{Entropy, Position};
use cairn_seam::{Reader, StoreError, WriteTx};

use crate::pipeline::Pipeline;
use crate::{Act, EngineError, record, tables};

/// 32 random bytes, drawn once. They are used to derive keys, and for nothing else.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Secret(pub(crate) [u8; 32]);

impl Secret {
    /// A new one.
    pub(crate) fn random(entropy: &dyn Entropy) -> Self {
        let mut bytes = [0; 32];
        entropy.fill(&mut bytes);
        Secret(bytes)
    }

    /// The key for a purpose; a purpose is named once, for ever.
    pub(crate) fn key(&self, purpose: &str) -> [u8; 32] {
        blake3::derive_key(purpose, &self.0)
    }

    /// Keeps it.
    pub(crate) fn put(&self, tx: &mut dyn WriteTx, node: &Scope) -> Result<(), EngineError> {
        Ok(tx.put(tables::SECRET, &node.key(), &record::encode_secret(self))?)
    }
}

/// Reads the secret, or makes it for a store that is older than secrets are.
pub(crate) fn load_or_make(pipeline: &Pipeline, entropy: &dyn Entropy) -> Result<Secret, EngineError> {
    let principal = Principal::node();
    let act = Act::new(Action::NodeInit, Resource::NODE).on("secret");
    let scope = pipeline.permit(&principal, &act)?.scope();
    if let Some(secret) = load(&*pipeline.store().snapshot(Position::START)?, &scope)? {
        return Ok(secret);
    }
    let secret = Secret::random(entropy);
    let committed = pipeline.transact(&principal, &act, move |tx, scope| {
        // On a shared store another process may have been quicker.
        if let Some(existing) = load(tx, scope)? {
            return Ok(existing);
        }
        secret.put(tx, scope)?;
        Ok(secret)
    });
    match committed {
        // Lost with damaged bytes: ids of events hold for this run alone.
        Err(EngineError::Store(StoreError::ReadOnly { .. })) => Ok(secret),
        committed => Ok(committed?.value),
    }
}

fn load<R: Reader + ?Sized>(reader: &R, node: &Scope) -> Result<Option<Secret>, EngineError> {
    let stored = cairn_seam::get(reader, tables::SECRET, &node.key())?;
    stored.as_deref().map(record::decode_secret).transpose()
}
