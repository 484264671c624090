//! Lines of an export: JSON objects with one key each, which says what it is.
//!
//! ```text
//! {"cairn":"turns","version":1,"store":"9f86…"}                        first, and the same in every export of a store
//! {"bundle":{"bytes_b64":"…"}}
//! {"context":{"context_id":"7","base_turn_id":"0","created_at_unix_ms":…}}
//! {"blob":{"hash":"…","data_b64":"…"}}
//! {"turn":{"turn_id":"9","context_id":"7","parent_turn_id":"8",…,"payload_b64":"…"}}
//! {"unreadable":{"turn_id":"9",…,"reason":"…"}}                        a turn whose payload is damaged
//! {"head":{"context_id":"7","head_turn_id":"9","as_of_turn_id":"9"}}
//! {"end":{"contexts":1,"turns":9,"blobs":0,"bundles":0}}               last, so that a cut is noticed
//! ```
//!
//! The end of an export that is not whole has `unreadable`, which counts and names what is missing.

use std::borrow::Cow;
use std::fmt::Display;

use cairn_base::{Base64, ContentHash, ContextId, TurnId};
use cairn_engine::{ExportCounts, ExportItem, ExportedTree, ExportedTurn, TurnPayload, UnreadableParts};
use cairn_turns::Context;
use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// The version of this format.
pub(super) const VERSION: u32 = 1;
/// What the header says it is.
pub(super) const KIND: &str = "turns";

/// One line, for reading: at most one of them is there.
#[derive(Debug, Deserialize)]
pub(super) struct LineIn<'a> {
    #[serde(borrow)]
    pub(super) cairn: Option<Cow<'a, str>>,
    pub(super) version: Option<u32>,
    #[serde(borrow)]
    pub(super) bundle: Option<BundleIn<'a>>,
    pub(super) context: Option<ContextIn>,
    #[serde(borrow)]
    pub(super) blob: Option<BlobIn<'a>>,
    #[serde(borrow)]
    pub(super) turn: Option<TurnIn<'a>>,
    #[serde(borrow)]
    pub(super) unreadable: Option<UnreadableIn<'a>>,
    pub(super) head: Option<HeadIn>,
    pub(super) end: Option<EndIn>,
}

#[derive(Debug, Deserialize)]
pub(super) struct BundleIn<'a> {
    #[serde(borrow)]
    pub(super) bytes_b64: Cow<'a, str>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ContextIn {
    pub(super) context_id: Id,
    pub(super) base_turn_id: Id,
    pub(super) created_at_unix_ms: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct BlobIn<'a> {
    #[serde(borrow)]
    pub(super) hash: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) data_b64: Cow<'a, str>,
}

#[derive(Debug, Deserialize)]
pub(super) struct TurnIn<'a> {
    pub(super) turn_id: Id,
    pub(super) context_id: Id,
    pub(super) parent_turn_id: Id,
    #[serde(borrow)]
    pub(super) type_id: Cow<'a, str>,
    pub(super) type_version: u32,
    pub(super) encoding: u32,
    #[serde(default)]
    pub(super) compression: u32,
    pub(super) created_at_unix_ms: u64,
    #[serde(borrow)]
    pub(super) content_hash_b3: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) fs_root_hash: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) fs_root_unreadable: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) payload_b64: Cow<'a, str>,
}

#[derive(Debug, Deserialize)]
pub(super) struct UnreadableIn<'a> {
    pub(super) turn_id: Id,
    pub(super) context_id: Id,
    pub(super) parent_turn_id: Id,
    #[serde(borrow)]
    pub(super) type_id: Cow<'a, str>,
    pub(super) type_version: u32,
    pub(super) encoding: u32,
    pub(super) payload_bytes: u32,
    pub(super) created_at_unix_ms: u64,
    #[serde(borrow)]
    pub(super) content_hash_b3: Cow<'a, str>,
    #[serde(borrow)]
    pub(super) fs_root_hash: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) fs_root_unreadable: Option<Cow<'a, str>>,
    #[serde(borrow)]
    pub(super) reason: Cow<'a, str>,
}

