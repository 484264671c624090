//! Appending a turn.

use cairn_access::Principal;
use cairn_base::{ContentHash, ContextId, TenantId, TurnId};
use cairn_seam::{Blob, StoreError};
use cairn_turns::{Append, Appended, DeclaredType, IdempotencyKey};

use super::acts::writing;
use crate::{Engine, EngineError, Prepared};

/// A turn that a client appends.
#[derive(Debug, Clone)]
pub struct AppendTurn {
    /// The context to append to.
    pub context: ContextId,
    /// The parent; the head if `None`.
    pub parent: Option<TurnId>,
    /// The head that the client expects; [`TurnId::NONE`] for an empty context.
    pub expected_head: Option<TurnId>,
    /// The declared type of the payload.
    pub declared: DeclaredType,
    /// Encoding of the payload; 1 is msgpack.
    pub encoding: u32,
    /// Compression of the payload on its way here.
    pub compression: u32,
    /// The payload, uncompressed.
    pub payload: Blob,
    /// The root of a file tree whose blobs are stored already.
    pub tree: Option<ContentHash>,
    /// The idempotency key.
    pub key: Option<IdempotencyKey>,
}

impl Engine {
    /// Prepares to append a turn and to make it the head of its context.
    ///
    /// With the idempotency key of an earlier append, and the same content, nothing is written and the
    /// outcome is the earlier turn. Types have to be
    /// published if the engine is strict about them.
    pub fn append(&self, principal: &Principal, tenant: TenantId, turn: AppendTurn) -> Prepared<Appended> {
        let bytes = turn.payload.len();
        let request = Append {
            context: turn.context,
            parent: turn.parent,
            expected_head: turn.expected_head,
            declared: turn.declared,
            encoding: turn.encoding,
            compression: turn.compression,
            payload_bytes: u32::try_from(bytes).unwrap_or(u32::MAX),
            payload: turn.payload,
            tree: turn.tree,
            key: turn.key,
            remember_ms: u64::try_from(self.remember_keys().as_millis()).unwrap_or(u64::MAX),
            now_ms: self.clock().now_ms(),
            strict: self.has_strict_types(),
        };
        Prepared::new(principal, writing(tenant), move |tx, scope| {
            if u64::from(request.payload_bytes) != bytes {
                return Err(EngineError::from(StoreError::BlobTooLarge { bytes, max: u64::from(u32::MAX) }));
            }
            Ok(cairn_turns::append(tx, scope, &request)?)
        })
    }
}
