//! `GET /v1/search`.

use axum::Json;
use cairn_engine::FoundEverywhere;
use cairn_wire::search::FoundPage;

use super::question::Asked;
use super::wire::to_wire;
use crate::ApiError;
use crate::call::Call;
use crate::error::ErrorBody;
use crate::params::Params;

/// Search in turns and artifacts
///
/// Finds turns, windows of turns, whole contexts or published artifacts by their words, the best first. Whatever was committed
/// before the search began is found, or `behind` says that it may not be. Words are compared by their stems:
/// `"in this order"` looks for a phrase, `+word` has to be there, `-word` must not, `pre*` begins so, and
/// `title:word` looks in one field. Nothing else is an operator, and any text can be looked for.
#[utoipa::path(
    get,
    path = "/v1/search",
    tag = "search",
    params(
        ("q" = String, Query, example = "\"sealed segment\" recovery", description = "What to look for, of at most 8 KiB"),
        ("in" = Option<String>, Query, example = "auto", description = "turns, windows (some turns one after the other), contexts, artifacts, or auto, the default: the smallest of turns, windows and contexts in which something has all of the query, and the best artifacts beside them"),
        ("type" = Option<String>, Query, description = "Only turns of these types: names with commas between them, at most 32"),
        ("context_id" = Option<String>, Query, description = "Only what belongs to this context; digits"),
        ("since" = Option<String>, Query, description = "Not before this time: Unix milliseconds, RFC 3339, a day, or back from now like -7d"),
        ("until" = Option<String>, Query, description = "Not after this time"),
        ("recency" = Option<String>, Query, description = "Newer is better: after so long, such as 30d, a hit keeps three quarters of its score, and never less than half; age is nothing if not said"),
        ("limit" = Option<u64>, Query, minimum = 1, maximum = 100, description = "How many hits at the most; 10 if not said"),
        ("cursor" = Option<String>, Query, description = "`next_cursor` of the page before; everything else has to be as it was"),
    ),
    responses(
        (status = 200, description = "The best hits", body = FoundPage),
        (status = 413, description = "The query has more than 8 KiB", body = ErrorBody),
        (status = 422, description = "The query or a parameter makes no sense, or search is switched off", body = ErrorBody),
        (status = 503, description = "The index is being opened, or too much is going on; Retry-After says when to come back", body = ErrorBody),
    )
)]
pub(super) async fn find(call: Call, params: Params) -> Result<Json<FoundPage>, ApiError> {
    let asked = Asked::from_wire(&params, call.principal.tenant(), call.now_ms())?;
    let question = asked.question.clone();
    let found: FoundEverywhere =
        call.read(move |engine, principal| engine.search_everywhere(principal, &question)).await?;
    let next = found.page.next_skip.map(|skip| asked.cursor(found.page.search_in, skip));
    Ok(Json(to_wire(asked.question.text, found, next)))
}
