//! Reading what is said about contexts.

use cairn_access::Scope;
use cairn_base::{ContextId, TurnId, take_varint};
use cairn_seam::{Read, Reader, get, read_all};

use super::Metadata;
use crate::error::TurnsError;
use crate::tables::{METADATA, ROOTS};

/// What is said about each of some contexts, in their order; nothing of those that do not exist.
pub fn metadata<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    contexts: &[ContextId],
) -> Result<Vec<Metadata>, TurnsError> {
    let keys: Vec<_> = contexts.iter().map(|context| scope.key().u64(context.0)).collect();
    let keys: Vec<&[u8]> = keys.iter().map(AsRef::as_ref).collect();
    let mut roots = Vec::new();
    reader.multi_get(ROOTS, &keys, &mut |at, value| {
        roots.extend(value.map(|bytes| root_from(bytes).map(|root| (at, root))));
    })?;
    let roots = roots.into_iter().collect::<Result<Vec<_>, _>>()?;

    let keys: Vec<_> = roots.iter().map(|(_, root)| scope.key().u64(root.0)).collect();
    let keys: Vec<&[u8]> = keys.iter().map(AsRef::as_ref).collect();
    let mut found = vec![Metadata::default(); contexts.len()];
    let mut bad = Ok(());
    reader.multi_get(METADATA, &keys, &mut |at, value| {
        let Some((place, bytes)) = roots.get(at).map(|(place, _)| *place).zip(value) else { return };
        match Metadata::from_record(bytes) {
            Ok(metadata) => found[place] = metadata,
            Err(error) => bad = Err(error),
        }
    })?;
    bad.map(|()| found)
}

/// The first turn of the chain of a context's head; `None` while it is empty.
pub fn root_of<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    context: ContextId,
) -> Result<Option<TurnId>, TurnsError> {
    get(reader, ROOTS, &scope.key().u64(context.0))?.as_deref().map(root_from).transpose()
}

/// The first turn that a context has now, and what another one says, read in one round.
///
/// What the other one says fails apart from that: it counts only if it is news.
pub(super) fn root_and_said<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    context: ContextId,
    root: TurnId,
) -> Result<(Option<TurnId>, Result<Metadata, TurnsError>), TurnsError> {
    let (of_context, of_root) = (scope.key().u64(context.0), scope.key().u64(root.0));
    let reads = [Read::Key(ROOTS, &of_context), Read::Key(METADATA, &of_root)];
    let mut found = read_all(reader, &reads)?.into_iter();
    let before = found.next().flatten().as_deref().map(root_from).transpose()?;
    Ok((before, said(found.next().flatten().as_deref())))
}

/// What a first turn says.
pub(super) fn of_root<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    root: TurnId,
) -> Result<Metadata, TurnsError> {
    said(get(reader, METADATA, &scope.key().u64(root.0))?.as_deref())
}

fn said(stored: Option<&[u8]>) -> Result<Metadata, TurnsError> {
    stored.map_or_else(|| Ok(Metadata::default()), Metadata::from_record)
}

fn root_from(mut bytes: &[u8]) -> Result<TurnId, TurnsError> {
    let bad =
        || TurnsError::BadRecord { what: "first turn of a context", detail: "it does not decode".into() };
    take_varint(&mut bytes).filter(|_| bytes.is_empty()).map(TurnId).ok_or_else(bad)
}
