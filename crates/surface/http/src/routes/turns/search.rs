//! `/v1/contexts/search`: finding contexts in the language of queries.

use axum::Json;
use cairn_base::{ContextId, Position, limits};
use cairn_turns::query::{Query, QueryError, Search};
use serde::Serialize;
use serde_json::json;
use utoipa::ToSchema;

use super::context::ContextObject;
use crate::ApiError;
use crate::call::{Call, reading};
use crate::error::ErrorBody;
use crate::params::{Params, invalid};

/// What a search found.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SearchPage {
    /// The contexts, the newest first.
    contexts: Vec<ContextObject>,
    /// How many contexts there are that fit, on this page and after it, as far as was looked.
    total_count: usize,
    /// Whether there are contexts that were not looked at; search on with `next_before`.
    truncated: bool,
    /// What to pass as `before` for the next page; null if this is the last.
    next_before: Option<String>,
    /// How long it took, in milliseconds.
    elapsed_ms: u64,
    /// The query, as it was asked.
    query: String,
}

/// Search for contexts
///
/// By what their first turns say, when they were made, how deep they are and who works on them:
/// `tag = "agent" AND label IN ("env=prod", "env=stage") AND created > "-7d"`.
#[utoipa::path(
    get,
    path = "/v1/contexts/search",
    tag = "turns",
    params(
        ("q" = String, Query, example = "depth >= 0 AND NOT tag = \"agent\"", description = "The query"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 1000, description = "How many at the most; 1000 if not said"),
        ("before" = Option<String>, Query, description = "Only contexts that were made before this one"),
    ),
    responses(
        (status = 200, description = "The contexts that fit, the newest first", body = SearchPage),
        (status = 422, description = "The query or a parameter makes no sense; details say where", body = ErrorBody),
    )
)]
pub(super) async fn search(call: Call, params: Params) -> Result<Json<SearchPage>, ApiError> {
    let limit = params.limit(limits::HTTP_CONTEXTS_PAGE_MAX, limits::HTTP_CONTEXTS_PAGE_MAX)?;
    let before = params.number("before")?.map(ContextId);
    let text = params.text("q")?.filter(|text| !text.trim().is_empty());
    let text = text.ok_or_else(|| invalid("q, the query, is missing").detail("parameter", "q"))?;
    let query = Query::parse(text, call.now_ms()).map_err(wrong)?;
    let monotonic = || call.app.gate.engine().clock().monotonic();
    let started = monotonic();
    let found = call
        .read(move |engine, principal| {
            let presence = engine.presence(principal, principal.tenant())?;
            let search = Search {
                query: &query,
                before,
                limit,
                counts_all: true,
                visits_max: limits::SEARCH_VISITS_MAX,
                is_live: &|context| presence.live(context).is_some(),
            };
            engine.read(principal, reading(principal), Position::START, |snapshot, scope| {
                Ok(cairn_turns::query::search(snapshot, scope, &search)?)
            })
        })
        .await?;
    let elapsed = monotonic().saturating_sub(started);
    let presence = call.presence()?;
    let to_wire = |(context, said)| ContextObject::to_wire(context, said, &presence);
    Ok(Json(SearchPage {
        contexts: found.contexts.iter().map(|(context, said)| to_wire((context, said))).collect(),
        total_count: found.count,
        truncated: found.is_truncated,
        next_before: found.next_before.map(|context| context.to_string()),
        elapsed_ms: u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX),
        query: text.to_owned(),
    }))
}

/// What is wrong with a query, and where.
fn wrong(error: QueryError) -> ApiError {
    let position = json!({"line": error.at.line, "column": error.at.column, "offset": error.at.offset});
    invalid(error.message)
        .detail("parameter", "q")
        .detail("error_type", error.kind.to_string())
        .detail("position", position)
        .detail("field", error.field)
}
