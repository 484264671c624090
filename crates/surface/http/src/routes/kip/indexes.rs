//! `/v1/kip/indexes`: ordered indexes of the graph.

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use cairn_engine::MEMORY_SPACE;
use cairn_wire::indexes::{IndexJob, KipIndex, KipIndexes};
use cairn_wire::jobs::JobLine;

use crate::app::AppState;
use crate::call::{Asking, Call};
use crate::error::ErrorBody;
use crate::params::{Params, invalid};
use crate::{ApiError, ApiJson, IntoWire, long_job};

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
        call.read(move |engine, principal| engine.ordered_indexes(principal, principal.tenant(), &space));
    let indexes = indexes.await?.into_iter().map(IntoWire::into_wire).collect();
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
        (status = 200, description = "Lines of JSON until it is ready", body = JobLine<KipIndex>, content_type = "application/x-ndjson"),
        (status = 413, description = "The space has as many indexes as it may have", body = ErrorBody),
        (status = 422, description = "There is no such type, it is no such field, or the store is sealed", body = ErrorBody),
    )
)]
pub(super) async fn create(
    State(app): State<AppState>,
    Asking(caller): Asking,
    ApiJson(job): ApiJson<IndexJob>,
) -> Result<Response, ApiError> {
    long_job::run(
        &app,
        caller,
        move |engine, principal, on_stage| {
            let space = job.space.as_deref().unwrap_or(MEMORY_SPACE);
            engine.create_ordered_index(principal, principal.tenant(), space, &job.kind, &job.field, on_stage)
        },
        |outcome| Ok(outcome?.into_wire()),
    )
    .await
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
        engine.drop_ordered_index(principal, principal.tenant(), &space, &kind, &field)
    });
    dropped.await?;
    Ok(StatusCode::NO_CONTENT)
}

impl IntoWire for cairn_engine::OrderedIndex {
    type Wire = KipIndex;

    fn into_wire(self) -> KipIndex {
        let cairn_engine::OrderedIndex { kind, field, state, entries, concepts, is_automatic } = self;
        KipIndex { kind, field, state: state.to_owned(), entries, concepts, automatic: is_automatic }
    }
}
