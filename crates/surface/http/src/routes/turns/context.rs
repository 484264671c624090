//! A context as JSON.

use cairn_engine::{LiveIn, Presence};
use cairn_turns::{Context, Metadata};
use serde::Serialize;
use serde_json::Value;
use utoipa::ToSchema;

use super::provenance;
use crate::routes::sessions::Live;

/// A context: a name for the newest turn of a chain.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ContextObject {
    /// Its number, in decimal digits.
    #[schema(example = "1")]
    context_id: String,
    /// Its newest turn, in decimal digits; 0 while it is empty.
    #[schema(example = "42")]
    head_turn_id: String,
    /// How many turns are before its newest one; 0 also while it is empty.
    head_depth: u32,
    /// When it was made, in Unix milliseconds.
    created_at_unix_ms: u64,
    /// The turn it was forked from; 0 for one that began empty.
    #[schema(example = "0")]
    base_turn_id: String,
    /// When something was last appended to it, or it was made, in Unix milliseconds.
    last_activity_at: u64,
    /// Whether somebody works on it now. What its first turn says of the client goes before that.
    #[serde(flatten)]
    live: Live,
    /// What it is called.
    #[serde(skip_serializing_if = "Option::is_none")]
    title: Option<String>,
    /// Its labels.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    labels: Vec<String>,
    /// Where it came from, if that was asked for; null if nothing is said of it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(value_type = Option<Object>)]
    provenance: Option<Value>,
}

impl ContextObject {
    /// A context with what its first turn says.
    pub(super) fn to_wire(context: &Context, said: &Metadata, presence: &Presence<'_>) -> Self {
        let live = Live::of(presence, context.id);
        let client_tag = said.client_tag.clone().or(live.client_tag);
        ContextObject {
            context_id: context.id.to_string(),
            head_turn_id: context.head.to_string(),
            head_depth: context.head_depth,
            created_at_unix_ms: context.created_at_ms,
            base_turn_id: context.base.to_string(),
            last_activity_at: context.active_at_ms,
            live: Live { client_tag, ..live },
            title: said.title.clone(),
            labels: said.labels.clone(),
            provenance: None,
        }
    }

    /// The same with where it came from.
    pub(super) fn with_provenance(self, said: &Metadata, live: Option<&LiveIn>) -> Self {
        let provenance = said.provenance.as_ref();
        let provenance = provenance.map_or(Value::Null, |said| provenance::to_wire(said, live));
        ContextObject { provenance: Some(provenance), ..self }
    }
}
