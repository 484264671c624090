//! A turn as JSON, and `GET /v1/turns/{id}`.

use std::sync::Arc;

use cairn_base::ContentHash;
use cairn_turns::Turn;
use serde::Serialize;
use utoipa::ToSchema;

use super::payload::{BytesRender, Payload, bytes_render};
use crate::ApiError;
use crate::call::{Call, TENANT};
use crate::error::ErrorBody;
use crate::held::HeldJson;
use crate::params::Params;

/// A turn. One of `bytes_b64`, `bytes_hex` and `bytes_len` is there, as `bytes_render` says.
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
    /// BLAKE3-256 of its payload, in hexadecimal digits: the payload's name as a blob.
    content_hash_b3: String,
    /// How the payload is encoded, as its writer says; 1 is msgpack.
    encoding: u32,
    /// How the payload is compressed here: 0, not at all.
    compression: u32,
    /// Bytes of the payload.
    uncompressed_len: u32,
    /// The root of the file tree of this very turn; what it inherits is not said here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) fs_root_hash: Option<String>,
    /// The payload.
    #[serde(flatten)]
    #[schema(value_type = PayloadObject)]
    payload: Payload,
}

/// What the writer of a turn says its payload is.
#[derive(Debug, Serialize, ToSchema)]
struct DeclaredTypeObject {
    /// The type's name.
    #[schema(example = "com.example.Message")]
    type_id: String,
    /// Its version.
    type_version: u32,
}

/// A payload in JSON, as the description shows it.
#[derive(Debug, Serialize, ToSchema)]
struct PayloadObject {
    /// With `bytes_render=base64`, which is the default.
    bytes_b64: Option<String>,
    /// With `bytes_render=hex`.
    bytes_hex: Option<String>,
    /// With `bytes_render=len_only`.
    bytes_len: Option<u32>,
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
    /// A turn with its payload, which is empty where it is not needed.
    pub(super) fn to_wire(turn: &Turn, type_name: &str, render: BytesRender, bytes: Arc<[u8]>) -> Self {
        TurnObject {
            turn_id: turn.id.to_string(),
            parent_turn_id: turn.parent.to_string(),
            depth: turn.depth,
            declared_type: DeclaredTypeObject {
                type_id: type_name.to_owned(),
                type_version: turn.type_version,
            },
            created_at_unix_ms: turn.created_at_ms,
            content_hash_b3: turn.hash.to_string(),
            encoding: turn.encoding,
            compression: 0,
            uncompressed_len: turn.payload_bytes,
            fs_root_hash: None,
            payload: Payload { render, bytes, length: turn.payload_bytes },
        }
    }

    /// The same with the root of its file tree.
    pub(super) fn with_tree(self, root: Option<ContentHash>) -> Self {
        TurnObject { fs_root_hash: root.map(|root| root.to_string()), ..self }
    }
}

/// One turn
#[utoipa::path(
    get,
    path = "/v1/turns/{id}",
    tag = "turns",
    params(
        ("id" = String, Path, description = "The turn's number"),
        ("view" = Option<String>, Query, description = "`raw`, which is the default and all there is so far"),
        ("bytes_render" = Option<String>, Query, description = "How the payload is written: `base64` (default), `hex` or `len_only`"),
    ),
    responses(
        (status = 200, description = "The turn", body = SingleTurn),
        (status = 404, description = "There is no such turn", body = ErrorBody),
        (status = 422, description = "A parameter makes no sense", body = ErrorBody),
        (status = 503, description = "Too much is going on; come back later", body = ErrorBody),
    )
)]
pub(super) async fn get(call: Call, params: Params) -> Result<HeldJson, ApiError> {
    let id = params.turn_id()?;
    let render = bytes_render(&params)?;
    let memory = call.app.memory.clone();
    call.read(move |engine, principal| {
        let mut share = None;
        let mut begin = |bytes| memory.grow(&mut share, render.memory_bytes(bytes));
        let found = if render.needs_bytes() {
            engine.turn(principal, TENANT, id, Some(&mut begin))?
        } else {
            engine.turn(principal, TENANT, id, None)?
        };
        let bytes = found.payload.unwrap_or_default();
        let turn = TurnObject::to_wire(&found.turn, &found.type_name, render, bytes).with_tree(found.tree);
        Ok(HeldJson::new(&SingleTurn { context_id: found.turn.context.to_string(), turn }, share))
    })
    .await
}
