//! Taking over contexts and turns of another store, with their own times.
//!
//! Numbers are given anew here; which number became which is kept under the name of the import, so that
//! the same lines again double nothing, and what comes later finds what it refers to.

use cairn_access::Scope;
use cairn_base::{ContentHash, ContextId, TurnId, put_varint, take_varint};
use cairn_seam::{Blob, WriteTx, get};

use crate::append::{Append, add};
use crate::context::{self, Context, advance};
use crate::error::TurnsError;
use crate::tables::{IMPORTED_CONTEXTS, IMPORTED_TURNS};
use crate::turn::{DeclaredType, Turn};
use crate::{limits, read, tree};

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

/// What became of a context of another store.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Here {
    /// Its number here.
    id: ContextId,
    /// The newest turn that was made its head, as it is called there; [`TurnId::NONE`] if none was.
    head_there: TurnId,
    /// The last turn that was, as it is called here.
    head_here: TurnId,
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
        && context::find(tx, scope, known.id)?.is_some()
    {
        return Ok(Taken::Known);
    }
    let base = (new.base != TurnId::NONE).then(|| turn_here(tx, scope, import, new.base)).transpose()?;
    let id = known.map_or_else(|| context::next_number(tx, scope), |known| Ok(known.id))?;
    match context::create_as(tx, scope, id, base, new.created_at_ms) {
        Err(TurnsError::NoTurn(_)) => Err(TurnsError::NotImported(new.base)),
        outcome => {
            outcome?;
            note_context(tx, scope, import, new.id, &Here::new(id))?;
            Ok(Taken::New)
        }
    }
}

/// Takes over a turn, and makes it the head of its context.
///
/// Its context need not be there: of one that was pruned, turns may have stayed.
pub fn import_turn(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    import: &ImportId,
    new: &NewTurn,
) -> Result<Taken, TurnsError> {
    let key = key(scope, import, new.id.0);
    let known = get(tx, IMPORTED_TURNS, &key)?.as_deref().map(number).transpose()?.map(TurnId);
    if let Some(known) = known
        && let Some(turn) = read::turns(tx, scope, &[known])?.pop()
    {
        // It may have got a tree since. One that it has here stays: which of two is newer is not known.
        if let (Some(root), [None]) = (&new.tree, tree::own_trees(tx, scope, &[turn])?.as_slice()) {
            tree::attach(tx, scope, turn.id, root)?;
        }
        lead_to(tx, scope, import, new.context, (new.id, &turn))?;
        return Ok(Taken::Known);
    }
    let above =
        if new.parent == TurnId::NONE { new.parent } else { turn_here(tx, scope, import, new.parent)? };
    let context = match context_here(tx, scope, import, new.context)? {
        Some(known) => known.id,
        None => {
            let id = context::next_number(tx, scope)?;
            note_context(tx, scope, import, new.context, &Here::new(id))?;
            id
        }
    };
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
        key: None,
        remember_ms: 0,
        now_ms: new.created_at_ms,
        strict: false,
    };
    let turn = match add(tx, scope, &request, above) {
        // It was pruned here.
        Err(TurnsError::NoTurn(id)) if id == above => return Err(TurnsError::NotImported(new.parent)),
        outcome => outcome?,
    };
    tx.put(IMPORTED_TURNS, &key, &value(&[turn.id.0]))?;
    lead_to(tx, scope, import, new.context, (new.id, &turn))?;
    Ok(Taken::New)
}

/// Makes a turn that was taken over the head of a context that was: it was there when `as_of` was the
/// newest turn of all. So nothing older counts, and heads go back only if that is what they were.
pub fn import_head(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    import: &ImportId,
    context: ContextId,
    turn: TurnId,
    as_of: TurnId,
) -> Result<(), TurnsError> {
    let here = turn_here(tx, scope, import, turn)?;
    let known = context_here(tx, scope, import, context)?.filter(|known| known.head_there <= as_of);
    let Some(known) = known else { return Ok(()) };
    let Some(found) = context::find(tx, scope, known.id)? else { return Ok(()) };
    if found.head != known.head_or_base(&found) || found.head == here {
        return Ok(());
    }
    match read::turn(tx, scope, here) {
        Err(TurnsError::NoTurn(_)) => return Err(TurnsError::NotImported(turn)),
        newest => advance(tx, scope, &found, &newest?)?,
    }
    let head_there = known.head_there.max(turn);
    note_context(tx, scope, import, context, &Here { head_there, head_here: here, ..known })
}

/// Makes a turn the head of a context, unless one that is newer there was before, or somebody appended to
/// it here later.
fn lead_to(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    import: &ImportId,
    context: ContextId,
    (there, turn): (TurnId, &Turn),
) -> Result<(), TurnsError> {
    let known = context_here(tx, scope, import, context)?.filter(|known| known.head_there < there);
    let Some(known) = known else { return Ok(()) };
    let Some(found) = context::find(tx, scope, known.id)? else { return Ok(()) };
    if found.head == known.head_or_base(&found) || found.head < turn.id {
        advance(tx, scope, &found, turn)?;
    }
    note_context(tx, scope, import, context, &Here { head_there: there, head_here: turn.id, ..known })
}

impl Here {
    fn new(id: ContextId) -> Self {
        Here { id, head_there: TurnId::NONE, head_here: TurnId::NONE }
    }

    /// The head that the context has if nobody appended to it here.
    fn head_or_base(&self, context: &Context) -> TurnId {
        if self.head_here == TurnId::NONE { context.base } else { self.head_here }
    }
}

fn note_context(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    import: &ImportId,
    there: ContextId,
    here: &Here,
) -> Result<(), TurnsError> {
    let value = value(&[here.id.0, here.head_there.0, here.head_here.0]);
    Ok(tx.put(IMPORTED_CONTEXTS, &key(scope, import, there.0), &value)?)
}

fn context_here(
    tx: &dyn WriteTx,
    scope: &Scope,
    import: &ImportId,
    there: ContextId,
) -> Result<Option<Here>, TurnsError> {
    let found = get(tx, IMPORTED_CONTEXTS, &key(scope, import, there.0))?;
    let decode = |bytes: Vec<u8>| {
        let [id, head_there, head_here] = numbers(&bytes)?;
        Ok(Here { id: ContextId(id), head_there: TurnId(head_there), head_here: TurnId(head_here) })
    };
    found.map(decode).transpose()
}

fn turn_here(
    tx: &dyn WriteTx,
    scope: &Scope,
    import: &ImportId,
    there: TurnId,
) -> Result<TurnId, TurnsError> {
    let found = get(tx, IMPORTED_TURNS, &key(scope, import, there.0))?;
    let found = found.as_deref().map(number).transpose()?;
    found.map(TurnId).ok_or(TurnsError::NotImported(there))
}

fn key(scope: &Scope, import: &ImportId, there: u64) -> Vec<u8> {
    scope.key().fixed(&import.0).u64(there).into_vec()
}

fn value(numbers: &[u64]) -> Vec<u8> {
    let mut out = Vec::new();
    numbers.iter().for_each(|number| put_varint(&mut out, *number));
    out
}

fn number(bytes: &[u8]) -> Result<u64, TurnsError> {
    numbers(bytes).map(|[number]| number)
}

fn numbers<const N: usize>(mut bytes: &[u8]) -> Result<[u64; N], TurnsError> {
    let bad = || TurnsError::BadRecord { what: "imported number", detail: "it does not decode".into() };
    let mut found = [0; N];
    for number in &mut found {
        *number = take_varint(&mut bytes).ok_or_else(bad)?;
    }
    if bytes.is_empty() { Ok(found) } else { Err(bad()) }
}
