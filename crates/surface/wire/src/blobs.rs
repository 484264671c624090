//! Blobs.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A blob that is there now.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct Stored {
    /// Its name: BLAKE3-256, in hexadecimal digits.
    pub hash: String,
    /// Its length.
    pub bytes: u64,
    /// Whether it was not there before.
    pub was_new: bool,
}
