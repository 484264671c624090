//! Taking over contexts and turns of another store, with their own times.
//!
//! Numbers are given anew here; which number became which is kept under the name of the import, so that
//! the same lines again double nothing, and what comes later finds what it refers to.

use cairn_access::Scope;
use cairn_base::{ContentHash, ContextId, TurnId, limits, put_varint, take_varint};
use cairn_seam::{Blob, Keyspace, Reader, WriteTx, get};

use crate::append::{Append, add};
use crate::context::{self, advance};
use crate::error::TurnsError;
use crate::read;
use crate::tables::{IMPORTED_CONTEXTS, IMPORTED_TURNS};
use crate::turn::DeclaredType;

/// What an import is called: lines of one import refer to each other, however often it is begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ImportId([u8; 16]);

impl ImportId {
    /// Reads a name that somebody chose.
    pub fn parse(name: &str) -> Result<Self, TurnsError> {
        if !(1..=limits::IMPORT_ID_BYTES_MAX).contains(&name.len()) {
            return Err(TurnsError::ImportIdLength { bytes: name.len() });
        }
        let hash = blake3::hash(name.as_bytes());
        Ok(ImportId(*hash.as_bytes().first_chunk().expect("32 bytes have 16")))
    }
}

/// A context of another store. Numbers are those it has there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NewContext {
    /// Its number.
    pub id: ContextId,
    /// The turn it was forked from; [`TurnId::NONE`] for one that began empty.
    pub base: TurnId,
    /// When it was made, in Unix milliseconds.
    pub created_at_ms: u64,
}

/// A turn of another store. Numbers are those it has there.
#[derive(Debug, Clone)]
pub struct NewTurn {
    /// Its number.
    pub id: TurnId,
    /// The context it was appended to.
    pub context: ContextId,
    /// The turn before it; [`TurnId::NONE`] for the first one.
    pub parent: TurnId,
    /// What the payload is.
    pub declared: DeclaredType,
    /// How it is encoded; 1 is msgpack.
    pub encoding: u32,
    /// How it was compressed on its way into that store.
    pub compression: u32,
    /// The payload.
    pub payload: Blob,
    /// Its length.
    pub payload_bytes: u32,
    /// The root of its file tree, whose blobs are there already.
    pub tree: Option<ContentHash>,
    /// When it was appended, in Unix milliseconds.
    pub created_at_ms: u64,
}

/// Whether something was taken over.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    /// It is new.
    New,
    /// It was taken over before.
    Known,
}

/// Takes over a context. One that was pruned here since comes back under the number it had here, which
/// turns of it that stayed still bear.
pub fn import_context(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    import: &ImportId,
    new: &NewContext,
) -> Result<Taken, TurnsError> {
    let known = context_here(tx, scope, import, new.id)?;
    if let Some(known) = known
        && context::find(tx, scope, known)?.is_some()
    {
        return Ok(Taken::Known);
    }
    let base = (new.base != TurnId::NONE).then(|| turn_here(tx, scope, import, new.base)).transpose()?;
    let id = known.map_or_else(|| take_context(tx, scope, import, new.id), Ok)?;
    match context::create_as(tx, scope, id, base, new.created_at_ms) {
        Err(TurnsError::NoTurn(_)) => Err(TurnsError::NotImported(new.base)),
        outcome => outcome.map(|_| Taken::New),
    }
}

