//! `POST /v1/contexts/{id}/turns`: appending a turn.

use axum::Json;
use axum::http::StatusCode;
use cairn_access::Principal;
use cairn_base::Value;
use cairn_engine::{AppendTurn, Engine, NotEncoded};
use cairn_seam::Blob;
use cairn_turns::projection::Misfit;
use cairn_turns::{Appended, DeclaredType};
use cairn_wire::turns::{AppendedTurn, TurnInJson};
use serde_json::json;

use super::append_request::{AppendRequest, Sent};
use crate::ApiError;
use crate::call::Call;
use crate::content_type::RawBytes;
use crate::error::ErrorBody;
use crate::params::invalid;
use crate::routes::blobs::{blob, check_hash};

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
        Sent::Msgpack(bytes) => blob(&call, bytes).await?,
        Sent::Json(value) => encoded(&call, request.declared.clone(), value).await?,
    };
    if let Some(hash) = &request.hash {
        check_hash(&payload, hash)?;
    }
    let turn = AppendTurn {
        context: request.context,
        parent: request.parent,
        expected_head: request.expected_head,
        declared: request.declared,
        encoding: request.encoding,
        compression: 0,
        payload,
        tree: request.tree,
        key: request.key,
    };
    let appended = call.write(|engine, principal| engine.append(principal, principal.tenant(), turn)).await?;
    let status = if appended.is_repeated { StatusCode::OK } else { StatusCode::CREATED };
    Ok((status, Json(to_wire(&appended))))
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

/// A payload that was sent as JSON, as it is stored.
async fn encoded(call: &Call, declared: DeclaredType, payload: Value) -> Result<Blob, ApiError> {
    let encode = move |engine: &Engine, principal: &Principal| {
        engine.encode_payload(principal, principal.tenant(), &declared, &payload)
    };
    call.read(encode).await?.map_err(|error| match error {
        NotEncoded::Misfits(misfits) => does_not_fit(&misfits),
        NotEncoded::Hint(error) => {
            let hint = "publish this type and version, or send the payload as application/msgpack";
            ApiError::new(error.code(), error.to_string()).detail("hint", hint)
        }
    })
}

fn does_not_fit(misfits: &[Misfit]) -> ApiError {
    let first = misfits.first().map(|misfit| format!(": {} {}", misfit.at, misfit.problem));
    let all: Vec<_> =
        misfits.iter().map(|misfit| json!({"field": misfit.at, "problem": misfit.problem})).collect();
    invalid(format!("the payload does not fit its type{}", first.unwrap_or_default())).detail("misfits", all)
}

fn to_wire(Appended { turn, is_repeated }: &Appended) -> AppendedTurn {
    AppendedTurn {
        context_id: turn.context,
        turn_id: turn.id,
        parent_turn_id: turn.parent,
        depth: turn.depth,
        content_hash_b3: turn.hash.to_string(),
        created_at_unix_ms: turn.created_at_ms,
        is_repeated: *is_repeated,
    }
}
