//! Reading what is said about contexts.

use cairn_access::Scope;
use cairn_base::{ContextId, TurnId, take_varint};
use cairn_seam::{Reader, get};

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

/// What a first turn says.
pub(super) fn of_root<R: Reader + ?Sized>(
    reader: &R,
    scope: &Scope,
    root: TurnId,
) -> Result<Metadata, TurnsError> {
    let stored = get(reader, METADATA, &scope.key().u64(root.0))?;
    stored.as_deref().map_or_else(|| Ok(Metadata::default()), Metadata::from_record)
}

fn root_from(mut bytes: &[u8]) -> Result<TurnId, TurnsError> {
    let bad =
        || TurnsError::BadRecord { what: "first turn of a context", detail: "it does not decode".into() };
    take_varint(&mut bytes).filter(|_| bytes.is_empty()).map(TurnId).ok_or_else(bad)
}
