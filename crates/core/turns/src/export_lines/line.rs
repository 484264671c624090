//! Reading a line.

use std::borrow::Cow;
use std::str::FromStr;

use cairn_base::{ContentHash, ContextId, ErrorCode, TurnId, from_base64};
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer};

use super::{ExportCounts, KIND, VERSION};
use crate::import::NewContext;
use crate::turn::DeclaredType;

/// A line that was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// The header.
    Header,
    /// A bundle of the registry, as it was sent.
    Bundle(Vec<u8>),
    /// A context.
    Context(NewContext),
    /// A turn.
    Turn(Box<TurnLine>),
    /// A turn whose payload the exporting store could not read.
    Unreadable(Box<UnreadableLine>),
    /// A blob of a file tree, and what its hash should be.
    Blob(ContentHash, Vec<u8>),
    /// The head of a context when the last turn was the newest one of all.
    Head(ContextId, TurnId, TurnId),
    /// The end: what came, and how many turns came without their payloads.
    End(ExportCounts, u64),
}

/// A turn.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TurnLine {
    /// Its number in the exporting store.
    pub id: TurnId,
    /// The context that it was appended to there.
    pub context: ContextId,
    /// The turn before it there.
    pub parent: TurnId,
    /// Its declared type.
    pub declared: DeclaredType,
    /// How its payload is encoded.
    pub encoding: u32,
    /// How its payload was compressed on its way to the exporting store.
    pub compression: u32,
    /// When it was appended, in Unix milliseconds.
    pub created_at_ms: u64,
    /// What the hash of its payload should be.
    pub hash: Option<ContentHash>,
    /// Its own file tree.
    pub tree: Option<TreeLine>,
    /// Its payload.
    pub payload: Vec<u8>,
}

/// A turn whose payload the exporting store could not read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnreadableLine {
    /// Its number in the exporting store.
    pub id: TurnId,
    /// The context that it was appended to there.
    pub context: ContextId,
    /// The turn before it there.
    pub parent: TurnId,
    /// Its declared type.
    pub declared: DeclaredType,
    /// How its payload was encoded.
    pub encoding: u32,
    /// The length of its payload.
    pub payload_bytes: u32,
    /// When it was appended, in Unix milliseconds.
    pub created_at_ms: u64,
    /// The hash of its payload.
    pub hash: ContentHash,
    /// Its own file tree.
    pub tree: Option<TreeLine>,
    /// Why its payload could not be read.
    pub reason: String,
}

/// The own file tree of a turn.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeLine {
    /// Its root, which came before as a blob.
    Root(ContentHash),
    /// The exporting store could not read its root.
    Unreadable,
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct LineError {
    /// The row of the error-code table.
    pub code: ErrorCode,
    /// What is wrong.
    pub message: String,
}

impl LineError {
    /// A line that makes no sense.
    pub fn invalid(message: impl Into<String>) -> Self {
        LineError { code: ErrorCode::InvalidRequest, message: message.into() }
    }
}

impl<'a> LineIn<'a> {
    /// Reads a line as far as it is JSON with known keys.
    pub(super) fn parse(text: &'a [u8]) -> Result<Self, LineError> {
        serde_json::from_slice(text).map_err(|error| LineError::invalid(error.to_string()))
    }

    /// Whether it is a header; fails on one of another format.
    pub(super) fn is_header(&self) -> Result<bool, LineError> {
        match &self.cairn {
            None => Ok(false),
            Some(kind) if kind == KIND && self.version == Some(VERSION) => Ok(true),
            Some(_) => {
                let message = "this is no export of turns that this cairn understands; a newer one may";
                Err(LineError::invalid(message))
            }
        }
    }

