//! A turn as JSON, and `GET /v1/turns/{id}`.

use std::sync::Arc;

use cairn_base::ContentHash;
use cairn_engine::TurnPayload;
use cairn_turns::Turn;
use cairn_turns::registry::Registry;
use serde::Serialize;
use utoipa::ToSchema;

use super::payload::Payload;
use super::view::{Typed, View};
use crate::ApiError;
use crate::call::Call;
use crate::error::{ErrorBody, ErrorContent};
use crate::held::HeldJson;
use crate::params::Params;

/// A turn. In raw views one of `bytes_b64`, `bytes_hex` and `bytes_len` is there, as `bytes_render` says; in
/// typed ones `decoded_as` and `data`, or `error` where the payload cannot be shown. A turn whose payload is
/// damaged has `unreadable` in place of these, in every view.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct TurnObject {
    /// Its number, in decimal digits.
    #[schema(example = "42")]
    pub(super) turn_id: String,
    /// The turn before it; 0 for the first one.
    #[schema(example = "41")]
    parent_turn_id: String,
    /// How many turns are before it.
    depth: u32,
    /// What its writer says it is.
    declared_type: DeclaredTypeObject,
    /// When it was appended, in Unix milliseconds.
    created_at_unix_ms: u64,
    /// The root of the file tree of this very turn; what it inherits is not said here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fs_root_hash: Option<String>,
    /// Why the payload cannot be read, if it is damaged or lost; the rest of the turn is whole.
    #[serde(skip_serializing_if = "Option::is_none")]
    unreadable: Option<String>,
    /// The payload as bytes, in raw views.
    #[serde(flatten)]
    #[schema(value_type = PayloadObject)]
    raw: Option<RawPart>,
    /// The payload as its type has it, in typed views.
    #[serde(flatten)]
    #[schema(ignore)]
    typed: Option<Typed>,
}

/// A payload as bytes; [`PayloadObject`] describes it.
#[derive(Debug, Serialize)]
struct RawPart {
    content_hash_b3: String,
    encoding: u32,
    compression: u32,
    uncompressed_len: u32,
    /// Not there if it is unreadable.
    #[serde(flatten)]
    payload: Option<Payload>,
}

/// What the writer of a turn says its payload is.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct DeclaredTypeObject {
    /// The type's name.
    #[schema(example = "com.example.Message")]
    pub(super) type_id: String,
    /// Its version.
    pub(super) type_version: u32,
}

/// A payload in JSON, as the description shows it: what is there of it depends on the view.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "only described: views have their own types")]
struct PayloadObject {
    /// BLAKE3-256 of its payload, in hexadecimal digits: the payload's name as a blob. This and the others
    /// up to the bytes are there in raw views.
    content_hash_b3: Option<String>,
    /// How the payload is encoded, as its writer says; 1 is msgpack.
    encoding: Option<u32>,
    /// How the payload is compressed here: 0, not at all.
    compression: Option<u32>,
    /// Bytes of the payload.
    uncompressed_len: Option<u32>,
    /// With `bytes_render=base64`, which is the default.
    bytes_b64: Option<String>,
    /// With `bytes_render=hex`.
    bytes_hex: Option<String>,
    /// With `bytes_render=len_only`.
    bytes_len: Option<u32>,
    /// As what it was read, in typed views.
    decoded_as: Option<DeclaredTypeObject>,
    /// The fields that the type names, in typed views.
    #[schema(value_type = Option<Object>)]
    data: Option<()>,
    /// The others, by their tags, if they were asked for.
    #[schema(value_type = Option<Object>)]
    unknown: Option<()>,
    /// Why it cannot be shown, in typed views.
    error: Option<ErrorContent>,
}

/// A turn by itself.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SingleTurn {
    /// The context it was appended to; forks share it.
    #[schema(example = "1")]
    context_id: String,
    #[serde(flatten)]
    turn: TurnObject,
}

impl TurnObject {
    /// A turn with its payload, where that is needed.
    pub(super) fn to_wire(
        turn: &Turn,
        type_name: &str,
        view: &View,
        registry: &Registry,
        payload: Option<TurnPayload>,
    ) -> Result<Self, ApiError> {
        let (bytes, unreadable) = match payload {
            None => (Some(Arc::default()), None),
            Some(TurnPayload::Bytes(bytes)) => (Some(bytes), None),
            Some(TurnPayload::Unreadable(reason)) => (None, Some(view.unreadable(turn, reason)?)),
        };
        let typed = bytes.as_ref().map(|bytes| view.typed(registry, turn, type_name, bytes));
        let typed = typed.transpose()?.flatten();
        let raw = view.is_raw.then(|| RawPart {
            content_hash_b3: turn.hash.to_string(),
            encoding: turn.encoding,
            compression: 0,
            uncompressed_len: turn.payload_bytes,
            payload: bytes.map(|bytes| Payload {
                render: view.options.bytes,
                bytes,
                length: turn.payload_bytes,
            }),
        });
        let declared_type =
            DeclaredTypeObject { type_id: type_name.to_owned(), type_version: turn.type_version };
        Ok(TurnObject {
            turn_id: turn.id.to_string(),
            parent_turn_id: turn.parent.to_string(),
            depth: turn.depth,
            declared_type,
            created_at_unix_ms: turn.created_at_ms,
            fs_root_hash: None,
            unreadable,
            raw,
            typed,
        })
    }

    /// The same with the root of its file tree.
    pub(super) fn with_tree(self, root: Option<ContentHash>) -> Self {
        TurnObject { fs_root_hash: root.map(|root| root.to_string()), ..self }
    }
}

/// One turn
///
/// What is wrong with its payload stands in `error` of the turn, or in `unreadable` if it is damaged, unless
/// `strict=1`.
#[utoipa::path(
    get,
    path = "/v1/turns/{id}",
    tag = "turns",
    params(
        ("id" = String, Path, pattern = "^[0-9]{1,20}$", example = "1", description = "The turn's number"),
        super::view::ViewParams,
    ),
    responses(
        (status = 200, description = "The turn", body = SingleTurn),
        (status = 404, description = "There is no such turn", body = ErrorBody),
        (status = 409, description = "The type to read it as is another one than it has", body = ErrorBody),
        (status = 422, description = "A parameter makes no sense", body = ErrorBody),
        (status = 424, description = "The type to read it as was not published", body = ErrorBody),
        (status = 500, description = "With `strict=1`: the payload cannot be shown", body = ErrorBody),
        (status = 503, description = "Too much is going on; come back later", body = ErrorBody),
    )
)]
pub(super) async fn get(call: Call, params: Params) -> Result<HeldJson, ApiError> {
    let id = params.turn_id()?;
    let view = View::from_params(&params)?;
    let memory = call.app.memory.clone();
    let answered = call.read(move |engine, principal| {
        let registry = engine.registry(principal, principal.tenant())?;
        let mut share = None;
        let mut begin = |bytes| memory.grow(&mut share, view.memory_bytes(bytes));
        let found = if view.needs_bytes() {
            engine.turn(principal, principal.tenant(), id, Some(&mut begin))?
        } else {
            engine.turn(principal, principal.tenant(), id, None)?
        };
        // What is wrong with the view is no failure of the engine.
        Ok((|| {
            view.check(&registry, &[&found.type_name])?;
            let payload = found.payload;
            let turn = TurnObject::to_wire(&found.turn, &found.type_name, &view, &registry, payload)?;
            let turn = turn.with_tree(found.tree);
            Ok(HeldJson::new(&SingleTurn { context_id: found.turn.context.to_string(), turn }, share))
        })())
    });
    answered.await?
}
