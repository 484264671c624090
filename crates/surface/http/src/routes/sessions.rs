//! Who is connected, as JSON: a route of its own, and fields for what is said of contexts.

use std::collections::BTreeSet;
use std::sync::Arc;

use axum::extract::State;
use axum::{Extension, Json};
use cairn_base::ContextId;
use cairn_engine::{Presence, SessionInfo};
use cairn_gate::Admission;
use serde::Serialize;
use utoipa::ToSchema;

use crate::ApiError;
use crate::app::AppState;
use crate::call::Asking;
use crate::error::ErrorBody;

/// Whether somebody works on a context now: fields of what is said of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Live {
    /// Whether a client is connected that made the context or appended to it.
    pub(crate) is_live: bool,
    /// What that client calls itself; of a context, what its first turn says comes first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) client_tag: Option<String>,
    /// Its session.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "3")]
    pub(crate) session_id: Option<String>,
}

impl Live {
    /// How it is now.
    pub(crate) fn of(presence: &Presence<'_>, context: ContextId) -> Self {
        let live = presence.live(context);
        Live {
            is_live: live.is_some(),
            session_id: live.as_ref().map(|live| live.session.to_string()),
            client_tag: live.map(|live| live.tag.to_string()).filter(|tag| !tag.is_empty()),
        }
    }
}

/// Who is connected: fields of a list.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Active {
    /// Every client that is connected, in the order in which they came.
    pub(crate) active_sessions: Vec<ActiveSession>,
    /// What they call themselves, each once.
    pub(crate) active_tags: Vec<String>,
}

/// A client that is connected.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ActiveSession {
    /// Its session. Each tenant has its own numbers, which start at 1 whenever the server starts.
    #[schema(example = "3")]
    session_id: String,
    /// What it calls itself; empty if it did not say.
    client_tag: String,
    /// When it connected, in Unix milliseconds.
    connected_at: u64,
    /// When it last asked for something, in Unix milliseconds.
    last_activity_at: u64,
    /// How many contexts it made or appended to; the last 1,000 are remembered.
    context_count: usize,
    /// From where it connected.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "127.0.0.1:52114")]
    peer_addr: Option<String>,
}

impl Active {
    /// How it is now.
    pub(crate) fn of(presence: &Presence<'_>) -> Self {
        let active_sessions: Vec<_> = presence.sessions().into_iter().map(ActiveSession::from).collect();
        let tags: BTreeSet<&String> = active_sessions.iter().map(|session| &session.client_tag).collect();
        let active_tags = tags.into_iter().filter(|tag| !tag.is_empty()).cloned().collect();
        Active { active_sessions, active_tags }
    }
}

impl From<SessionInfo> for ActiveSession {
    fn from(session: SessionInfo) -> Self {
        ActiveSession {
            session_id: session.id.to_string(),
            client_tag: session.tag.to_string(),
            connected_at: session.connected_at_ms,
            last_activity_at: session.active_at_ms,
            context_count: session.contexts,
            peer_addr: session.peer,
        }
    }
}

/// Who is connected.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct Sessions {
    /// Every client that is connected, in the order in which they came.
    sessions: Vec<ActiveSession>,
    /// What they call themselves, each once.
    tags: Vec<String>,
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
        Ok(Active::of(&engine.presence(&principal, principal.tenant())?))
    })?;
    Ok(Json(Sessions { sessions: active.active_sessions, tags: active.active_tags }))
}
