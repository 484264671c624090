//! `POST /v1/contexts/{id}/turns`: appending a turn.

use axum::Json;
use axum::body::Bytes;
use axum::http::StatusCode;
use cairn_base::Value;
use cairn_turns::projection::{Hint, Misfit, encode};
use cairn_turns::{Append, Appended, DeclaredType};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::append_request::{AppendRequest, Sent};
use super::view::unreadable;
use crate::ApiError;
use crate::call::Call;
use crate::content_type::RawBytes;
use crate::error::ErrorBody;
use crate::params::invalid;
use crate::routes::blobs::{blob, check_hash};

/// A turn that was appended.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct AppendedTurn {
    /// The context it was appended to.
    #[schema(example = "1")]
    context_id: String,
    /// Its number: it is the head of the context now.
    #[schema(example = "42")]
    turn_id: String,
    /// The turn before it; 0 for the first one.
    #[schema(example = "41")]
    parent_turn_id: String,
    /// How many turns are before it.
    depth: u32,
    /// BLAKE3-256 of its payload, in hexadecimal digits.
    content_hash_b3: String,
    /// When it was appended, in Unix milliseconds.
    created_at_unix_ms: u64,
    /// Whether it was there already: the same idempotency key was used before.
    is_repeated: bool,
}

/// A turn in JSON.
#[derive(Debug, ToSchema)]
#[expect(dead_code, reason = "only described: bodies are read with exact numbers")]
pub(super) struct TurnInJson {
    /// Its type.
    #[schema(example = "com.example.Message")]
    type_id: String,
    /// The version of that type.
    type_version: u32,
    /// The fields of that version by their names, and unknown ones by their tags. Needed here or as `data`.
    #[schema(value_type = Option<Object>)]
    payload: Option<Value>,
    /// Another name of `payload`; not both.
    #[schema(value_type = Option<Object>)]
    data: Option<Value>,
    /// The turn to append to; 0 or nothing for the head.
    parent_turn_id: Option<String>,
    /// The root of a file tree whose blobs are there already.
    fs_root_hash: Option<String>,
    /// The same as the header `Idempotency-Key`, which must agree if both are sent.
    idempotency_key: Option<String>,
}

/// Append a turn
///
/// The body is the payload in msgpack, as it is stored, or JSON with `type_id`, `type_version` and `payload`,
/// which is encoded as that type says. The answer comes when the turn is on disk. A
/// parent may be any turn; the new turn becomes the head of the context in every case. With the same
/// `Idempotency-Key` and the same content a repeated request answers what the first one did. With
/// `If-Match` the turn is appended only if the head is the one named.
#[utoipa::path(
    post,
    path = "/v1/contexts/{id}/turns",
    tag = "turns",
    params(
        ("id" = String, Path, pattern = "^[0-9]{1,20}$", example = "1", description = "The context's number"),
        ("type_id" = Option<String>, Query, description = "What the payload is, at most 256 bytes; needed here or as header"),
        ("type_version" = Option<u32>, Query, description = "The version of that type; 1 if not said"),
        ("parent_turn_id" = Option<String>, Query, description = "The turn to append to; 0 or nothing for the head"),
        ("encoding" = Option<u32>, Query, description = "How the payload is encoded; 1, msgpack, if not said"),
        ("fs_root_hash" = Option<String>, Query, description = "The root of a file tree whose blobs are there already"),
        ("X-Cairn-Type-Id" = Option<String>, Header, description = "The same as type_id"),
        ("X-Cairn-Type-Version" = Option<u32>, Header, description = "The same as type_version"),
        ("Idempotency-Key" = Option<String>, Header, description = "What the client calls this append, at most 256 bytes; remembered for a day"),
        ("If-Match" = Option<String>, Header, description = "The turn that has to be the head; 0 for an empty context"),
        ("X-Content-Hash-B3" = Option<String>, Header, description = "BLAKE3-256 of the payload, to be checked"),
    ),
    request_body(content((RawBytes = "application/msgpack"), (TurnInJson = "application/json")), description = "The payload, at most 63 MiB, or a turn in JSON, at most 1 MiB"),
    responses(
        (status = 201, description = "It is appended", body = AppendedTurn),
        (status = 200, description = "It was appended before, by a request with the same key", body = AppendedTurn),
        (status = 404, description = "There is no such context, parent or file tree", body = ErrorBody),
        (status = 409, description = "The head is another one, or the key was used for something else", body = ErrorBody),
        (status = 412, description = "The type was not published, and this server takes only published ones", body = ErrorBody),
        (status = 413, description = "The payload is too large", body = ErrorBody),
        (status = 415, description = "The payload is neither msgpack nor JSON", body = ErrorBody),
        (status = 422, description = "The request makes no sense", body = ErrorBody),
        (status = 424, description = "The type of a payload in JSON was not published", body = ErrorBody),
        (status = 503, description = "Too much is going on; come back later", body = ErrorBody),
    )
)]
pub(super) async fn append(
    call: Call,
    request: AppendRequest,
) -> Result<(StatusCode, Json<AppendedTurn>), ApiError> {
    let payload = match request.payload {
        Sent::Msgpack(bytes) => bytes,
        Sent::Json(value) => encoded(&call, &request.declared, value).await?,
    };
    let payload = blob(&call, payload).await?;
    if let Some(hash) = &request.hash {
        check_hash(&payload, hash)?;
    }
    let remember = call.app.config.remember_keys.as_millis();
    let request = Append {
        context: request.context,
        parent: request.parent,
        expected_head: request.expected_head,
        declared: request.declared,
        encoding: request.encoding,
        compression: 0,
        payload_bytes: u32::try_from(payload.len()).map_err(|_| invalid("a payload has less than 4 GiB"))?,
        payload,
        tree: request.tree,
        key: request.key,
        remember_ms: u64::try_from(remember).unwrap_or(u64::MAX),
        now_ms: call.now_ms(),
        strict: call.app.gate.engine().has_strict_types(),
    };
    let appended = call.write(move |tx, scope| Ok(cairn_turns::append(tx, scope, &request)?)).await?;
    let status = if appended.is_repeated { StatusCode::OK } else { StatusCode::CREATED };
    Ok((status, Json(AppendedTurn::to_wire(&appended))))
}