    /// What the line says, if it is no header. Payloads and blobs have at most `content_bytes_max` bytes.
    pub(super) fn into_line(self, content_bytes_max: usize) -> Result<Line, LineError> {
        let read = self;
        let bytes = |name, text: &str| bytes(name, text, content_bytes_max);
        Ok(if let Some(turn) = read.turn {
            Line::Turn(Box::new(TurnLine {
                payload: bytes("payload_b64", &turn.payload_b64)?,
                hash: turn.content_hash_b3.map(|text| hash("the hash", &text)).transpose()?,
                tree: tree(turn.fs_root_hash.as_deref(), turn.fs_root_unreadable.as_deref())?,
                id: nonzero("turn_id", turn.turn_id).map(TurnId)?,
                context: nonzero("context_id", turn.context_id).map(ContextId)?,
                parent: TurnId(turn.parent_turn_id.0),
                declared: DeclaredType { id: turn.type_id.into_owned(), version: turn.type_version },
                encoding: turn.encoding,
                compression: turn.compression,
                created_at_ms: turn.created_at_unix_ms,
            }))
        } else if let Some(turn) = read.unreadable {
            Line::Unreadable(Box::new(UnreadableLine {
                hash: hash("content_hash_b3", &turn.content_hash_b3)?,
                tree: tree(turn.fs_root_hash.as_deref(), turn.fs_root_unreadable.as_deref())?,
                id: nonzero("turn_id", turn.turn_id).map(TurnId)?,
                context: nonzero("context_id", turn.context_id).map(ContextId)?,
                parent: TurnId(turn.parent_turn_id.0),
                declared: DeclaredType { id: turn.type_id.into_owned(), version: turn.type_version },
                encoding: turn.encoding,
                payload_bytes: turn.payload_bytes,
                created_at_ms: turn.created_at_unix_ms,
                reason: turn.reason.into_owned(),
            }))
        } else if let Some(context) = read.context {
            Line::Context(NewContext {
                id: nonzero("context_id", context.context_id).map(ContextId)?,
                base: TurnId(context.base_turn_id.0),
                created_at_ms: context.created_at_unix_ms,
            })
        } else if let Some(blob) = read.blob {
            let content = bytes("data_b64", &blob.data_b64)?;
            Line::Blob(hash("the hash", &blob.hash)?, content)
        } else if let Some(bundle) = read.bundle {
            Line::Bundle(bytes("bytes_b64", &bundle.bytes_b64)?)
        } else if let Some(head) = read.head {
            let context = nonzero("context_id", head.context_id).map(ContextId)?;
            let turn = nonzero("head_turn_id", head.head_turn_id).map(TurnId)?;
            Line::Head(context, turn, TurnId(head.as_of_turn_id.0))
        } else if let Some(EndIn { counts, unreadable }) = read.end {
            let CountsIn { contexts, turns, blobs, bundles } = counts;
            Line::End(ExportCounts { contexts, turns, blobs, bundles }, unreadable.turns)
        } else {
            let message = "it is none of header, bundle, context, blob, turn, unreadable, head and end";
            return Err(LineError::invalid(message));
        })
    }
}

fn tree(root: Option<&str>, unreadable: Option<&str>) -> Result<Option<TreeLine>, LineError> {
    match (root, unreadable) {
        (_, Some(_)) => Ok(Some(TreeLine::Unreadable)),
        (Some(root), None) => hash("fs_root_hash", root).map(|root| Some(TreeLine::Root(root))),
        (None, None) => Ok(None),
    }
}

fn nonzero(name: &str, id: Id) -> Result<u64, LineError> {
    if id.0 == 0 { Err(LineError::invalid(format!("{name} is 0, which nothing has"))) } else { Ok(id.0) }
}

fn bytes(name: &str, text: &str, max: usize) -> Result<Vec<u8>, LineError> {
    let bytes = from_base64(text).ok_or_else(|| LineError::invalid(format!("{name} is no base64")))?;
    if bytes.len() > max {
        let message = format!("{name} has more than {max} bytes");
        return Err(LineError { code: ErrorCode::TooLarge, message });
    }
    Ok(bytes)
}

fn hash(name: &str, text: &str) -> Result<ContentHash, LineError> {
    ContentHash::from_str(text).map_err(|error| LineError::invalid(format!("{name}: {error}")))
}

