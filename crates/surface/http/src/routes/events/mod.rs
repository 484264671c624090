//! `GET /v1/events` and `GET /v1/contexts/{context_id}/events`: what happens, as it happens; and the streams of
//! `GET /kcp/v1/events`.
//!
//! Streams stand outside of admission and deadline: they hold nobody's turn while nothing happens.

mod hub;
mod source;
mod stream;
mod timeline;
mod wire;

use std::collections::HashMap;
use std::sync::{Arc, Weak};

use axum::body::Body;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query, State};
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::http::{HeaderMap, HeaderName};
use axum::response::{IntoResponse, Response};
use cairn_access::Principal;
use cairn_base::{ContextId, ErrorCode, TenantId};
use cairn_engine::{Engine, EventIds, Place};
use cairn_gate::{Caller, Gate, GateError};
use cairn_seam::StoreCode;
use parking_lot::Mutex;
use serde::Deserialize;
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use utoipa::IntoParams;

use self::hub::Hub;
pub(in crate::routes) use self::source::Follow;
use self::stream::Stream;
use crate::ApiError;
use crate::app::AppState;
use crate::call::Asking;
use crate::error::ErrorBody;

const LAST_EVENT_ID: HeaderName = HeaderName::from_static("last-event-id");

/// Every stream of a server.
#[derive(Debug)]
pub(crate) struct Streams {
    seats: Arc<Semaphore>,
    max: usize,
    stopping: watch::Sender<bool>,
    hubs: Mutex<HashMap<TenantId, Weak<Hub>>>,
}

/// A stream's place among those there may be.
struct Seat {
    _permit: OwnedSemaphorePermit,
}

impl Streams {
    /// At most `max` at once.
    pub(crate) fn new(max: usize) -> Self {
        let max = max.min(Semaphore::MAX_PERMITS);
        Streams {
            seats: Arc::new(Semaphore::new(max)),
            max,
            stopping: watch::channel(false).0,
            hubs: Mutex::default(),
        }
    }

    /// Ends all of them; their clients come back when the server does.
    pub(crate) fn stop(&self) {
        self.stopping.send_replace(true);
    }

    /// How many there are.
    pub(crate) fn count(&self) -> usize {
        self.max - self.seats.available_permits()
    }

    fn stopping(&self) -> watch::Receiver<bool> {
        self.stopping.subscribe()
    }

    fn sit_down(&self) -> Result<Seat, ApiError> {
        if *self.stopping.borrow() {
            return Err(GateError::Unavailable.into());
        }
        let permit = Arc::clone(&self.seats).try_acquire_owned();
        permit.map(|permit| Seat { _permit: permit }).map_err(|_| {
            let message =
                format!("{} streams of events are open already; close one, or come back later", self.max);
            ApiError::new(ErrorCode::Overloaded, message)
        })
    }

    fn hub(&self, gate: &Gate, principal: &Principal) -> Result<Arc<Hub>, GateError> {
        let mut hubs = self.hubs.lock();
        let running = hubs.get(&principal.tenant()).and_then(Weak::upgrade);
        if let Some(hub) = running.filter(|hub| !hub.timeline.has_ended()) {
            return Ok(hub);
        }
        let hub = Hub::start(gate, principal)?;
        hubs.retain(|_, hub| hub.strong_count() > 0);
        hubs.insert(principal.tenant(), Arc::downgrade(&hub));
        Ok(hub)
    }
}

/// Where a stream begins.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct Resume {
    /// The id of the last event that was seen, as in the header `Last-Event-ID`, which counts more.
    #[serde(default)]
    last_event_id: String,
}

/// Everything that happens
///
/// Server-sent events: `connected` first, then `context_created`, `context_metadata_updated`,
/// `turn_appended`, `tree_attached` and `context_pruned` in the order in which they were committed, each
/// with an id; `client_connected` and `client_disconnected` have none. Whoever sends the id of the last
/// event gets exactly what came after it; without one the stream begins now. An id is opaque, and good in the
/// caller's tenant alone. `reset` says that something was missed that cannot be told again: read what is
/// there, the stream goes on. It comes first where clients may have come or gone since the id. A comment and an id come every 15 seconds in which nothing is told.
#[utoipa::path(
    get,
    path = "/v1/events",
    tag = "events",
    params(Resume, ("Last-Event-ID" = Option<String>, Header, description = "The id of the last event that was seen")),
    responses(
        (status = 200, description = "Events until one of the two sides ends it", body = String, content_type = "text/event-stream"),
        (status = 412, description = "The id is ahead of this server: it is from before a restore", body = ErrorBody),
        (status = 422, description = "The id is none that this server gave to the caller's tenant", body = ErrorBody),
        (status = 503, description = "There are too many streams; Retry-After says when to come back", body = ErrorBody),
    )
)]
pub(super) async fn all_events(
    State(app): State<AppState>,
    Asking(caller): Asking,
    headers: HeaderMap,
    resume: Result<Query<Resume>, QueryRejection>,
) -> Result<Response, ApiError> {
    open(app, caller, &headers, &said(resume)?, Follow::Turns(None)).await
}

