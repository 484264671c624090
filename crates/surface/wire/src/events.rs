//! Live events: the data of each, by the name of the event.

use cairn_base::{ContextId, TurnId};
use serde::{Deserialize, Serialize};

use crate::sessions::Live;

/// `connected`: the first event of a stream. Its id is where the stream begins.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Connected {}

/// `reset`: a client has to read a snapshot.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reset {
    /// Why.
    pub reason: ResetReason,
}

/// Why a client has to read a snapshot.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ResetReason {
    /// The history after its last event is gone.
    HistoryGone,
    /// It did not hear of every client that came and went.
    SessionsMissed,
}

/// `context_created`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextCreated {
    /// The context.
    #[serde(with = "crate::digits")]
    pub context_id: ContextId,
    /// The client that made it, if it is connected.
    #[serde(flatten)]
    pub live: Live,
    /// When, in Unix milliseconds.
    pub created_at: u64,
}

/// `turn_appended`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TurnAppended {
    /// The context it was appended to.
    #[serde(with = "crate::digits")]
    pub context_id: ContextId,
    /// The turn.
    #[serde(with = "crate::digits")]
    pub turn_id: TurnId,
    /// The turn before it; 0 for the first one.
    #[serde(with = "crate::digits")]
    pub parent_turn_id: TurnId,
    /// How many turns are before it.
    pub depth: u32,
    /// What its writer says it is.
    pub declared_type_id: String,
    /// The version of that type.
    pub declared_type_version: u32,
    /// When, in Unix milliseconds.
    pub created_at: u64,
}

/// `tree_attached`: a turn got a file tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TreeAttached {
    /// The context of the turn.
    #[serde(with = "crate::digits")]
    pub context_id: ContextId,
    /// The turn.
    #[serde(with = "crate::digits")]
    pub turn_id: TurnId,
    /// The root of the tree, a blob.
    pub fs_root_hash: String,
}

/// `context_metadata_updated`: what the first turn of a context says about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct MetadataUpdated {
    /// The context.
    #[serde(with = "crate::digits")]
    pub context_id: ContextId,
    /// Whether it says where the context came from.
    pub has_provenance: bool,
    /// The client.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub client_tag: Option<String>,
    /// The title.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// The labels.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub labels: Vec<String>,
}

/// `context_pruned`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ContextPruned {
    /// The context.
    #[serde(with = "crate::digits")]
    pub context_id: ContextId,
}

/// `client_connected`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientConnected {
    /// Its session.
    pub session_id: String,
    /// What it calls itself; empty if it did not say.
    pub client_tag: String,
}

/// `client_disconnected`.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ClientDisconnected {
    /// Its session.
    pub session_id: String,
    /// What it calls itself; empty if it did not say.
    pub client_tag: String,
    /// The contexts that it made or appended to.
    #[serde(with = "crate::digits::list")]
    pub contexts: Vec<ContextId>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_said_is_left_out() {
        let text = r#"{"context_id":"7","has_provenance":false}"#;
        let updated: MetadataUpdated = serde_json::from_str(text).expect("its own text");
        assert_eq!(serde_json::to_string(&updated).expect("plain data"), text);
        let text = r#"{"session_id":"3","client_tag":"a","contexts":["7","8"]}"#;
        let gone: ClientDisconnected = serde_json::from_str(text).expect("its own text");
        assert_eq!(gone.contexts, [ContextId(7), ContextId(8)]);
        assert_eq!(serde_json::to_string(&gone).expect("plain data"), text);
    }
}
