//! Turns written down as JSON, straight into the answer: payloads are projected into it, and nothing is made
//! only to be written afterwards.

use std::fmt::Write as _;

use cairn_base::{Base64, ErrorCode, Hex};
use cairn_engine::{ShownTurn, TurnPayload};
use cairn_turns::projection::{BytesRender, HintError, NotShown, decimal, project_into};
use cairn_turns::registry::{Described, Registry};
use cairn_turns::{Turn, TypeNumber};

use super::view::View;
use crate::ApiError;

/// What a turn takes in an answer besides its payload, mostly.
const TURN_BYTES: usize = 384;

/// Writes turns, one after the other.
pub(super) struct TurnWriter<'a> {
    view: &'a View,
    registry: Option<&'a Registry>,
    /// Turns of a page are mostly of one type.
    last: Option<Known<'a>>,
}

/// A type, and how turns of it are shown.
struct Known<'a> {
    number: TypeNumber,
    version: u32,
    encoding: u32,
    /// `{"type_id":…,"type_version":…}`.
    declared: String,
    /// The same of what it is shown as, and its descriptor; `None` in raw views.
    shown_as: Option<Result<(String, Described<'a>), NotShown>>,
}

impl<'a> TurnWriter<'a> {
    pub(super) fn new(view: &'a View, registry: Option<&'a Registry>) -> Self {
        TurnWriter { view, registry, last: None }
    }

    /// The room that turns take, roughly.
    pub(super) fn room(&self, turns: usize, payload_bytes: u64) -> usize {
        let payloads = usize::try_from(self.view.memory_bytes(payload_bytes)).unwrap_or(0) / 2;
        turns * TURN_BYTES + payloads
    }

    /// Appends the fields of a turn, without the braces around them. Fails, with `strict=1`, if its payload
    /// cannot be shown.
    pub(super) fn fields(&mut self, shown: &ShownTurn<'a>, out: &mut String) -> Result<(), ApiError> {
        let view = self.view;
        let turn = shown.turn;
        let registry = self.registry;
        let last = self.last.take().filter(|known| known.fits(turn));
        let known = self.last.insert(last.unwrap_or_else(|| Known::new(view, registry, shown)));
        out.push_str("\"turn_id\":\"");
        decimal(turn.id.0, out);
        out.push_str("\",\"parent_turn_id\":\"");
        decimal(turn.parent.0, out);
        out.push_str("\",\"depth\":");
        decimal(u64::from(turn.depth), out);
        out.push_str(",\"declared_type\":");
        out.push_str(&known.declared);
        out.push_str(",\"created_at_unix_ms\":");
        decimal(turn.created_at_ms, out);
        if let Some(root) = shown.tree {
            let _ = write!(out, ",\"fs_root_hash\":\"{root}\"");
        }
        let bytes: Option<&[u8]> = match shown.payload {
            None => Some(&[]),
            Some(TurnPayload::Bytes(bytes)) => Some(bytes),
            Some(TurnPayload::Unreadable(reason)) => {
                if view.is_strict {
                    let error = ApiError::new(ErrorCode::Damaged, reason.as_str());
                    return Err(error.detail("turn_id", turn.id.to_string()));
                }
                out.push_str(",\"unreadable\":");
                out.push_str(&quoted(reason));
                None
            }
        };
        if view.of.is_raw {
            raw(view.of.options.bytes, turn, bytes, out);
        }
        let (Some(bytes), Some(shown_as)) = (bytes, &known.shown_as) else { return Ok(()) };
        let before = out.len();
        match typed(view, shown_as, bytes, out) {
            Ok(()) => Ok(()),
            Err(error) if view.is_strict => Err(why(&error).detail("turn_id", turn.id.to_string())),
            Err(error) => {
                out.truncate(before);
                out.push_str(",\"error\":");
                out.push_str(&json(&why(&error).into_body().error));
                Ok(())
            }
        }
    }
}

impl<'a> Known<'a> {
    fn new(view: &'a View, registry: Option<&'a Registry>, shown: &ShownTurn<'a>) -> Self {
        let ShownTurn { turn, type_name, .. } = *shown;
        let shown_as = registry.map(|registry| {
            let (id, described) = view.of.described(registry, turn, type_name)?;
            Ok((type_object(id, described.version), described))
        });
        Known {
            number: turn.type_number,
            version: turn.type_version,
            encoding: turn.encoding,
            declared: type_object(type_name, turn.type_version),
            shown_as,
        }
    }

    fn fits(&self, turn: &Turn) -> bool {
        (self.number, self.version, self.encoding) == (turn.type_number, turn.type_version, turn.encoding)
    }
}

/// Appends a payload as bytes; without those where it is unreadable.
fn raw(render: BytesRender, turn: &Turn, bytes: Option<&[u8]>, out: &mut String) {
    // Writing to a text does not fail.
    let _ = write!(
        out,
        ",\"content_hash_b3\":\"{}\",\"encoding\":{},\"compression\":0,\"uncompressed_len\":{}",
        turn.hash, turn.encoding, turn.payload_bytes
    );
    let Some(bytes) = bytes else { return };
    let _ = match render {
        BytesRender::Base64 => write!(out, ",\"bytes_b64\":\"{}\"", Base64(bytes)),
        BytesRender::Hex => write!(out, ",\"bytes_hex\":\"{}\"", Hex(bytes)),
        BytesRender::Length => write!(out, ",\"bytes_len\":{}", turn.payload_bytes),
    };
}

/// Appends a payload as its type has it. After an error a part of it is there.
fn typed(
    view: &View,
    shown_as: &Result<(String, Described<'_>), NotShown>,
    payload: &[u8],
    out: &mut String,
) -> Result<(), NotShown> {
    let (decoded_as, described) = shown_as.as_ref().map_err(Clone::clone)?;
    out.push_str(",\"decoded_as\":");
    out.push_str(decoded_as);
    out.push_str(",\"data\":");
    if let Some(unknown) = project_into(payload, *described, &view.of.options, out)? {
        out.push_str(",\"unknown\":");
        out.push_str(&unknown);
    }
    Ok(())
}

/// Why a payload cannot be shown, and what to do about it.
fn why(error: &NotShown) -> ApiError {
    let answer = ApiError::new(error.code(), error.to_string());
    match error {
        NotShown::Payload(_) => answer.detail("hint", "read it with view=raw"),
        NotShown::Hint(HintError::OtherType { .. }) => {
            answer.detail("hint", "name the type of the turns in as_type_id")
        }
        NotShown::Hint(HintError::Missing | HintError::Unpublished { .. }) => answer,
    }
}

fn type_object(id: &str, version: u32) -> String {
    format!("{{\"type_id\":{},\"type_version\":{version}}}", quoted(id))
}

/// A text as JSON.
pub(super) fn quoted(text: &str) -> String {
    json(&text)
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("an answer is plain data")
}
