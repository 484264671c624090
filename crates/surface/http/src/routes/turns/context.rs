//! A context as JSON.

use cairn_engine::Presence;
use cairn_turns::Context;
use serde::Serialize;
use utoipa::ToSchema;

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
    /// Whether somebody works on it now.
    #[serde(flatten)]
    live: Live,
}

impl ContextObject {
    pub(super) fn to_wire(context: &Context, presence: &Presence<'_>) -> Self {
        ContextObject {
            context_id: context.id.to_string(),
            head_turn_id: context.head.to_string(),
            head_depth: context.head_depth,
            created_at_unix_ms: context.created_at_ms,
            base_turn_id: context.base.to_string(),
            last_activity_at: context.active_at_ms,
            live: Live::of(presence, context.id),
        }
    }
}
