//! `GET /kcp/v1/artifacts`: a list of artifacts, or a search in them.

use cairn_base::from_iso;
use cairn_engine::{ArtifactList, ArtifactOrder, ArtifactQuestion, limits as engine_limits};
use cairn_wire::artifacts::Found;

use super::shown::whole;
use super::{filter_in, list_in};
use crate::call::Call;
use crate::error::ErrorBody;
use crate::held::HeldJson;
use crate::params::{Params, invalid};
use crate::{ApiError, IntoWire, limits};

const PARAMETERS: [&str; 12] = [
    "q",
    "tenant_id",
    "team",
    "tags",
    "from",
    "to",
    "limit",
    "offset",
    "author",
    "format",
    "visibility",
    "sort",
];

/// List or search artifacts
///
/// Only artifacts that the caller may read are looked at, counted and shown: those of its tenant, and those of other
/// tenants that are public or shared with it. Without `q` the newest come first, and `artifacts` has them as a whole.
#[utoipa::path(
    get,
    path = "/kcp/v1/artifacts",
    tag = "artifacts",
    params(
        ("q" = Option<String>, Query, description = "A search query over title, summary, tags, author, source and content"),
        ("tenant_id" = Option<String>, Query, description = "Only artifacts of this tenant"),
        ("team" = Option<String>, Query, description = "Only artifacts of this team"),
        ("tags" = Option<String>, Query, example = "risk,q3", description = "Only artifacts with all of these tags, separated by commas; at most 64"),
        ("from" = Option<String>, Query, example = "2026-01-31", description = "Not signed before this date or time (ISO 8601)"),
        ("to" = Option<String>, Query, example = "2026-02-28T12:00:00Z", description = "Signed before this date or time (ISO 8601)"),
        ("author" = Option<String>, Query, description = "Only artifacts of this user"),
        ("format" = Option<String>, Query, description = "Only artifacts of this format"),
        ("visibility" = Option<String>, Query, pattern = "^(public|org|team|private)$", description = "Only artifacts of this tier"),
        ("sort" = Option<String>, Query, pattern = "^(relevance|newest|most_cited|most_read)$", description = "The order; defaults to `relevance`, which without `q` is `newest`"),
        ("limit" = Option<u64>, Query, description = "1 to 500; defaults to 50"),
        ("offset" = Option<u64>, Query, description = "Artifacts to skip, at most 10,000"),
    ),
    responses(
        (status = 200, description = "The artifacts", body = Found),
        (status = 413, description = "The query is too long", body = ErrorBody),
        (status = 400, description = "A parameter is unknown or invalid", body = ErrorBody),
        (status = 429, description = "Too many requests, or the search index is not ready", body = ErrorBody),
    )
)]
pub(super) async fn list(call: Call, params: Params) -> Result<HeldJson, ApiError> {
    let question = question(&params)?;
    let memory = call.app.memory.clone();
    call.read(move |engine, principal| {
        let began = engine.clock().monotonic();
        let list = engine.artifact_list(principal, &question)?;
        let took = engine.clock().monotonic().saturating_sub(began);
        let bytes: usize = list.items.iter().map(|item| item.signed.len() + item.preview.len()).sum();
        let mut share = None;
        // As they are read, and as JSON.
        memory.grow(&mut share, bytes as u64 * 2)?;
        let found = found(list, question.text.is_none(), u64::try_from(took.as_millis()).unwrap_or(u64::MAX));
        Ok(HeldJson::new(&found, share))
    })
    .await
}

fn found(list: ArtifactList, has_whole: bool, query_time_ms: u64) -> Found {
    let ArtifactList { items, total, ignored, suggestions, behind, rebuilding } = list;
    let artifacts = has_whole.then(|| items.iter().map(whole).collect());
    let results = items.into_iter().map(IntoWire::into_wire).collect();
    Found { results, artifacts, total, query_time_ms, ignored, suggestions, behind, rebuilding }
}

fn question(params: &Params) -> Result<ArtifactQuestion, ApiError> {
    params.only(&PARAMETERS)?;
    let visibility = filter_in(params, "visibility")?.map(|name| name.parse()).transpose();
    Ok(ArtifactQuestion {
        text: filter_in(params, "q")?,
        tenant: filter_in(params, "tenant_id")?,
        team: filter_in(params, "team")?,
        tags: list_in(params, "tags", limits::ARTIFACT_TAGS_MAX)?,
        author: filter_in(params, "author")?,
        format: filter_in(params, "format")?,
        visibility: visibility.map_err(|error: cairn_access::UnknownVisibility| {
            invalid(error.to_string()).detail("parameter", "visibility")
        })?,
        from_ms: date_in(params, "from")?,
        to_ms: date_in(params, "to")?,
        order: params.choice("sort", &ORDERS)?,
        offset: offset_in(params)?,
        limit: params.limit(limits::ARTIFACTS_PAGE_DEFAULT, engine_limits::ARTIFACTS_PAGE_MAX as u64)?,
    })
}

const ORDERS: [(&str, ArtifactOrder); 4] = [
    ("relevance", ArtifactOrder::Relevance),
    ("newest", ArtifactOrder::Newest),
    ("most_cited", ArtifactOrder::MostCited),
    ("most_read", ArtifactOrder::MostRead),
];

fn offset_in(params: &Params) -> Result<usize, ApiError> {
    let max = engine_limits::ARTIFACTS_DEPTH_MAX;
    let offset = params.number("offset")?.unwrap_or(0);
    usize::try_from(offset).ok().filter(|offset| *offset <= max).ok_or_else(|| {
        invalid(format!("offset is {offset}, and must be at most {max}; narrow the list down instead"))
            .detail("parameter", "offset")
            .detail("max", max)
    })
}

/// A date, which begins at midnight in UTC, or a time with its zone. Times before 1970 are 1970.
pub(in crate::routes) fn date_in(params: &Params, name: &str) -> Result<Option<u64>, ApiError> {
    let Some(text) = filter_in(params, name)? else { return Ok(None) };
    // A plus sign that was not encoded arrives as a space.
    let text = if text.contains('T') { text.replace(' ', "+") } else { text };
    let is_date = text.len() == "2026-01-31".len();
    let time = if is_date { from_iso(&format!("{text}T00:00:00Z")) } else { from_iso(&text) };
    let time = time.map(|ms| u64::try_from(ms).unwrap_or(0));
    time.map(Some).ok_or_else(|| {
        let message = format!("{name} must be ISO 8601: a date like 2026-01-31, or 2026-01-31T12:00:00Z");
        invalid(message).detail("parameter", name)
    })
}
