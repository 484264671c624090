//! Finding contexts by what is said about them: kept in the transaction that changes it.

use cairn_access::Scope;
use cairn_base::{ContextId, KeyBuf, TurnId, put_varint};
use cairn_seam::{Blob, Reader, WriteTx};

use super::Metadata;
use super::load::{of_root, root_and_said, root_of};
use crate::error::TurnsError;
use crate::tables::{METADATA, ROOTS, TERMS};

/// The only encoding that metadata is read from.
const MSGPACK: u32 = 1;

/// What contexts are found by. The numbers are stored.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Indexed {
    Tag = 1,
    Label = 2,
    Title = 3,
    User = 4,
    Service = 5,
    Host = 6,
    TraceId = 7,
    Parent = 8,
    Root = 9,
}

/// What the keys of all contexts have in common of which `field` says `value`.
pub(crate) fn term_prefix(scope: &Scope, field: Indexed, value: &[u8]) -> KeyBuf {
    let hash = blake3::hash(value);
    scope.key().u8(field as u8).fixed::<16>(hash.as_bytes().first_chunk().expect("32 bytes have 16"))
}

/// Keeps what the payload of a first turn says.
pub(crate) fn begin(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    turn: TurnId,
    encoding: u32,
    payload: &Blob,
) -> Result<(), TurnsError> {
    let bytes = payload.bytes().filter(|_| encoding == MSGPACK);
    let said = bytes.map(Metadata::from_payload).unwrap_or_default();
    if said.is_empty() {
        return Ok(());
    }
    Ok(tx.put(METADATA, &scope.key().u64(turn.0), &said.to_record())?)
}

/// Notes that the chain of a context's head starts with the turn `root`. Says whether that is new, and
/// something is said there.
pub(crate) fn settle(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    context: ContextId,
    root: TurnId,
) -> Result<bool, TurnsError> {
    let (before, said) = root_and_said(tx, scope, context, root)?;
    if before == Some(root) {
        return Ok(false);
    }
    remove_terms(tx, scope, context, before)?;
    let said = said?;
    for key in terms(scope, context, &said) {
        tx.put(TERMS, &key, &[])?;
    }
    let mut number = Vec::new();
    put_varint(&mut number, root.0);
    tx.put(ROOTS, &scope.key().u64(context.0), &number)?;
    Ok(!said.is_empty())
}

/// Forgets what a context is found by, because it goes.
pub(crate) fn withdraw(tx: &mut dyn WriteTx, scope: &Scope, context: ContextId) -> Result<(), TurnsError> {
    let root = root_of(tx, scope, context)?;
    remove_terms(tx, scope, context, root)?;
    Ok(tx.delete(ROOTS, &scope.key().u64(context.0))?)
}

fn remove_terms(
    tx: &mut dyn WriteTx,
    scope: &Scope,
    context: ContextId,
    root: Option<TurnId>,
) -> Result<(), TurnsError> {
    let Some(root) = root else { return Ok(()) };
    for key in terms(scope, context, &of_root(tx, scope, root)?) {
        tx.delete(TERMS, &key)?;
    }
    Ok(())
}

/// The keys under which a context is found whose chain starts with the turn `root`.
pub(crate) fn terms_of(
    reader: &dyn Reader,
    scope: &Scope,
    context: ContextId,
    root: TurnId,
) -> Result<Vec<KeyBuf>, TurnsError> {
    Ok(terms(scope, context, &of_root(reader, scope, root)?))
}

/// The keys under which a context is found.
fn terms(scope: &Scope, context: ContextId, metadata: &Metadata) -> Vec<KeyBuf> {
    let mut keys = Vec::new();
    let mut add = |field, value: &[u8]| keys.push(term_prefix(scope, field, value).u64(context.0));
    for field in [
        Indexed::Tag,
        Indexed::Label,
        Indexed::Title,
        Indexed::User,
        Indexed::Service,
        Indexed::Host,
        Indexed::TraceId,
    ] {
        metadata.texts(field).for_each(|text| add(field, text.as_bytes()));
    }
    for field in [Indexed::Parent, Indexed::Root] {
        metadata.context(field).into_iter().for_each(|id| add(field, &id.0.to_be_bytes()));
    }
    keys
}

impl Metadata {
    /// What a field says in words; only labels are several.
    pub(crate) fn texts(&self, field: Indexed) -> impl Iterator<Item = &str> {
        let provenance = self.provenance.as_ref();
        let (one, many) = match field {
            Indexed::Tag => (self.client_tag.as_deref(), &[][..]),
            Indexed::Label => (None, self.labels.as_slice()),
            Indexed::Title => (self.title.as_deref(), &[][..]),
            Indexed::User => (provenance.and_then(|said| said.on_behalf_of()), &[][..]),
            Indexed::Service => (provenance.and_then(|said| said.service_name()), &[][..]),
            Indexed::Host => (provenance.and_then(|said| said.host_name()), &[][..]),
            Indexed::TraceId => (provenance.and_then(|said| said.trace_id()), &[][..]),
            Indexed::Parent | Indexed::Root => (None, &[][..]),
        };
        one.into_iter().chain(many.iter().map(String::as_str))
    }

    /// The context that a field names.
    pub(crate) fn context(&self, field: Indexed) -> Option<ContextId> {
        let provenance = self.provenance.as_ref()?;
        match field {
            Indexed::Parent => provenance.parent(),
            Indexed::Root => provenance.root(),
            Indexed::Tag
            | Indexed::Label
            | Indexed::Title
            | Indexed::User
            | Indexed::Service
            | Indexed::Host
            | Indexed::TraceId => None,
        }
    }
}
