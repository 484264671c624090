//! `GET /v1/kip/export`.

use axum::body::{Body, Bytes};
use axum::extract::State;
use axum::http::HeaderName;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use cairn_engine::{Engine, KipExport, KipExportOptions, KipForm, KipSelection};
use cairn_gate::{Caller, GateError};
use tokio::sync::{OwnedSemaphorePermit, mpsc};
use tokio::time::timeout;

use super::body::{Piece, Pieces};
use super::{kip_params, place};
use crate::ApiError;
use crate::app::AppState;
use crate::call::Asking;
use crate::error::ErrorBody;
use crate::params::{Params, invalid};

/// How many lines an export has at the most, for those who show how far it is.
pub(crate) const NUMBERS: HeaderName = HeaderName::from_static("cairn-elements-max");

/// Export concepts and links
///
/// UPSERT commands, one a line, or lines of JSON: types and predicates first, then other concepts, then links,
/// each behind what it refers to. `POST /v1/kip/import` takes them. What every space begins with is left out,
/// and so is what cairn itself keeps (ids, `_version`, `_created_at`, `_updated_at`). With `where` only what
/// `select` names is exported, with the ends of links, and the types and predicates that are needed. What is
/// made while it is sent is left out; what is changed meanwhile comes as it was or as it became. An answer that
/// does not end properly was cut.
#[utoipa::path(
    get,
    path = "/v1/kip/export",
    tag = "kip",
    params(
        ("space" = Option<String>, Query, description = "Of which space; `memory` if not said"),
        ("format" = Option<String>, Query, description = "`kip`, which is taken if nothing is said, or `ndjson`"),
        ("where" = Option<String>, Query, description = "What stands between the braces of a WHERE"),
        ("select" = Option<String>, Query, description = "Variables of it, with commas between them"),
    ),
    responses(
        (status = 200, description = "Commands or lines", content(
            (String = "text/plain"),
            (String = "application/x-ndjson"),
        )),
        (status = 422, description = "A parameter is wrong, or there is no such space", body = ErrorBody),
        (status = 503, description = "Too many exports and imports are under way", body = ErrorBody),
    )
)]
pub(super) async fn kip_export(
    State(app): State<AppState>,
    Asking(caller): Asking,
    params: Params,
) -> Result<Response, ApiError> {
    let place = place(&app)?;
    let form = kip_params::form(&params)?.unwrap_or(KipForm::Text);
    let options =
        KipExportOptions { space: kip_params::space(&params)?, form, selection: selection(&params)? };
    let principal = caller.principal().clone();
    let begin = move |engine: &Engine| engine.kip_export_begin(&principal, principal.tenant(), &options);
    let export = app.gate.read_on(begin).await?;
    // Whatever is wrong shows in the first lines, while there is a status to say it with.
    let (mut export, mut first) = page(&app, &caller, export).await?;
    while first.is_empty() && !export.is_done() {
        (export, first) = page(&app, &caller, export).await?;
    }
    let total = export.progress().1;
    let (pieces, rest) = mpsc::channel(1);
    tokio::spawn(send(app, caller, export, place, pieces));
    let first = (!first.is_empty()).then_some(Piece::Bytes(first));
    let body = Body::new(Pieces { first, rest });
    let media_type = match form {
        KipForm::Text => "text/plain; charset=utf-8",
        KipForm::Lines => "application/x-ndjson",
    };
    Ok(([(CONTENT_TYPE, media_type.to_owned()), (NUMBERS, total.to_string())], body).into_response())
}

fn selection(params: &Params) -> Result<Option<KipSelection>, ApiError> {
    match (params.text("where")?, params.text("select")?) {
        (None, None) => Ok(None),
        (Some(pattern), Some(variables)) => Ok(Some(KipSelection {
            pattern: pattern.to_owned(),
            variables: variables.split(',').map(str::to_owned).collect(),
        })),
        (Some(_), None) => Err(invalid("where needs select: variables of it, with commas between them")
            .detail("parameter", "select")),
        (None, Some(_)) => {
            Err(invalid("select needs where: a pattern with its variables").detail("parameter", "where"))
        }
    }
}

/// Reads until the end, or until the client goes away or does not take the next piece in time.
async fn send(
    app: AppState,
    caller: Caller,
    mut export: KipExport,
    _place: OwnedSemaphorePermit,
    pieces: mpsc::Sender<Piece>,
) {
    while !export.is_done() {
        let bytes;
        (export, bytes) = match page(&app, &caller, export).await {
            Ok(next) => next,
            Err(error) => {
                tracing::warn!(%error, "an export of concepts ended early");
                return;
            }
        };
        if bytes.is_empty() {
            continue;
        }
        if !matches!(timeout(app.config.patience, pieces.send(Piece::Bytes(bytes))).await, Ok(Ok(()))) {
            return;
        }
    }
    let _ = timeout(app.config.patience, pieces.send(Piece::End)).await;
}

/// Reads a page on one of the gate's threads.
async fn page(
    app: &AppState,
    caller: &Caller,
    mut export: KipExport,
) -> Result<(KipExport, Bytes), GateError> {
    // For every page: whoever was let in may have been shut out since.
    let principal = app.gate.identify_again(caller)?.principal().clone();
    app.gate
        .read_on(move |engine| {
            let text = engine.kip_export_page(&principal, &mut export)?;
            Ok((export, Bytes::from(text)))
        })
        .await
}