/// The end of an export, for reading.
#[derive(Debug, Deserialize)]
pub(super) struct EndIn {
    #[serde(flatten)]
    pub(super) counts: Counts,
    #[serde(default)]
    pub(super) unreadable: UnreadableEndIn,
}

/// Of what is missing, the part that has lines of its own.
#[derive(Debug, Default, Deserialize)]
pub(super) struct UnreadableEndIn {
    pub(super) turns: u64,
}

#[derive(Debug, Deserialize)]
pub(super) struct HeadIn {
    pub(super) context_id: Id,
    pub(super) head_turn_id: Id,
    pub(super) as_of_turn_id: Id,
}

/// How much there was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub(super) struct Counts {
    pub(super) contexts: u64,
    pub(super) turns: u64,
    pub(super) blobs: u64,
    pub(super) bundles: u64,
}

/// A number as text, because not every reader of JSON keeps 64 bits; a plain one is read as well.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Id(pub(super) u64);

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

/// One line, for writing.
#[derive(Serialize)]
#[serde(rename_all = "snake_case")]
enum LineOut<'a> {
    Bundle(BundleOut<'a>),
    Context(ContextOut),
    Blob(BlobOut<'a>),
    Turn(TurnOut<'a>),
    Unreadable(UnreadableOut<'a>),
    Head(HeadOut),
    End(EndOut<'a>),
}

#[derive(Serialize)]
struct HeaderOut<'a> {
    cairn: &'a str,
    version: u32,
    store: Shown<String>,
}

#[derive(Serialize)]
struct BundleOut<'a> {
    bytes_b64: Shown<Base64<'a>>,
}

#[derive(Serialize)]
struct ContextOut {
    context_id: Shown<ContextId>,
    base_turn_id: Shown<TurnId>,
    created_at_unix_ms: u64,
}

#[derive(Serialize)]
struct BlobOut<'a> {
    hash: Shown<ContentHash>,
    data_b64: Shown<Base64<'a>>,
}

#[derive(Serialize)]
struct TurnOut<'a> {
    turn_id: Shown<TurnId>,
    context_id: Shown<ContextId>,
    parent_turn_id: Shown<TurnId>,
    type_id: &'a str,
    type_version: u32,
    encoding: u32,
    #[serde(skip_serializing_if = "is_zero")]
    compression: u32,
    created_at_unix_ms: u64,
    content_hash_b3: Shown<ContentHash>,
    #[serde(flatten)]
    tree: TreeOut<'a>,
    payload_b64: Shown<Base64<'a>>,
}

#[derive(Serialize)]
struct UnreadableOut<'a> {
    turn_id: Shown<TurnId>,
    context_id: Shown<ContextId>,
    parent_turn_id: Shown<TurnId>,
    type_id: &'a str,
    type_version: u32,
    encoding: u32,
    payload_bytes: u32,
    created_at_unix_ms: u64,
    content_hash_b3: Shown<ContentHash>,
    #[serde(flatten)]
    tree: TreeOut<'a>,
    reason: &'a str,
}

/// A turn's own file tree: nothing, its root, or why that is missing.
#[derive(Default, Serialize)]
struct TreeOut<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    fs_root_hash: Option<Shown<ContentHash>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fs_root_unreadable: Option<&'a str>,
}

#[derive(Serialize)]
struct EndOut<'a> {
    #[serde(flatten)]
    counts: Counts,
    #[serde(skip_serializing_if = "Option::is_none")]
    unreadable: Option<MissingOut<'a>>,
}

/// What an export misses.
#[derive(Serialize)]
struct MissingOut<'a> {
    turns: u64,
    trees: u64,
    blobs: u64,
    bundles: u64,
    turn_ids: Vec<Shown<&'a TurnId>>,
    blob_hashes: Vec<Shown<&'a ContentHash>>,
}

#[derive(Serialize)]
struct HeadOut {
    context_id: Shown<ContextId>,
    head_turn_id: Shown<TurnId>,
    as_of_turn_id: Shown<TurnId>,
}

