//! Appending a turn.

use cairn_access::Scope;
use cairn_base::{ContentHash, ContextId, TurnId};
use cairn_seam::{Blob, Read, WriteTx, read_all};

use crate::context::{advance, counters_from, emit, put_counters};
use crate::error::TurnsError;
use crate::idempotency::{self, IdempotencyKey};
use crate::intern::{TypeNumber, check_name, intern_known, name_key, number_from, number_key};
use crate::lineage::jump_below;
use crate::record::Counters;
use crate::registry::{descriptor_key, is_built_in, is_built_in_still};
use crate::tables::{
    CONTEXTS, COUNTERS, DESCRIPTORS, IDEMPOTENCY, TREES, TURN_APPENDED, TURNS, TYPE_NUMBERS, TYPES,
};
use crate::turn::{DeclaredType, Turn};
use crate::{metadata, read, record, tree};

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
///
/// Reads in three rounds: what does not depend on the parent, the parent, and the turn that the parent's
/// jump leads to. One more is needed for a type whose name is new to the tenant, or which has to be
/// published and is built in; and those to the first turn for an append that moves the head elsewhere.
pub fn append(tx: &mut dyn WriteTx, scope: &Scope, request: &Append) -> Result<Appended, TurnsError> {
    let basis = Basis::read(tx, scope, request, Some(request.context))?;
    if let Some(record) = &basis.earlier {
        let earlier = idempotency::earlier(request, record)?;
        return Ok(Appended { turn: read::turn(tx, scope, earlier)?, is_repeated: true });
    }
    let context = basis.context.as_deref().ok_or(TurnsError::NoContext(request.context))?;
    let context = record::decode_context(request.context, context)?;
    if let Some(expected) = request.expected_head.filter(|expected| *expected != context.head) {
        return Err(TurnsError::HeadMoved { context: context.id, head: context.head, expected });
    }
    let above = request.parent.unwrap_or(context.head);
    let around = Around::read(tx, scope, request, above, basis.type_number)?;
    if request.strict && !is_published(tx, scope, request, &basis, &around)? {
        let DeclaredType { id, version } = request.declared.clone();
        return Err(TurnsError::TypeUnknown { id, version });
    }
    let turn = write(tx, scope, request, above, &basis, &around)?;
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
    let basis = Basis::read(tx, scope, request, None)?;
    let around = Around::read(tx, scope, request, above, basis.type_number)?;
    write(tx, scope, request, above, &basis, &around)
}

/// The first round of reads: what does not depend on the parent.
struct Basis {
    counters: Counters,
    /// The number of the declared type's name, if it has one.
    type_number: Option<TypeNumber>,
    /// The record of the context.
    context: Option<Vec<u8>>,
    /// The record of the idempotency key.
    earlier: Option<Vec<u8>>,
}

impl Basis {
    fn read(
        tx: &dyn WriteTx,
        scope: &Scope,
        request: &Append,
        context: Option<ContextId>,
    ) -> Result<Self, TurnsError> {
        let (counters, number) = (scope.key(), number_key(scope, &request.declared.id));
        let context = context.map(|id| scope.key().u64(id.0));
        let key = request.key.as_ref().map(|key| key.name(scope, request.context));
        let mut reads = vec![Read::Key(COUNTERS, &counters), Read::Key(TYPE_NUMBERS, &number)];
        reads.extend(context.as_ref().map(|key| Read::Key(CONTEXTS, key)));
        reads.extend(key.as_ref().map(|name| Read::Hashed(IDEMPOTENCY, scope.tenant(), name)));
        let mut found = read_all(tx, &reads)?.into_iter();
        let mut next = || found.next().flatten();
        Ok(Basis {
            counters: counters_from(next().as_deref())?,
            type_number: next().as_deref().map(number_from).transpose()?,
            context: context.and_then(|_| next()),
            earlier: key.and_then(|_| next()),
        })
    }
}

/// The second round of reads: the parent, and what is known of the type.
struct Around {
    /// The record of the parent.
    parent: Option<Vec<u8>>,
    /// The record of a file tree that was attached to the parent.
    attached: Option<Vec<u8>>,
    /// Whether this version of the type is published; read only if that matters.
    is_described: bool,
}

impl Around {
    fn read(
        tx: &dyn WriteTx,
        scope: &Scope,
        request: &Append,
        above: TurnId,
        type_number: Option<TypeNumber>,
    ) -> Result<Self, TurnsError> {
        let parent = (above != TurnId::NONE).then(|| scope.key().u64(above.0));
        let name = type_number.map(|number| name_key(scope, number));
        let version = request.declared.version;
        let described =
            type_number.filter(|_| request.strict).map(|number| descriptor_key(scope, number, version));
        let mut reads = Vec::new();
        reads.extend(parent.iter().flat_map(|key| [Read::Key(TURNS, key), Read::Key(TREES, key)]));
        reads.extend(name.as_ref().map(|key| Read::Key(TYPES, key)));
        reads.extend(described.as_ref().map(|key| Read::Key(DESCRIPTORS, key)));
        let mut found = read_all(tx, &reads)?.into_iter();
        let mut next = || found.next().flatten();
        let (parent, attached) = if parent.is_some() { (next(), next()) } else { (None, None) };
        if let Some(number) = type_number {
            check_name(number, next(), &request.declared.id)?;
        }
        Ok(Around { parent, attached, is_described: described.and_then(|_| next()).is_some() })
    }
}

fn is_published(
    tx: &dyn WriteTx,
    scope: &Scope,
    request: &Append,
    basis: &Basis,
    around: &Around,
) -> Result<bool, TurnsError> {
    match basis.type_number {
        None => Ok(is_built_in(&request.declared)),
        Some(_) if around.is_described => Ok(true),
        Some(number) => is_built_in_still(tx, scope, &request.declared, number),
    }
}

fn write(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    request: &Append,
    above: TurnId,
    basis: &Basis,
    around: &Around,
) -> Result<Turn, TurnsError> {
    let parent = match &around.parent {
        Some(bytes) => Some(record::decode_turn(above, bytes)?),
        None if above == TurnId::NONE => None,
        None => return Err(TurnsError::NoTurn(above)),
    };
    if let Some(root) = &request.tree {
        tree::keep(tx, root)?;
    }
    tx.put_blob(&request.payload)?;
    let mut counters = basis.counters;
    counters.turn += 1;
    counters.turns += 1;
    let nearest = |parent: &Turn| tree::nearest(parent, around.attached.as_deref());
    let turn = Turn {
        id: TurnId(counters.turn),
        context: request.context,
        parent: above,
        depth: match &parent {
            Some(parent) => parent.depth.checked_add(1).ok_or(TurnsError::ChainFull(request.context))?,
            None => 0,
        },
        jump: parent.as_ref().map_or(Ok(TurnId::NONE), |parent| jump_below(tx, scope, parent))?,
        type_number: intern_known(tx, scope, &request.declared.id, basis.type_number)?,
        type_version: request.declared.version,
        encoding: request.encoding,
        compression: request.compression,
        payload_bytes: request.payload_bytes,
        hash: request.payload.hash(),
        created_at_ms: request.now_ms,
        tree: request.tree,
        tree_above: parent.as_ref().map_or(Ok(TurnId::NONE), nearest)?,
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
