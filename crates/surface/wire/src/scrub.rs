//! Background verification of files.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Background verification of all files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct ScrubFigures {
    /// Whether files are verified in the background.
    pub enabled: bool,
    /// Bytes per second; null when it is off.
    pub rate_bytes: Option<u64>,
    /// Seconds from the start of one pass to the start of the next; null when it is off.
    pub every_seconds: Option<u64>,
    /// The file that is being verified; null between two passes.
    pub file: Option<String>,
    /// The pass under way; null between two passes. It goes on after a restart.
    pub current: Option<Pass>,
    /// The last pass that was finished; null if none was.
    pub last: Option<Pass>,
    /// Passes finished since the start.
    pub passes: u64,
    /// Bytes verified since the start.
    pub bytes: u64,
    /// Findings since the start.
    pub found: BTreeMap<String, u64>,
    /// Those of them that were repaired.
    pub repaired: BTreeMap<String, u64>,
    /// Damage that is still there.
    pub damaged: BTreeMap<String, u64>,
    /// The same one by one, at most 100 of it.
    pub damage: Vec<Damage>,
}

/// One pass over all files.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = ScrubPass)]
pub struct Pass {
    /// When it began, in Unix milliseconds.
    pub started_at_ms: u64,
    /// When it ended, in Unix milliseconds; null while it runs.
    pub finished_at_ms: Option<u64>,
    /// Bytes verified so far.
    pub verified_bytes: u64,
    /// Files verified so far.
    pub files: u64,
    /// Findings.
    pub found: BTreeMap<String, u64>,
    /// Those of them that were repaired.
    pub repaired: BTreeMap<String, u64>,
}

/// Damage in a file.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = ScrubDamage)]
pub struct Damage {
    /// The file, relative to the data directory.
    pub file: String,
    /// Offset in it.
    pub offset: u64,
    /// What is wrong there.
    pub detail: String,
}

/// The part of it that `/readyz` shows.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[schema(as = ScrubReadiness)]
pub struct ScrubDetails {
    /// When the last pass of background verification was finished, in Unix milliseconds; null if none was.
    pub last_finished_at_ms: Option<u64>,
    /// Damage that is still there, by kind of file. It does not make a server unready by itself.
    pub damaged: BTreeMap<String, u64>,
}
