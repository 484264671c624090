//! What a turn is.

use std::sync::Arc;

use cairn_base::{ContentHash, ContextId, TurnId};

use crate::intern::TypeNumber;

/// What the writer of a turn says its payload is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredType {
    /// The type's name, such as `com.example.Message`. May be empty.
    pub id: String,
    /// Its version.
    pub version: u32,
}

/// A turn, without its payload.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Turn {
    /// Its number.
    pub id: TurnId,
    /// The context it was appended to. Forks that share it are not named here.
    pub context: ContextId,
    /// The turn before it; [`TurnId::NONE`] for the first one.
    pub parent: TurnId,
    /// How many turns are before it.
    pub depth: u32,
    /// A turn further up, as [`lineage`](crate::ancestor_at) needs it; the parent where there is none.
    pub(crate) jump: TurnId,
    /// The name of its declared type, as a number.
    pub type_number: TypeNumber,
    /// The version of its declared type.
    pub type_version: u32,
    /// How the payload is encoded, as the writer says; 1 is msgpack.
    pub encoding: u32,
    /// How the writer compressed the payload on its way here; it is stored and served plain.
    pub compression: u32,
    /// Bytes of the payload.
    pub payload_bytes: u32,
    /// The payload's name: a blob.
    pub hash: ContentHash,
    /// When it was appended, in Unix milliseconds.
    pub created_at_ms: u64,
    /// The root of the file tree it came with.
    pub tree: Option<ContentHash>,
    /// The nearest turn above it that had a file tree when this one was appended; none if zero.
    pub(crate) tree_above: TurnId,
}

/// The payload of a turn, as far as it can be read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TurnPayload {
    /// Its bytes, verified.
    Bytes(Arc<[u8]>),
    /// The store lost or cannot read it: the reason. The rest of the turn is whole.
    Unreadable(String),
}
