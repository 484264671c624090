//! Appending a turn.

use cairn_access::Scope;
use cairn_base::{ContentHash, ContextId, TurnId};
use cairn_seam::{Blob, WriteTx};

use crate::context::{self, advance, counters, emit, put_counters};
use crate::error::TurnsError;
use crate::idempotency::{self, IdempotencyKey};
use crate::intern::intern;
use crate::lineage::jump_below;
use crate::tables::{TURN_APPENDED, TURNS};
use crate::turn::{DeclaredType, Turn};
use crate::{metadata, read, record, registry, tree};

/// A turn that is to be appended.
#[derive(Debug, Clone)]
pub struct Append {
    /// To which context.
    pub context: ContextId,
    /// Below which turn; the head if none is named.
    pub parent: Option<TurnId>,
    /// The head that the writer takes the context to have; [`TurnId::NONE`] for an empty one.
    pub expected_head: Option<TurnId>,
    /// What the payload is.
    pub declared: DeclaredType,
    /// How it is encoded; 1 is msgpack.
    pub encoding: u32,
    /// How it was compressed on its way here.
    pub compression: u32,
    /// The payload.
    pub payload: Blob,
    /// Its length.
    pub payload_bytes: u32,
    /// The root of a file tree whose blobs are there already.
    pub tree: Option<ContentHash>,
    /// What the writer calls this append.
    pub key: Option<IdempotencyKey>,
    /// How long that name is remembered.
    pub remember_ms: u64,
    /// When it was asked for, in Unix milliseconds.
    pub now_ms: u64,
    /// Whether its type has to be published.
    pub strict: bool,
}

/// What appending came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Appended {
    /// The turn.
    pub turn: Turn,
    /// Whether it was there already: the same idempotency key was used before.
    pub is_repeated: bool,
}

/// Appends a turn, and makes it the head of its context.
pub fn append(tx: &mut dyn WriteTx, scope: &Scope, request: &Append) -> Result<Appended, TurnsError> {
    if let Some(key) = &request.key
        && let Some(earlier) = idempotency::earlier(tx, scope, request, key)?
    {
        return Ok(Appended { turn: read::turn(tx, scope, earlier)?, is_repeated: true });
    }
    let context = context::head(tx, scope, request.context)?;
    if let Some(expected) = request.expected_head.filter(|expected| *expected != context.head) {
        return Err(TurnsError::HeadMoved { context: context.id, head: context.head, expected });
    }
    if request.strict && !registry::is_published(tx, scope, &request.declared)? {
        let DeclaredType { id, version } = request.declared.clone();
        return Err(TurnsError::TypeUnknown { id, version });
    }
    let turn = add(tx, scope, request, request.parent.unwrap_or(context.head))?;
    advance(tx, scope, &context, &turn)?;
    if let Some(key) = &request.key {
        idempotency::remember(tx, scope, request, key, turn.id)?;
    }
    Ok(Appended { turn, is_repeated: false })
}

/// Writes a turn below `above`, and leaves the head of its context to the caller.
pub(crate) fn add(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    request: &Append,
    above: TurnId,
) -> Result<Turn, TurnsError> {
    let parent = (above != TurnId::NONE).then(|| read::turn(tx, scope, above)).transpose()?;
    if let Some(root) = &request.tree {
        tree::keep(tx, root)?;
    }
    tx.put_blob(&request.payload)?;
    let mut counters = counters(tx, scope)?;
    counters.turn += 1;
    counters.turns += 1;
    let turn = Turn {
        id: TurnId(counters.turn),
        context: request.context,
        parent: above,
        depth: match &parent {
            Some(parent) => parent.depth.checked_add(1).ok_or(TurnsError::ChainFull(request.context))?,
            None => 0,
        },
        jump: parent.as_ref().map_or(Ok(TurnId::NONE), |parent| jump_below(tx, scope, parent))?,
        type_number: intern(tx, scope, &request.declared.id)?,
        type_version: request.declared.version,
        encoding: request.encoding,
        compression: request.compression,
        payload_bytes: request.payload_bytes,
        hash: request.payload.hash(),
        created_at_ms: request.now_ms,
        tree: request.tree,
        tree_above: parent.as_ref().map_or(Ok(TurnId::NONE), |parent| tree::nearest(tx, scope, parent))?,
    };
    put_counters(tx, scope, counters)?;
    tx.put(TURNS, &scope.key().u64(turn.id.0), &record::encode_turn(&turn))?;
    if parent.is_none() {
        metadata::begin(tx, scope, turn.id, turn.encoding, &request.payload)?;
    }
    if let Some(parent) = &parent {
        tree::note_child(tx, scope, parent, &turn)?;
    }
    emit(tx, TURN_APPENDED, turn.id.0)?;
    Ok(turn)
}
