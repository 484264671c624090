//! What lines of an import say.

use std::str::FromStr;

use cairn_access::Principal;
use cairn_base::{ContentHash, ContextId, ErrorCode, TurnId, from_base64, limits};
use cairn_engine::{Engine, ImportItem, Placeholder, placeholder_tree};
use cairn_seam::Blob;
use cairn_turns::registry::Bundle;
use cairn_turns::{DeclaredType, ImportId, NewContext, NewTurn};

use super::lines_in::Batch;
use super::wire::{self, Counts, LineIn};
use crate::ApiError;

/// How far an import is, as far as its lines say.
#[derive(Debug, Clone)]
pub(super) struct Reading {
    /// What it is called; known from the first line on.
    pub(super) import: Option<ImportId>,
    /// What came since the last header; `None` outside of a header and its end.
    came: Option<Came>,
}

/// Lines of an export so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Came {
    counts: Counts,
    /// Turns without their payloads.
    unreadable: u64,
}

/// What a batch of lines came to: what is good of it, and the first thing that is not.
pub(super) struct Read {
    pub(super) items: Vec<(u64, ImportItem)>,
    pub(super) reading: Reading,
    pub(super) wrong: Option<ApiError>,
}

impl Reading {
    /// Before the first line, with a name if one was given.
    pub(super) fn of(import: Option<ImportId>) -> Self {
        Reading { import, came: None }
    }

    /// Whether everything came that was begun.
    pub(super) fn is_whole(&self) -> bool {
        self.import.is_some() && self.came.is_none()
    }
}

/// Reads lines up to the first wrong one. Hashes and compresses, and so belongs where that may take time.
pub(super) fn read(engine: &Engine, principal: &Principal, mut reading: Reading, batch: &Batch) -> Read {
    let mut items = Vec::new();
    for (number, line) in (batch.first_line..).zip(batch.text.split(|byte| *byte == b'\n')) {
        if line.trim_ascii().is_empty() {
            continue;
        }
        match read_line(engine, principal, &mut reading, line) {
            Ok(read) => items.extend(read.into_iter().map(|item| (number, item))),
            Err(error) => {
                let error = error.at_line(number);
                return Read { items, reading, wrong: Some(error) };
            }
        }
    }
    Read { items, reading, wrong: None }
}

/// What is wrong with a line.
struct Wrong(ErrorCode, String);

impl Wrong {
    fn at_line(self, number: u64) -> ApiError {
        ApiError::new(self.0, format!("line {number}: {}", self.1)).detail("line", number)
    }
}

fn wrong(message: impl Into<String>) -> Wrong {
    Wrong(ErrorCode::InvalidRequest, message.into())
}