/// Something that is text in JSON, written without a copy of its own.
struct Shown<T>(T);

impl<T: Display> Serialize for Shown<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(&self.0)
    }
}

fn is_zero(number: &u32) -> bool {
    *number == 0
}

/// Writes an item and the end of its line.
pub(super) fn write_line(out: &mut Vec<u8>, item: &ExportItem) {
    let line = match item {
        ExportItem::Header { store } => {
            let header = HeaderOut { cairn: KIND, version: VERSION, store: Shown(store.to_string()) };
            serde_json::to_writer(&mut *out, &header).expect("memory takes it");
            out.push(b'\n');
            return;
        }
        ExportItem::Bundle(bytes) => LineOut::Bundle(BundleOut { bytes_b64: Shown(Base64(bytes)) }),
        ExportItem::Context(context) => LineOut::Context(context_out(context)),
        ExportItem::Blob(hash, bytes) => {
            LineOut::Blob(BlobOut { hash: Shown(*hash), data_b64: Shown(Base64(bytes)) })
        }
        ExportItem::Turn(turn) => turn_out(turn),
        ExportItem::Head(context, turn, as_of) => LineOut::Head(HeadOut {
            context_id: Shown(*context),
            head_turn_id: Shown(*turn),
            as_of_turn_id: Shown(*as_of),
        }),
        ExportItem::End(counts, missing) => LineOut::End(EndOut {
            counts: Counts::from(*counts),
            unreadable: (!missing.is_empty()).then(|| missing_out(missing)),
        }),
    };
    serde_json::to_writer(&mut *out, &line).expect("memory takes it");
    out.push(b'\n');
}

fn context_out(context: &Context) -> ContextOut {
    ContextOut {
        context_id: Shown(context.id),
        base_turn_id: Shown(context.base),
        created_at_unix_ms: context.created_at_ms,
    }
}

fn turn_out(exported: &ExportedTurn) -> LineOut<'_> {
    let turn = &exported.turn;
    let tree = match &exported.tree {
        None => TreeOut::default(),
        Some(ExportedTree::Root(root)) => TreeOut { fs_root_hash: Some(Shown(*root)), ..TreeOut::default() },
        Some(ExportedTree::Unreadable(reason)) => {
            TreeOut { fs_root_unreadable: Some(reason), ..TreeOut::default() }
        }
    };
    let payload = match &exported.payload {
        TurnPayload::Bytes(bytes) => bytes,
        TurnPayload::Unreadable(reason) => {
            return LineOut::Unreadable(UnreadableOut {
                turn_id: Shown(turn.id),
                context_id: Shown(turn.context),
                parent_turn_id: Shown(turn.parent),
                type_id: &exported.type_name,
                type_version: turn.type_version,
                encoding: turn.encoding,
                payload_bytes: turn.payload_bytes,
                created_at_unix_ms: turn.created_at_ms,
                content_hash_b3: Shown(turn.hash),
                tree,
                reason,
            });
        }
    };
    LineOut::Turn(TurnOut {
        turn_id: Shown(turn.id),
        context_id: Shown(turn.context),
        parent_turn_id: Shown(turn.parent),
        type_id: &exported.type_name,
        type_version: turn.type_version,
        encoding: turn.encoding,
        compression: turn.compression,
        created_at_unix_ms: turn.created_at_ms,
        content_hash_b3: Shown(turn.hash),
        tree,
        payload_b64: Shown(Base64(payload)),
    })
}

fn missing_out(missing: &UnreadableParts) -> MissingOut<'_> {
    MissingOut {
        turns: missing.turns,
        trees: missing.trees,
        blobs: missing.blobs,
        bundles: missing.bundles,
        turn_ids: missing.turn_ids.iter().map(Shown).collect(),
        blob_hashes: missing.blob_hashes.iter().map(Shown).collect(),
    }
}

impl From<ExportCounts> for Counts {
    fn from(counts: ExportCounts) -> Self {
        let ExportCounts { contexts, turns, blobs, bundles } = counts;
        Counts { contexts, turns, blobs, bundles }
    }
}
