//! Clients that are connected.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Who is connected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Sessions {
    /// Every client that is connected, in the order in which they came.
    pub sessions: Vec<ActiveSession>,
    /// What they call themselves, each once.
    pub tags: Vec<String>,
}

/// A client that is connected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ActiveSession {
    /// Its session. Each tenant has its own numbers, which start at 1 whenever the server starts.
    #[schema(example = "3")]
    pub session_id: String,
    /// What it calls itself; empty if it did not say.
    pub client_tag: String,
    /// When it connected, in Unix milliseconds.
    pub connected_at: u64,
    /// When it last asked for something, in Unix milliseconds.
    pub last_activity_at: u64,
    /// How many contexts it made or appended to; the last 1,000 are remembered.
    pub context_count: usize,
    /// From where it connected.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "127.0.0.1:52114")]
    pub peer_addr: Option<String>,
}

/// Who is connected: fields of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Active {
    /// Every client that is connected, in the order in which they came.
    pub active_sessions: Vec<ActiveSession>,
    /// What they call themselves, each once.
    pub active_tags: Vec<String>,
}

/// Whether somebody works on a context now: fields of what is said of it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Live {
    /// Whether a client is connected that made the context or appended to it.
    pub is_live: bool,
    /// What that client calls itself; of a context, what its first turn says comes first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub client_tag: Option<String>,
    /// Its session.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(example = "3")]
    pub session_id: Option<String>,
}