fn read_line(
    engine: &Engine,
    principal: &Principal,
    reading: &mut Reading,
    line: &[u8],
) -> Result<Vec<ImportItem>, Wrong> {
    let read: LineIn<'_> = serde_json::from_slice(line).map_err(|error| wrong(error.to_string()))?;
    if let Some(kind) = read.cairn {
        if kind != wire::KIND || read.version != Some(wire::VERSION) {
            let message = "this is no export of turns that this cairn understands; a newer one may";
            return Err(wrong(message));
        }
        if reading.import.is_none() {
            let name = ContentHash::of(line.trim_ascii()).to_string();
            reading.import = Some(ImportId::parse(&name).map_err(|error| wrong(error.to_string()))?);
        }
        reading.came = Some(Came::default());
        return Ok(Vec::new());
    }
    let came = reading.came.as_mut();
    let came = came.ok_or_else(|| wrong("a header must come first: {\"cairn\":\"turns\",…}"))?;
    let (lines, unreadable) = (&mut came.counts, &mut came.unreadable);
    let blob = |bytes: Vec<u8>| {
        engine
            .blob(principal, principal.tenant(), bytes)
            .map_err(|error| Wrong(error.code(), error.to_string()))
    };
    Ok(vec![if let Some(turn) = read.turn {
        lines.turns += 1;
        let payload = bytes("payload_b64", &turn.payload_b64)?;
        let payload_bytes = u32::try_from(payload.len()).map_err(|_| wrong("the payload is too long"))?;
        let payload = blob(payload)?;
        check(&payload, turn.content_hash_b3.as_deref())?;
        let (tree, mut items) = tree(turn.fs_root_hash.as_deref(), turn.fs_root_unreadable.as_deref(), blob)?;
        items.push(ImportItem::Turn(Box::new(NewTurn {
            id: nonzero("turn_id", turn.turn_id).map(TurnId)?,
            context: nonzero("context_id", turn.context_id).map(ContextId)?,
            parent: TurnId(turn.parent_turn_id.0),
            declared: DeclaredType { id: turn.type_id.into_owned(), version: turn.type_version },
            encoding: turn.encoding,
            compression: turn.compression,
            payload,
            payload_bytes,
            tree,
            created_at_ms: turn.created_at_unix_ms,
        })));
        return Ok(items);
    } else if let Some(turn) = read.unreadable {
        *unreadable += 1;
        let placeholder = Placeholder {
            reason: &turn.reason,
            type_id: &turn.type_id,
            type_version: turn.type_version,
            encoding: turn.encoding,
            payload_bytes: turn.payload_bytes,
            hash: hash("content_hash_b3", &turn.content_hash_b3)?,
        };
        let payload = placeholder.payload();
        let payload_bytes = u32::try_from(payload.len()).map_err(|_| wrong("the reason is too long"))?;
        let (tree, mut items) = tree(turn.fs_root_hash.as_deref(), turn.fs_root_unreadable.as_deref(), blob)?;
        items.push(ImportItem::Placeholder(Box::new(NewTurn {
            id: nonzero("turn_id", turn.turn_id).map(TurnId)?,
            context: nonzero("context_id", turn.context_id).map(ContextId)?,
            parent: TurnId(turn.parent_turn_id.0),
            declared: Placeholder::declared(),
            encoding: Placeholder::ENCODING,
            compression: 0,
            payload: blob(payload)?,
            payload_bytes,
            tree,
            created_at_ms: turn.created_at_unix_ms,
        })));
        return Ok(items);
    } else if let Some(context) = read.context {
        lines.contexts += 1;
        ImportItem::Context(NewContext {
            id: nonzero("context_id", context.context_id).map(ContextId)?,
            base: TurnId(context.base_turn_id.0),
            created_at_ms: context.created_at_unix_ms,
        })
    } else if let Some(found) = read.blob {
        lines.blobs += 1;
        let blob = blob(bytes("data_b64", &found.data_b64)?)?;
        check(&blob, Some(&found.hash))?;
        ImportItem::Blob(blob)
    } else if let Some(found) = read.bundle {
        lines.bundles += 1;
        let bytes = bytes("bytes_b64", &found.bytes_b64)?;
        let bundle = Bundle::parse(&bytes)
            .map_err(|error| wrong(format!("the bundle is not taken: {} {}", error.at, error.problem)))?;
        ImportItem::Bundle(Box::new(bundle), blob(bytes)?)
    } else if let Some(head) = read.head {
        let context = nonzero("context_id", head.context_id).map(ContextId)?;
        let turn = nonzero("head_turn_id", head.head_turn_id).map(TurnId)?;
        ImportItem::Head(context, turn, TurnId(head.as_of_turn_id.0))
    } else if let Some(end) = read.end {
        let end = Came { counts: end.counts, unreadable: end.unreadable.turns };
        if *came != end {
            return Err(wrong(format!("it announces {end:?}, and {came:?} came: something is missing")));
        }
        reading.came = None;
        return Ok(Vec::new());
    } else {
        return Err(wrong("it is none of header, bundle, context, blob, turn, unreadable, head and end"));
    }])
}

/// The file tree of a turn, and what must be there before the turn is: of a tree that the exporting store
/// could not read, a placeholder, so that the turn does not inherit an older tree.
fn tree(
    root: Option<&str>,
    unreadable: Option<&str>,
    blob: impl Fn(Vec<u8>) -> Result<Blob, Wrong>,
) -> Result<(Option<ContentHash>, Vec<ImportItem>), Wrong> {
    if unreadable.is_none() {
        return Ok((root.map(|text| hash("fs_root_hash", text)).transpose()?, Vec::new()));
    }
    let blobs = placeholder_tree().map(blob);
    let blobs = blobs.into_iter().collect::<Result<Vec<_>, _>>()?;
    Ok((blobs.last().map(Blob::hash), blobs.into_iter().map(ImportItem::Blob).collect()))
}

fn nonzero(name: &str, id: wire::Id) -> Result<u64, Wrong> {
    if id.0 == 0 { Err(wrong(format!("{name} is 0, which nothing has"))) } else { Ok(id.0) }
}

fn bytes(name: &str, text: &str) -> Result<Vec<u8>, Wrong> {
    let bytes = from_base64(text).ok_or_else(|| wrong(format!("{name} is no base64")))?;
    if bytes.len() > limits::BINARY_BLOB_BYTES_MAX {
        let max = limits::BINARY_BLOB_BYTES_MAX;
        return Err(Wrong(ErrorCode::TooLarge, format!("{name} has more than {max} bytes")));
    }
    Ok(bytes)
}

fn hash(name: &str, text: &str) -> Result<ContentHash, Wrong> {
    ContentHash::from_str(text).map_err(|error| wrong(format!("{name}: {error}")))
}

fn check(blob: &Blob, said: Option<&str>) -> Result<(), Wrong> {
    match said.map(|said| hash("the hash", said)).transpose()? {
        Some(said) if said != blob.hash() => {
            Err(wrong(format!("its content has the hash {}, not {said}: it was changed", blob.hash())))
        }
        Some(_) | None => Ok(()),
    }
}
