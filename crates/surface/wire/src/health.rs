//! Whether a server is up, and ready.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::scrub::ScrubDetails;

/// A state in one word.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Status {
    /// `up`.
    #[schema(example = "up")]
    pub status: String,
}

/// A server that can do its work.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Ready {
    /// `ready`.
    #[schema(example = "ready")]
    pub status: String,
    /// Background verification of files, where it is on; only where callers need not authenticate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scrub: Option<ScrubDetails>,
}