/// Takes over a turn, and makes it the head of its context unless a newer one is.
///
/// Its context need not be there: of one that was pruned, turns may have stayed.
pub fn import_turn(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    import: &ImportId,
    new: &NewTurn,
) -> Result<Taken, TurnsError> {
    let key = key(scope, import, new.id.0);
    let known = get(tx, IMPORTED_TURNS, &key)?.as_deref().map(number).transpose()?;
    if let Some(known) = known
        && !read::turns(tx, scope, &[TurnId(known)])?.is_empty()
    {
        lead_to(tx, scope, import, new.context, TurnId(known))?;
        return Ok(Taken::Known);
    }
    let above =
        if new.parent == TurnId::NONE { new.parent } else { turn_here(tx, scope, import, new.parent)? };
    let context = context_here(tx, scope, import, new.context)?;
    let context = context.map_or_else(|| take_context(tx, scope, import, new.context), Ok)?;
    let request = Append {
        context,
        parent: Some(above),
        expected_head: None,
        declared: new.declared.clone(),
        encoding: new.encoding,
        compression: new.compression,
        payload: new.payload.clone(),
        payload_bytes: new.payload_bytes,
        tree: new.tree,
        strict: false,
        key: None,
        remember_ms: 0,
        now_ms: new.created_at_ms,
    };
    let turn = match add(tx, scope, &request, above) {
        // It was pruned here.
        Err(TurnsError::NoTurn(id)) if id == above => return Err(TurnsError::NotImported(new.parent)),
        outcome => outcome?,
    };
    tx.put(IMPORTED_TURNS, &key, &value(turn.id.0))?;
    lead_to(tx, scope, import, new.context, turn.id)?;
    Ok(Taken::New)
}

/// Makes a turn that was taken over the head of a context that was, unless a newer one is.
pub fn import_head(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    import: &ImportId,
    context: ContextId,
    turn: TurnId,
) -> Result<(), TurnsError> {
    let turn = turn_here(tx, scope, import, turn)?;
    lead_to(tx, scope, import, context, turn)
}

fn lead_to(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    import: &ImportId,
    there: ContextId,
    turn: TurnId,
) -> Result<(), TurnsError> {
    let Some(id) = context_here(tx, scope, import, there)? else { return Ok(()) };
    match context::find(tx, scope, id)? {
        Some(context) if context.head < turn => {
            let turn = read::turn(tx, scope, turn)?;
            advance(tx, scope, &context, &turn)
        }
        Some(_) | None => Ok(()),
    }
}

/// Takes a number for a context that has none here.
fn take_context(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    import: &ImportId,
    there: ContextId,
) -> Result<ContextId, TurnsError> {
    let id = context::next_number(tx, scope)?;
    tx.put(IMPORTED_CONTEXTS, &key(scope, import, there.0), &value(id.0))?;
    Ok(id)
}

fn context_here(
    tx: &dyn WriteTx,
    scope: &Scope,
    import: &ImportId,
    there: ContextId,
) -> Result<Option<ContextId>, TurnsError> {
    Ok(lookup(tx, IMPORTED_CONTEXTS, scope, import, there.0)?.map(ContextId))
}

fn turn_here(
    tx: &dyn WriteTx,
    scope: &Scope,
    import: &ImportId,
    there: TurnId,
) -> Result<TurnId, TurnsError> {
    let found = lookup(tx, IMPORTED_TURNS, scope, import, there.0)?;
    found.map(TurnId).ok_or(TurnsError::NotImported(there))
}

fn lookup<R: Reader + ?Sized>(
    reader: &R,
    keyspace: Keyspace,
    scope: &Scope,
    import: &ImportId,
    there: u64,
) -> Result<Option<u64>, TurnsError> {
    get(reader, keyspace, &key(scope, import, there))?.as_deref().map(number).transpose()
}

fn key(scope: &Scope, import: &ImportId, there: u64) -> Vec<u8> {
    scope.key().fixed(&import.0).u64(there).into_vec()
}

fn value(here: u64) -> Vec<u8> {
    let mut out = Vec::new();
    put_varint(&mut out, here);
    out
}

fn number(mut bytes: &[u8]) -> Result<u64, TurnsError> {
    let found = take_varint(&mut bytes).filter(|_| bytes.is_empty());
    found
        .ok_or_else(|| TurnsError::BadRecord { what: "imported number", detail: "it does not decode".into() })
}
