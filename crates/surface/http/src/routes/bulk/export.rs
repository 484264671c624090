//! `GET /v1/export`.

use axum::body::Bytes;
use axum::extract::State;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::response::Response;
use cairn_access::Principal;
use cairn_base::{ContextId, TurnId};
use cairn_engine::{Engine, EngineError, Export};
use tokio::sync::mpsc;

use super::data_out::{Paged, page, send};
use super::{body, place};
use crate::ApiError;
use crate::app::AppState;
use crate::call::Asking;
use crate::error::ErrorBody;
use crate::params::{Params, number};

/// The last turn that an export has, for those who show how far it is.
pub(crate) const LAST_TURN: HeaderName = HeaderName::from_static("cairn-last-turn-id");

/// Export turns
///
/// Lines of JSON: a header, the bundles of the registry, contexts, turns and the blobs of their file trees,
/// each before what refers to it, heads of contexts, and an end with counts. `POST /v1/import` takes them.
/// What is written meanwhile is left out. An answer without its end was cut; `after_turn` goes on behind
/// the last turn that came.
#[utoipa::path(
    get,
    path = "/v1/export",
    tag = "turns",
    params(
        ("contexts" = Option<String>, Query, description = "Only these contexts, and everything they reach: ids with commas between them"),
        ("after_turn" = Option<String>, Query, description = "Without the turns up to this one"),
    ),
    responses(
        (status = 200, description = "Lines of JSON", body = String, content_type = "application/x-ndjson"),
        (status = 404, description = "There is no such context", body = ErrorBody),
        (status = 422, description = "A parameter is wrong", body = ErrorBody),
        (status = 503, description = "Too many exports and imports are under way", body = ErrorBody),
    )
)]
pub(super) async fn export(
    State(app): State<AppState>,
    Asking(caller): Asking,
    headers: HeaderMap,
    params: Params,
) -> Result<Response, ApiError> {
    params.only(&["contexts", "after_turn"])?;
    let place = place(&app)?;
    let contexts: Vec<_> = match params.text("contexts")? {
        None | Some("") => Vec::new(),
        Some(list) => {
            let ids = list.split(',').map(|id| number("the id of a context", id).map(ContextId));
            ids.collect::<Result<_, _>>()?
        }
    };
    let after = params.turn("after_turn")?.unwrap_or(TurnId::NONE);
    let export = Export::new(caller.principal().tenant(), &contexts, after);
    // What is wrong with the parameters shows in the first page, while there is a status to say it with.
    let (export, first) = page(&app, &caller, export).await?;
    let last = export.progress().1;
    // One piece waits while the one before it is sent.
    let (pieces, rest) = mpsc::channel(1);
    tokio::spawn(send(app, caller, export, place, pieces));
    let mut answer = body::answer(&headers, Some(first), rest);
    let media_type = HeaderValue::from_static("application/x-ndjson");
    answer.headers_mut().extend([(CONTENT_TYPE, media_type), (LAST_TURN, HeaderValue::from(last.0))]);
    Ok(answer)
}

impl Paged for Export {
    fn is_done(&self) -> bool {
        Export::is_done(self)
    }

    fn page(&mut self, engine: &Engine, principal: &Principal) -> Result<Bytes, EngineError> {
        Ok(engine.export_lines(principal, self)?.into())
    }
}
