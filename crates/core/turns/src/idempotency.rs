//! Appending once, however often it is asked for.

use cairn_access::Scope;
use cairn_base::{ContentHash, ContextId, TurnId, put_varint, take_varint};
use cairn_seam::WriteTx;

use crate::append::Append;
use crate::error::TurnsError;
use crate::limits;
use crate::tables::IDEMPOTENCY;

/// A name that a client gives to one append.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct IdempotencyKey(Vec<u8>);

impl IdempotencyKey {
    /// Checks a key; an empty one is none.
    pub fn parse(key: &[u8]) -> Result<Option<Self>, TurnsError> {
        if key.len() > limits::IDEMPOTENCY_KEY_BYTES_MAX {
            return Err(TurnsError::KeyTooLong { bytes: key.len() });
        }
        Ok((!key.is_empty()).then(|| IdempotencyKey(key.to_vec())))
    }

    /// What it is called in [`IDEMPOTENCY`].
    pub(crate) fn name(&self, scope: &Scope, context: ContextId) -> Vec<u8> {
        let mut name = scope.key().u64(context.0).into_vec();
        name.extend_from_slice(&self.0);
        name
    }
}

/// The turn that a key was used for, out of its record. Fails if that was for other content.
pub(crate) fn earlier(request: &Append, record: &[u8]) -> Result<TurnId, TurnsError> {
    let stored = record.split_first_chunk::<16>();
    let turn = stored.and_then(|(_, mut rest)| take_varint(&mut rest)).map(TurnId);
    let bad = || TurnsError::BadRecord { what: "idempotency key", detail: "it does not decode".into() };
    let ((print, _), turn) = stored.zip(turn).ok_or_else(bad)?;
    if *print == fingerprint(request) { Ok(turn) } else { Err(TurnsError::KeyReused(turn)) }
}

/// Remembers what a key was used for.
pub(crate) fn remember(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    request: &Append,
    key: &IdempotencyKey,
    turn: TurnId,
) -> Result<(), TurnsError> {
    let mut value = fingerprint(request).to_vec();
    put_varint(&mut value, turn.0);
    let until = request.now_ms.saturating_add(request.remember_ms);
    Ok(tx.hashed_put(IDEMPOTENCY, &key.name(scope, request.context), &value, Some(until))?)
}

/// What makes two appends the same: parent argument, type, encoding, content and file tree.
fn fingerprint(request: &Append) -> [u8; 16] {
    let mut hasher = blake3::Hasher::new();
    hasher.update(&request.parent.map_or(0, |parent| parent.0).to_le_bytes());
    hasher.update(&(request.declared.id.len() as u64).to_le_bytes());
    hasher.update(request.declared.id.as_bytes());
    hasher.update(&request.declared.version.to_le_bytes());
    hasher.update(&request.encoding.to_le_bytes());
    hasher.update(request.payload.hash().as_bytes());
    if let Some(tree) = &request.tree {
        hasher.update(ContentHash::as_bytes(tree));
    }
    *hasher.finalize().as_bytes().first_chunk().expect("32 bytes have 16")
}