/// Everything that happens to one context
///
/// As `/v1/events`, with what happens to this context: that it was made or pruned, what its first turn says
/// of it, turns appended to it, trees attached to those, and clients that went after they had worked on
/// it. Of one that was pruned the rest can be heard by whoever comes back with an id.
#[utoipa::path(
    get,
    path = "/v1/contexts/{context_id}/events",
    tag = "events",
    params(
        ("context_id" = String, Path, pattern = "^[0-9]{1,20}$", example = "1", description = "The context's number"),
        Resume,
        ("Last-Event-ID" = Option<String>, Header, description = "The id of the last event that was seen"),
    ),
    responses(
        (status = 200, description = "Events until one of the two sides ends it", body = String, content_type = "text/event-stream"),
        (status = 404, description = "There is no such context", body = ErrorBody),
        (status = 412, description = "The id is ahead of this server: it is from before a restore", body = ErrorBody),
        (status = 422, description = "The id is none that this server gave to the caller's tenant", body = ErrorBody),
        (status = 503, description = "There are too many streams; Retry-After says when to come back", body = ErrorBody),
    )
)]
pub(super) async fn context_events(
    State(app): State<AppState>,
    Asking(caller): Asking,
    context: Result<Path<String>, PathRejection>,
    headers: HeaderMap,
    resume: Result<Query<Resume>, QueryRejection>,
) -> Result<Response, ApiError> {
    let context = context.ok().and_then(|Path(context)| context.parse().ok());
    let context = context
        .ok_or_else(|| ApiError::new(ErrorCode::InvalidRequest, "the address has no number of a context"))?;
    open(app, caller, &headers, &said(resume)?, Follow::Turns(Some(ContextId(context)))).await
}

/// What the address says of where to go on.
fn said(query: Result<Query<Resume>, QueryRejection>) -> Result<String, ApiError> {
    let query = query.map_err(|rejection| ApiError::new(ErrorCode::InvalidRequest, rejection.body_text()))?;
    Ok(query.0.last_event_id)
}

/// Opens a stream. `resume` is what the address says of where to go on; empty for nothing.
pub(in crate::routes) async fn open(
    app: AppState,
    caller: Caller,
    headers: &HeaderMap,
    resume: &str,
    follow: Follow,
) -> Result<Response, ApiError> {
    let principal = caller.principal();
    let resume = last_event_id(headers, resume, &app.gate.engine().event_ids(principal))?;
    // Whoever else listens already: it is this one who has to be allowed to.
    app.gate.engine().permit_events(principal).map_err(GateError::from)?;
    let seat = app.streams.sit_down()?;
    if let Follow::Turns(Some(context)) = follow {
        expect_context(&app, principal, context, resume.is_some()).await?;
    }
    let hub = app.streams.hub(&app.gate, principal)?;
    let now = app.gate.engine().position();
    let is_resumed = resume.is_some();
    let after = match resume {
        None => Place::after(now),
        Some(place) if place.position() > now => return Err(ahead()),
        Some(place) => place,
    };
    let body = Body::new(Stream::new(app, hub, caller, follow, after, is_resumed, seat).into_body());
    let headers = [
        (CONTENT_TYPE, "text/event-stream"),
        (CACHE_CONTROL, "no-cache"),
        // Proxies that gather answers would hold back events.
        (HeaderName::from_static("x-accel-buffering"), "no"),
    ];
    Ok((headers, body).into_response())
}

/// Where the client wants to go on. A browser that comes back sends the header, and still the address that
/// it was first called with.
fn last_event_id(
    headers: &HeaderMap,
    in_address: &str,
    ids: &EventIds<'_>,
) -> Result<Option<Place>, ApiError> {
    let header = headers.get(LAST_EVENT_ID).filter(|header| !header.is_empty());
    let id = match header {
        Some(header) => header.to_str().unwrap_or("?"),
        None if in_address.is_empty() => return Ok(None),
        None => in_address,
    };
    ids.place(id).map(Some).ok_or_else(|| {
        let message = "this is not the id of an event; leave it out to begin now";
        ApiError::new(ErrorCode::InvalidRequest, message)
    })
}

/// There is such a context, or there was one, if somebody wants to know what became of it.
async fn expect_context(
    app: &AppState,
    principal: &Principal,
    context: ContextId,
    may_be_gone: bool,
) -> Result<(), ApiError> {
    let admission = app.gate.admit().await?;
    let expect = |engine: &Engine| engine.expect_context(principal, principal.tenant(), context, may_be_gone);
    Ok(app.gate.read_in_place(&admission, expect)?)
}

/// Where the id is and where the server is are not said: both count what every tenant wrote.
fn ahead() -> ApiError {
    let message = "the id is ahead of this server, from before a restore; leave it out to begin now";
    ApiError::new(StoreCode::PositionAhead, message)
}
