//! `/v1/contexts`: making, forking and finding contexts.

use axum::Json;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use cairn_base::{ContextId, ErrorCode, TurnId, limits};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::context::ContextObject;
use crate::ApiError;
use crate::call::Call;
use crate::content_type::{is_json, media_type};
use crate::error::ErrorBody;
use crate::params::{Params, invalid, number};
use crate::routes::sessions::Active;

type Created = (StatusCode, Json<ContextObject>);

/// From where a new context starts.
#[derive(Debug, Default, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct NewContext {
    /// The turn to fork from, as text or as a number; 0 or nothing for an empty context.
    #[serde(default)]
    #[schema(value_type = Option<String>, example = "42")]
    base_turn_id: Value,
}

/// A page of contexts.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ContextPage {
    /// The contexts, the newest first.
    contexts: Vec<ContextObject>,
    /// How many they are.
    count: usize,
    /// What to pass as `before` for the next page; null if this is the last.
    next_before: Option<String>,
    /// Who is connected.
    #[serde(flatten)]
    active: Active,
}

/// Make a context
///
/// Without a body, or with `{}`, it is empty. With `base_turn_id` it is a fork: its history is that turn
/// and everything before it.
#[utoipa::path(
    post,
    path = "/v1/contexts",
    tag = "turns",
    request_body(content = Option<NewContext>, content_type = "application/json"),
    responses(
        (status = 201, description = "The new context", body = ContextObject),
        (status = 404, description = "There is no such turn", body = ErrorBody),
        (status = 415, description = "The body is no JSON", body = ErrorBody),
        (status = 422, description = "The body makes no sense", body = ErrorBody),
    )
)]
pub(super) async fn create(call: Call, headers: HeaderMap, body: Bytes) -> Result<Created, ApiError> {
    let base = base(&headers, &body)?;
    make(&call, base).await
}

/// Make a context
///
/// The same as `POST /v1/contexts`.
#[utoipa::path(
    post,
    path = "/v1/contexts/create",
    tag = "turns",
    request_body(content = Option<NewContext>, content_type = "application/json"),
    responses(
        (status = 201, description = "The new context", body = ContextObject),
        (status = 404, description = "There is no such turn", body = ErrorBody),
        (status = 415, description = "The body is no JSON", body = ErrorBody),
        (status = 422, description = "The body makes no sense", body = ErrorBody),
    )
)]
pub(super) async fn create_too(call: Call, headers: HeaderMap, body: Bytes) -> Result<Created, ApiError> {
    create(call, headers, body).await
}

/// Fork a context from a turn
///
/// Nothing is copied. The turn may be of any context.
#[utoipa::path(
    post,
    path = "/v1/contexts/fork",
    tag = "turns",
    request_body(content = NewContext, content_type = "application/json"),
    responses(
        (status = 201, description = "The new context", body = ContextObject),
        (status = 404, description = "There is no such turn", body = ErrorBody),
        (status = 415, description = "The body is no JSON", body = ErrorBody),
        (status = 422, description = "No turn is named", body = ErrorBody),
    )
)]
pub(super) async fn fork(call: Call, headers: HeaderMap, body: Bytes) -> Result<Created, ApiError> {
    let base = base(&headers, &body)?;
    if base.is_none() {
        return Err(invalid("a fork needs base_turn_id, the turn to fork from"));
    }
    make(&call, base).await
}

/// One context
#[utoipa::path(
    get,
    path = "/v1/contexts/{id}",
    tag = "turns",
    params(("id" = String, Path, description = "The context's number")),
    responses(
        (status = 200, description = "The context", body = ContextObject),
        (status = 404, description = "There is no such context", body = ErrorBody),
        (status = 422, description = "That is no number", body = ErrorBody),
    )
)]
pub(super) async fn get(call: Call, params: Params) -> Result<Json<ContextObject>, ApiError> {
    let id = params.context_id()?;
    let context = call.look_up(|snapshot, scope| Ok(cairn_turns::head(snapshot, scope, id)?))?;
    Ok(Json(ContextObject::to_wire(&context, &call.presence()?)))
}

/// Contexts, the newest first
#[utoipa::path(
    get,
    path = "/v1/contexts",
    tag = "turns",
    params(
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 1000, description = "How many at the most; 20 if not said"),
        ("before" = Option<String>, Query, description = "Only contexts that were made before this one"),
    ),
    responses(
        (status = 200, description = "A page of contexts", body = ContextPage),
        (status = 422, description = "A parameter makes no sense", body = ErrorBody),
    )
)]
pub(super) async fn list(call: Call, params: Params) -> Result<Json<ContextPage>, ApiError> {
    let limit = params.limit(limits::HTTP_CONTEXTS_PAGE_DEFAULT, limits::HTTP_CONTEXTS_PAGE_MAX)?;
    let before = params.number("before")?.map(ContextId);
    let mut contexts = call
        .read(move |engine, principal| {
            let act = crate::call::reading();
            engine.read(principal, act, cairn_base::Position::START, |snapshot, scope| {
                // One more than wanted says whether there is another page.
                Ok(cairn_turns::contexts(snapshot, scope, before, limit + 1)?)
            })
        })
        .await?;
    let has_more = contexts.len() > limit;
    contexts.truncate(limit);
    let oldest = contexts.last().filter(|_| has_more);
    let presence = call.presence()?;
    Ok(Json(ContextPage {
        next_before: oldest.map(|context| context.id.to_string()),
        count: contexts.len(),
        contexts: contexts.iter().map(|context| ContextObject::to_wire(context, &presence)).collect(),
        active: Active::of(&presence),
    }))
}

async fn make(call: &Call, base: Option<TurnId>) -> Result<Created, ApiError> {
    let now_ms = call.now_ms();
    let context = call.write(move |tx, scope| Ok(cairn_turns::create(tx, scope, base, now_ms)?)).await?;
    Ok((StatusCode::CREATED, Json(ContextObject::to_wire(&context, &call.presence()?))))
}

/// The turn that a body names, if there is a body and it names one.
fn base(headers: &HeaderMap, body: &[u8]) -> Result<Option<TurnId>, ApiError> {
    if body.is_empty() {
        return Ok(None);
    }
    if !is_json(&media_type(headers)) {
        let message = "the content type must be application/json";
        return Err(ApiError::new(ErrorCode::UnsupportedMediaType, message));
    }
    let object: Map<String, Value> = crate::json::decode(body)?;
    let NewContext { base_turn_id } = serde_json::from_value(Value::Object(object))
        .map_err(|error| invalid(format!("the body is not what was expected: {error}")))?;
    if base_turn_id.is_null() {
        return Ok(None);
    }
    let turn = match base_turn_id.as_str() {
        Some(text) => number("base_turn_id", text)?,
        None => base_turn_id.as_u64().ok_or_else(|| invalid("base_turn_id is the number of a turn"))?,
    };
    Ok(Some(TurnId(turn)).filter(|turn| *turn != TurnId::NONE))
}
