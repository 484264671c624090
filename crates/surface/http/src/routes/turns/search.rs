//! `/v1/contexts/search`: finding contexts in the language of queries.

use axum::Json;
use cairn_base::ContextId;
use cairn_turns::query::{Query, QueryError};
use cairn_wire::contexts::SearchPage;
use serde_json::json;

use super::context;
use crate::call::Call;
use crate::error::ErrorBody;
use crate::params::{Params, invalid};
use crate::{ApiError, limits};

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
            engine.find_contexts(principal, principal.tenant(), &query, before, limit)
        })
        .await?;
    let elapsed = monotonic().saturating_sub(started);
    Ok(Json(SearchPage {
        contexts: found.contexts.iter().map(context::to_wire).collect(),
        total_count: found.count,
        truncated: found.is_truncated,
        next_before: found.next_before,
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
