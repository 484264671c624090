//! `GET /v1/kip/export`.

use std::time::Duration;

use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;
use cairn_access::Principal;
use cairn_engine::{Engine, EngineError, KipExport, KipExportOptions, KipForm, KipSelection};
use tokio::sync::mpsc;
use tokio::time::Instant;

use super::data_out::{Paged, page, send};
use super::{body, kip_params, place};
use crate::ApiError;
use crate::app::AppState;
use crate::call::Asking;
use crate::error::ErrorBody;
use crate::params::{Params, invalid};

/// How many lines an export has at the most, for those who show how far it is.
pub(crate) const NUMBERS: HeaderName = HeaderName::from_static("cairn-elements-max");

/// How long the first lines are waited for before the answer begins.
const FIRST_WITHIN: Duration = Duration::from_secs(1);

/// Export concepts and links
///
/// UPSERT commands, one a line, or lines of JSON: types and predicates first, then other concepts, then links,
/// each behind what it refers to. `POST /v1/kip/import` takes them. What every space begins with is left out,
/// and so is what cairn itself keeps (ids, `_version`, `_created_at`, `_updated_at`). With `where` only what
/// `select` names is exported, with the ends of links, and the types and predicates that are needed. What is
/// made while it is sent is left out; what is changed meanwhile comes as it was or as it became. An answer that
/// does not end properly was cut; with the headers `TE: trailers` and `cairn-end: trailers` it ends with a trailer
/// `cairn-end: whole`, or `cairn-error` with what went wrong as JSON.
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
    headers: HeaderMap,
    params: Params,
) -> Result<Response, ApiError> {
    params.only(&["space", "format", "where", "select"])?;
    let place = place(&app)?;
    let form = kip_params::form(&params)?.unwrap_or(KipForm::Text);
    let options =
        KipExportOptions { space: kip_params::space(&params)?, form, selection: selection(&params)? };
    let principal = caller.principal().clone();
    let begin = move |engine: &Engine| engine.kip_export_begin(&principal, principal.tenant(), &options);
    let mut export = app.gate.read_on(begin).await?;
    // What is wrong with the parameters showed now. Of what else may go wrong, most shows with the first lines,
    // while there is a status to say it with; later it is said at the end.
    let (began, mut first) = (Instant::now(), Bytes::new());
    while first.is_empty() && !export.is_done() && began.elapsed() < FIRST_WITHIN {
        (export, first) = page(&app, &caller, export).await?;
    }
    let total = export.progress().1;
    let (pieces, rest) = mpsc::channel(1);
    tokio::spawn(send(app, caller, export, place, pieces));
    let mut answer = body::answer(&headers, Some(first).filter(|first| !first.is_empty()), rest);
    let media_type = match form {
        KipForm::Text => HeaderValue::from_static("text/plain; charset=utf-8"),
        KipForm::Lines => HeaderValue::from_static("application/x-ndjson"),
    };
    answer.headers_mut().extend([(CONTENT_TYPE, media_type), (NUMBERS, HeaderValue::from(total))]);
    Ok(answer)
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

impl Paged for KipExport {
    fn is_done(&self) -> bool {
        KipExport::is_done(self)
    }

    fn page(&mut self, engine: &Engine, principal: &Principal) -> Result<Bytes, EngineError> {
        Ok(engine.kip_export_page(principal, self)?.into())
    }
}