/// Append a turn
///
/// The same as `POST /v1/contexts/{id}/turns`.
#[utoipa::path(
    post,
    path = "/v1/contexts/{id}/append",
    tag = "turns",
    params(
        ("id" = String, Path, pattern = "^[0-9]{1,20}$", example = "1", description = "The context's number"),
        ("type_id" = Option<String>, Query, description = "What the payload is, at most 256 bytes; needed here or as header"),
        ("type_version" = Option<u32>, Query, description = "The version of that type; 1 if not said"),
        ("parent_turn_id" = Option<String>, Query, description = "The turn to append to; 0 or nothing for the head"),
        ("encoding" = Option<u32>, Query, description = "How the payload is encoded; 1, msgpack, if not said"),
        ("fs_root_hash" = Option<String>, Query, description = "The root of a file tree whose blobs are there already"),
        ("X-Cairn-Type-Id" = Option<String>, Header, description = "The same as type_id"),
        ("X-Cairn-Type-Version" = Option<u32>, Header, description = "The same as type_version"),
        ("Idempotency-Key" = Option<String>, Header, description = "What the client calls this append, at most 256 bytes; remembered for a day"),
        ("If-Match" = Option<String>, Header, description = "The turn that has to be the head; 0 for an empty context"),
        ("X-Content-Hash-B3" = Option<String>, Header, description = "BLAKE3-256 of the payload, to be checked"),
    ),
    request_body(content((RawBytes = "application/msgpack"), (TurnInJson = "application/json")), description = "The payload, at most 63 MiB, or a turn in JSON, at most 1 MiB"),
    responses(
        (status = 201, description = "It is appended", body = AppendedTurn),
        (status = 200, description = "It was appended before, by a request with the same key", body = AppendedTurn),
        (status = 404, description = "There is no such context, parent or file tree", body = ErrorBody),
        (status = 409, description = "The head is another one, or the key was used for something else", body = ErrorBody),
        (status = 412, description = "The type was not published, and this server takes only published ones", body = ErrorBody),
        (status = 413, description = "The payload is too large", body = ErrorBody),
        (status = 415, description = "The payload is neither msgpack nor JSON", body = ErrorBody),
        (status = 422, description = "The request makes no sense", body = ErrorBody),
        (status = 424, description = "The type of a payload in JSON was not published", body = ErrorBody),
        (status = 503, description = "Too much is going on; come back later", body = ErrorBody),
    )
)]
pub(super) async fn append_too(
    call: Call,
    request: AppendRequest,
) -> Result<(StatusCode, Json<AppendedTurn>), ApiError> {
    append(call, request).await
}

/// The bytes of a payload that was sent as JSON.
async fn encoded(call: &Call, declared: &DeclaredType, payload: Value) -> Result<Bytes, ApiError> {
    let DeclaredType { id, version } = declared.clone();
    let encoded = call.read(move |engine, principal| {
        let registry = engine.registry(principal, principal.tenant())?;
        let described = Hint::Inherit.resolve(&registry, &id, version);
        Ok(match described {
            Ok((_, described)) => encode(&payload, described).map_err(|misfits| does_not_fit(&misfits)),
            Err(error) => {
                let hint = "publish this type and version, or send the payload as application/msgpack";
                Err(unreadable(&error).detail("hint", hint))
            }
        })
    });
    encoded.await?.map(Bytes::from)
}

fn does_not_fit(misfits: &[Misfit]) -> ApiError {
    let first = misfits.first().map(|misfit| format!(": {} {}", misfit.at, misfit.problem));
    let all: Vec<_> =
        misfits.iter().map(|misfit| json!({"field": misfit.at, "problem": misfit.problem})).collect();
    invalid(format!("the payload does not fit its type{}", first.unwrap_or_default())).detail("misfits", all)
}

impl AppendedTurn {
    fn to_wire(Appended { turn, is_repeated }: &Appended) -> Self {
        AppendedTurn {
            context_id: turn.context.to_string(),
            turn_id: turn.id.to_string(),
            parent_turn_id: turn.parent.to_string(),
            depth: turn.depth,
            content_hash_b3: turn.hash.to_string(),
            created_at_unix_ms: turn.created_at_ms,
            is_repeated: *is_repeated,
        }
    }
}
