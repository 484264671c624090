//! Writing lines.

use std::fmt::Display;

use cairn_base::{Base64, ContentHash, ContextId, TurnId};
use serde::{Serialize, Serializer};

use super::{ExportCounts, ExportItem, ExportedTree, ExportedTurn, KIND, UnreadableParts, VERSION};
use crate::context::Context;
use crate::turn::TurnPayload;

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
    store: &'a str,
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
    counts: CountsOut,
    #[serde(skip_serializing_if = "Option::is_none")]
    unreadable: Option<MissingOut<'a>>,
}

/// How much there was.
#[derive(Serialize)]
struct CountsOut {
    contexts: u64,
    turns: u64,
    blobs: u64,
    bundles: u64,
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
pub fn write_line(out: &mut Vec<u8>, item: &ExportItem) {
    let line = match item {
        ExportItem::Header { store } => {
            let header = HeaderOut { cairn: KIND, version: VERSION, store };
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
            counts: counts_out(*counts),
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

fn counts_out(counts: ExportCounts) -> CountsOut {
    let ExportCounts { contexts, turns, blobs, bundles } = counts;
    CountsOut { contexts, turns, blobs, bundles }
}