/// One line, for reading: at most one of them is there.
#[derive(Debug, Deserialize)]
pub(super) struct LineIn<'a> {
    #[serde(borrow)]
    cairn: Option<Cow<'a, str>>,
    version: Option<u32>,
    #[serde(borrow)]
    bundle: Option<BundleIn<'a>>,
    context: Option<ContextIn>,
    #[serde(borrow)]
    blob: Option<BlobIn<'a>>,
    #[serde(borrow)]
    turn: Option<TurnIn<'a>>,
    #[serde(borrow)]
    unreadable: Option<UnreadableIn<'a>>,
    head: Option<HeadIn>,
    end: Option<EndIn>,
}

#[derive(Debug, Deserialize)]
struct BundleIn<'a> {
    #[serde(borrow)]
    bytes_b64: Cow<'a, str>,
}

#[derive(Debug, Deserialize)]
struct ContextIn {
    context_id: Id,
    base_turn_id: Id,
    created_at_unix_ms: u64,
}

#[derive(Debug, Deserialize)]
struct BlobIn<'a> {
    #[serde(borrow)]
    hash: Cow<'a, str>,
    #[serde(borrow)]
    data_b64: Cow<'a, str>,
}

#[derive(Debug, Deserialize)]
struct TurnIn<'a> {
    turn_id: Id,
    context_id: Id,
    parent_turn_id: Id,
    #[serde(borrow)]
    type_id: Cow<'a, str>,
    type_version: u32,
    encoding: u32,
    #[serde(default)]
    compression: u32,
    created_at_unix_ms: u64,
    #[serde(borrow)]
    content_hash_b3: Option<Cow<'a, str>>,
    #[serde(borrow)]
    fs_root_hash: Option<Cow<'a, str>>,
    #[serde(borrow)]
    fs_root_unreadable: Option<Cow<'a, str>>,
    #[serde(borrow)]
    payload_b64: Cow<'a, str>,
}

#[derive(Debug, Deserialize)]
struct UnreadableIn<'a> {
    turn_id: Id,
    context_id: Id,
    parent_turn_id: Id,
    #[serde(borrow)]
    type_id: Cow<'a, str>,
    type_version: u32,
    encoding: u32,
    payload_bytes: u32,
    created_at_unix_ms: u64,
    #[serde(borrow)]
    content_hash_b3: Cow<'a, str>,
    #[serde(borrow)]
    fs_root_hash: Option<Cow<'a, str>>,
    #[serde(borrow)]
    fs_root_unreadable: Option<Cow<'a, str>>,
    #[serde(borrow)]
    reason: Cow<'a, str>,
}

/// The end of an export, for reading.
#[derive(Debug, Deserialize)]
struct EndIn {
    #[serde(flatten)]
    counts: CountsIn,
    #[serde(default)]
    unreadable: UnreadableEndIn,
}

/// Of what is missing, the part that has lines of its own.
#[derive(Debug, Default, Deserialize)]
struct UnreadableEndIn {
    turns: u64,
}

#[derive(Debug, Deserialize)]
struct HeadIn {
    context_id: Id,
    head_turn_id: Id,
    as_of_turn_id: Id,
}

/// How much there was.
#[derive(Debug, Deserialize)]
struct CountsIn {
    contexts: u64,
    turns: u64,
    blobs: u64,
    bundles: u64,
}

/// A number as text, because not every reader of JSON keeps 64 bits; a plain one is read as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Id(u64);

impl<'de> Deserialize<'de> for Id {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Digits;
        impl Visitor<'_> for Digits {
            type Value = Id;

            fn expecting(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str("a number as text, such as \"7\"")
            }

            fn visit_u64<E: Error>(self, number: u64) -> Result<Id, E> {
                Ok(Id(number))
            }

            fn visit_str<E: Error>(self, text: &str) -> Result<Id, E> {
                let digits = Some(text).filter(|text| text.bytes().all(|byte| byte.is_ascii_digit()));
                let number = digits.and_then(|text| text.parse().ok());
                number.map(Id).ok_or_else(|| E::custom(format!("{text:?} is no number as text")))
            }
        }
        deserializer.deserialize_any(Digits)
    }
}
