//! Who is connected, as JSON: a route of its own, and fields for what is said of contexts.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use cairn_base::ContextId;
use cairn_engine::{LiveIn, Presence, SessionInfo};
use cairn_gate::Admission;
use cairn_wire::sessions::{Active, ActiveSession, Live, Sessions};

use crate::ApiError;
use crate::app::AppState;
use crate::call::Asking;
use crate::error::ErrorBody;

/// Whether a client works on a context now.
pub(crate) fn live(presence: &Presence<'_>, context: ContextId) -> Live {
    live_to_wire(presence.live(context).as_ref())
}

/// The client that works on a context, if there is one.
pub(crate) fn live_to_wire(live: Option<&LiveIn>) -> Live {
    Live {
        is_live: live.is_some(),
        session_id: live.map(|live| live.session.to_string()),
        client_tag: live.map(|live| live.tag.to_string()).filter(|tag| !tag.is_empty()),
    }
}

/// These sessions.
pub(crate) fn active_to_wire(sessions: Vec<SessionInfo>) -> Active {
    let active_sessions: Vec<_> = sessions.into_iter().map(session).collect();
    let tags: BTreeSet<&String> = active_sessions.iter().map(|session| &session.client_tag).collect();
    let active_tags = tags.into_iter().filter(|tag| !tag.is_empty()).cloned().collect();
    Active { active_sessions, active_tags }
}

fn session(session: SessionInfo) -> ActiveSession {
    ActiveSession {
        session_id: session.id.to_string(),
        client_tag: session.tag.to_string(),
        connected_at: session.connected_at_ms,
        last_activity_at: session.active_at_ms,
        context_count: session.contexts,
        peer_addr: session.peer,
    }
}

/// Clients that are connected
///
/// Those of the binary protocol: requests over HTTP come and go, and are no sessions.
#[utoipa::path(
    get,
    path = "/v1/sessions",
    tag = "events",
    responses(
        (status = 200, description = "Every session", body = Sessions),
        (status = 503, description = "Too much is going on; Retry-After says when to come back", body = ErrorBody),
    )
)]
pub(super) async fn sessions(
    State(app): State<AppState>,
    asking: Asking,
    Extension(admission): Extension<Arc<Admission>>,
) -> Result<Json<Sessions>, ApiError> {
    let principal = asking.principal();
    let active = app.gate.read_in_place(&admission, |engine| {
        Ok(active_to_wire(engine.presence(&principal, principal.tenant())?.sessions()))
    })?;
    Ok(Json(Sessions { sessions: active.active_sessions, tags: active.active_tags }))
}
