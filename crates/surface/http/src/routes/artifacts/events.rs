//! `GET /kcp/v1/events`: artifacts as they are published and deleted.

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::Response;
use cairn_engine::ArtifactFilter;

use super::{filter_in, list_in, query_in};
use crate::app::AppState;
use crate::call::Asking;
use crate::error::ErrorBody;
use crate::params::Params;
use crate::routes::events::{Follow, open};
use crate::{ApiError, limits};

/// Follow artifacts
///
/// Server-sent events: `connected` first, then `artifact_published` and `artifact_deleted` of the caller's tenant, each
/// with an id, in the order in which they were committed. Only artifacts that the caller may read are told of, and of
/// these the ones that match every parameter. A client that sends the id of the last event gets exactly what came after
/// it; without one the stream begins now. `reset` means that history was lost; list the artifacts again. A comment and
/// an id come every 15 seconds in which nothing is told.
#[utoipa::path(
    get,
    path = "/kcp/v1/events",
    tag = "artifacts",
    params(
        ("tags" = Option<String>, Query, description = "Only artifacts with all of these tags, separated by commas; at most 64"),
        ("author" = Option<String>, Query, description = "Only artifacts of this user"),
        ("team" = Option<String>, Query, description = "Only artifacts of this team"),
        ("q" = Option<String>, Query, description = "Only artifacts whose title, summary, source or tags match this search query"),
        ("last_event_id" = Option<String>, Query, description = "The id of the last event that was seen, as in the header `Last-Event-ID`, which counts more"),
        ("Last-Event-ID" = Option<String>, Header, description = "The id of the last event that was seen"),
    ),
    responses(
        (status = 200, description = "Events until one of the two sides ends it", body = String, content_type = "text/event-stream"),
        (status = 413, description = "The query is too long", body = ErrorBody),
        (status = 412, description = "The id is ahead of this server: it is from before a restore", body = ErrorBody),
    )
)]
pub(super) async fn events(
    State(app): State<AppState>,
    Asking(caller): Asking,
    params: Params,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    params.only(&["tags", "author", "team", "q", "last_event_id"])?;
    let filter = ArtifactFilter {
        tags: list_in(&params, "tags", limits::ARTIFACT_TAGS_MAX)?,
        author: filter_in(&params, "author")?,
        team: filter_in(&params, "team")?,
        query: query_in(&params)?,
    };
    let last_event_id = params.text("last_event_id")?.unwrap_or_default();
    open(app, caller, &headers, last_event_id, Follow::artifacts(filter)).await
}
