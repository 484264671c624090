//! `/v1/kip/indexes`: ordered indexes of the graph.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use cairn_engine::MEMORY_SPACE;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::app::AppState;
use crate::call::{Asking, Call};
use crate::error::ErrorBody;
use crate::params::{Params, invalid};
use crate::routes::maintenance::wire::Line;
use crate::routes::maintenance::{Progress, answer, lines};
use crate::{ApiError, ApiJson};

/// What to make an index of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct IndexJob {
    /// In which space; `memory` if not said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub space: Option<String>,
    /// The type of the concepts.
    #[serde(rename = "type")]
    #[schema(example = "Drug")]
    pub kind: String,
    /// The field to sort them by: `attributes.KEY` or `metadata.KEY`, with up to four keys.
    #[schema(example = "attributes.dose")]
    pub field: String,
}

/// An ordered index.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct KipIndex {
    /// The type of the concepts.
    #[serde(rename = "type")]
    #[schema(example = "Drug")]
    pub kind: String,
    /// The field that they are sorted by.
    #[schema(example = "attributes.dose")]
    pub field: String,
    /// `ready`; `building` or `dropping` while it is of no use to queries.
    #[schema(example = "ready")]
    pub state: String,
    /// How many concepts it holds; null before it is ready.
    pub entries: Option<u64>,
    /// How many concepts there are of the type.
    pub concepts: u64,
    /// Whether it was made by the server itself.
    pub automatic: bool,
}

/// The ordered indexes of a space.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct KipIndexes {
    /// In the order in which they were made.
    indexes: Vec<KipIndex>,
}

/// List ordered indexes
#[utoipa::path(
    get,
    path = "/v1/kip/indexes",
    tag = "kip",
    params(("space" = Option<String>, Query, description = "In which space; `memory` if not said")),
    responses((status = 200, description = "The indexes of a space", body = KipIndexes))
)]
pub(super) async fn list(call: Call, params: Params) -> Result<Json<KipIndexes>, ApiError> {
    let space = params.text("space")?.unwrap_or(MEMORY_SPACE).to_owned();
    let indexes =
        call.read(move |engine, principal| engine.kip_indexes(principal, principal.tenant(), &space));
    let indexes = indexes.await?.into_iter().map(KipIndex::from).collect();
    Ok(Json(KipIndexes { indexes }))
}

/// Make an ordered index
///
/// Sorts the concepts of a type by one of their fields, so that FILTER and ORDER BY on it need not look at all
/// of them. Writes go on meanwhile. The answer is a stream of lines like that of maintenance, and ends when the
/// index is ready; one that is there already is ready at once. The index is made also when the client goes
/// away. A store that is sealed has no ordered indexes.
#[utoipa::path(
    post,
    path = "/v1/kip/indexes",
    tag = "kip",
    request_body = IndexJob,
    responses(
        (status = 200, description = "Lines of JSON until it is ready", body = Line, content_type = "application/x-ndjson"),
        (status = 413, description = "The space has as many indexes as it may have", body = ErrorBody),
        (status = 422, description = "There is no such type, it is no such field, or the store is sealed", body = ErrorBody),
    )
)]
pub(super) async fn create(
    State(app): State<AppState>,
    Asking(caller): Asking,
    ApiJson(job): ApiJson<IndexJob>,
) -> Result<Response, ApiError> {
    let (gate, principal) = (app.gate.clone(), caller.principal().clone());
    let (teller, listener) = lines::channel();
    let mut progress = Progress::new(teller.clone());
    app.gate.run_long(
        move |engine| {
            let space = job.space.as_deref().unwrap_or(MEMORY_SPACE);
            let go_on = &mut |stage: cairn_seam::Stage<'_>| {
                gate.identify_again(&caller).is_ok() && progress.go_on(stage)
            };
            engine.create_kip_index(&principal, principal.tenant(), space, &job.kind, &job.field, go_on)
        },
        move |outcome| {
            let line = |index: cairn_engine::KipIndex| Line::Indexed { report: index.into() };
            teller.end(outcome.map(line).map_err(ApiError::from));
        },
    );
    answer(listener).await
}

/// Drop an ordered index
///
/// From now on no query uses it. What it held is removed in pieces, the last of them perhaps after the answer.
#[utoipa::path(
    delete,
    path = "/v1/kip/indexes",
    tag = "kip",
    params(
        ("type" = String, Query, description = "The type of the concepts"),
        ("field" = String, Query, description = "The field that they are sorted by"),
        ("space" = Option<String>, Query, description = "In which space; `memory` if not said"),
    ),
    responses(
        (status = 204, description = "It is gone"),
        (status = 404, description = "There is no such index", body = ErrorBody),
    )
)]
pub(super) async fn remove(call: Call, params: Params) -> Result<StatusCode, ApiError> {
    let said = |name: &'static str| {
        let value = params.text(name)?.map(str::to_owned);
        value.ok_or_else(|| {
            invalid(format!("say which index: type and field, here {name}")).detail("parameter", name)
        })
    };
    let (kind, field) = (said("type")?, said("field")?);
    let space = params.text("space")?.unwrap_or(MEMORY_SPACE).to_owned();
    let dropped = call.change(move |engine, principal| {
        engine.drop_kip_index(principal, principal.tenant(), &space, &kind, &field)
    });
    dropped.await?;
    Ok(StatusCode::NO_CONTENT)
}

impl From<cairn_engine::KipIndex> for KipIndex {
    fn from(index: cairn_engine::KipIndex) -> Self {
        let cairn_engine::KipIndex { kind, field, state, entries, concepts, is_automatic } = index;
        KipIndex { kind, field, state: state.to_owned(), entries, concepts, automatic: is_automatic }
    }
}
