//! `/v1/contexts`: making, forking and finding contexts.

use axum::Json;
use axum::body::Bytes;
use axum::http::{HeaderMap, StatusCode};
use cairn_access::Principal;
use cairn_base::{ContextId, Number, TurnId};
use cairn_engine::{BadActivityCursor, ContextOrder, Engine, ListContexts};
use cairn_wire::contexts::{ContextObject, ContextPage, NewContext};
use serde_json::{Map, Value};

use super::context;
use super::filters::filters;
use crate::call::Call;
use crate::content_type::{is_json, media_type};
use crate::error::ErrorBody;
use crate::params::{Params, invalid, number};
use crate::routes::sessions::active_to_wire;
use crate::{ApiError, HttpCode, limits};

type Created = (StatusCode, Json<ContextObject>);

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
    params(("id" = String, Path, pattern = "^[0-9]{1,20}$", example = "1", description = "The context's number")),
    responses(
        (status = 200, description = "The context", body = ContextObject),
        (status = 404, description = "There is no such context", body = ErrorBody),
        (status = 422, description = "That is no number", body = ErrorBody),
    )
)]
pub(super) async fn get(call: Call, params: Params) -> Result<Json<ContextObject>, ApiError> {
    let id = params.context_id()?;
    let context = call.look_up(|engine, principal| engine.context(principal, principal.tenant(), id))?;
    Ok(Json(context::to_wire(&context)))
}

/// Contexts, the newest or the most recently active first
///
/// All of them, or those of which every filter holds. A page may have fewer contexts than asked for and
/// still not be the last. `sort=activity` has pages of its own, with `cursor`; it knows the 10,000 most
/// recently active contexts.
#[utoipa::path(
    get,
    path = "/v1/contexts",
    tag = "turns",
    params(
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 1000, description = "How many at the most; 20 if not said"),
        ("before" = Option<String>, Query, description = "Only contexts that were made before this one; not with sort=activity"),
        ("sort" = Option<String>, Query, description = "`created` (default): the newest first; `activity`: the most recently active first"),
        ("cursor" = Option<String>, Query, description = "With sort=activity: the next_cursor of the page before"),
        ("tag" = Option<String>, Query, description = "What the client calls itself in the first turn, or else what the client calls itself that works on it now"),
        ("client" = Option<String>, Query, description = "The same as tag"),
        ("label" = Option<String>, Query, description = "One of its labels"),
        ("title" = Option<String>, Query, description = "Its title"),
        ("user" = Option<String>, Query, description = "The person it was written for: on_behalf_of of its provenance"),
        ("service" = Option<String>, Query, description = "The service_name of its provenance"),
        ("host" = Option<String>, Query, description = "The host_name of its provenance"),
        ("trace_id" = Option<String>, Query, description = "The trace_id of its provenance"),
        ("parent" = Option<String>, Query, description = "The parent_context_id of its provenance"),
        ("root" = Option<String>, Query, description = "The root_context_id of its provenance"),
        ("created_after" = Option<String>, Query, description = "Made after this time: Unix milliseconds, RFC 3339, a day, or back from now like -7d"),
        ("created_before" = Option<String>, Query, description = "Made before this time"),
        ("include_provenance" = Option<String>, Query, description = "1 to be told where each came from"),
    ),
    responses(
        (status = 200, description = "A page of contexts", body = ContextPage),
        (status = 422, description = "A parameter makes no sense", body = ErrorBody),
    )
)]
pub(super) async fn list(call: Call, params: Params) -> Result<Json<ContextPage>, ApiError> {
    let limit = params.limit(limits::HTTP_CONTEXTS_PAGE_DEFAULT, limits::HTTP_CONTEXTS_PAGE_MAX)?;
    let order = order(&params)?;
    let list = ListContexts { filters: filters(&params, call.now_ms())?, order, limit };
    let with_provenance = params.choice("include_provenance", FLAGS)?;
    let page =
        call.read(move |engine, principal| engine.list_contexts(principal, principal.tenant(), list)).await?;
    let to_wire = if with_provenance { context::with_provenance } else { context::to_wire };
    let (next_before, next_cursor) = match (order, page.next) {
        (ContextOrder::Created(_), Some(ContextOrder::Created(before))) => (before, None),
        (ContextOrder::Active(_), Some(ContextOrder::Active(cursor))) => (None, Some(cursor)),
        (ContextOrder::Created(_), _) => (None, None),
        (ContextOrder::Active(_), _) => (None, Some(None)),
    };
    Ok(Json(ContextPage {
        next_before,
        next_cursor: next_cursor.map(|next| next.map(|cursor| cursor.to_string())),
        truncated: page.is_truncated,
        count: page.contexts.len(),
        contexts: page.contexts.iter().map(to_wire).collect(),
        active: active_to_wire(page.sessions),
    }))
}

/// In which order contexts are listed, and from where on.
fn order(params: &Params) -> Result<ContextOrder, ApiError> {
    let (before, cursor) = (params.number("before")?, params.text("cursor")?);
    let other = |given: &str, order: &str, own: &str| {
        let message = format!("{given} does not go with sort={order}; pages of that order have {own}");
        Err(invalid(message).detail("parameter", given))
    };
    match (params.choice("sort", &[("created", false), ("activity", true)])?, before, cursor) {
        (false, before, None) => Ok(ContextOrder::Created(before.map(ContextId))),
        (true, None, cursor) => {
            let cursor = cursor.map(str::parse).transpose();
            let cursor = cursor.map_err(|error: BadActivityCursor| {
                invalid(error.to_string()).detail("parameter", "cursor")
            })?;
            Ok(ContextOrder::Active(cursor))
        }
        (false, _, Some(_)) => other("cursor", "created", "before"),
        (true, Some(_), _) => other("before", "activity", "cursor"),
    }
}

/// How a yes or no is written; no comes first, for it is what counts when nothing is.
const FLAGS: &[(&str, bool)] = &[("0", false), ("1", true), ("false", false), ("true", true)];

async fn make(call: &Call, base: Option<TurnId>) -> Result<Created, ApiError> {
    let create = |engine: &Engine, principal: &Principal| {
        engine.create_described_context(principal, principal.tenant(), base)
    };
    let context = call.write(create).await?;
    Ok((StatusCode::CREATED, Json(context::to_wire(&context))))
}

/// The turn that a body names, if there is a body and it names one.
fn base(headers: &HeaderMap, body: &[u8]) -> Result<Option<TurnId>, ApiError> {
    if body.is_empty() {
        return Ok(None);
    }
    if !is_json(&media_type(headers)) {
        let message = "the content type must be application/json";
        return Err(ApiError::new(HttpCode::UnsupportedMediaType, message));
    }
    let object: Map<String, Value> = crate::json::decode(body)?;
    let NewContext { base_turn_id } = serde_json::from_value(Value::Object(object))
        .map_err(|error| invalid(format!("the body is not what was expected: {error}")))?;
    if base_turn_id.is_null() {
        return Ok(None);
    }
    let turn = match base_turn_id.as_str() {
        Some(text) => number("base_turn_id", text)?,
        None => base_turn_id
            .as_number()
            .filter(|number| !number.is_float())
            .and_then(Number::as_u64)
            .ok_or_else(|| invalid("base_turn_id is the number of a turn"))?,
    };
    Ok(Some(TurnId(turn)).filter(|turn| *turn != TurnId::NONE))
}
