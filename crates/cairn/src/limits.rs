//! Limits of the program itself. All limits of cairn together are in `docs/limits.md`.

use std::time::Duration;

use cairn_base::{KIB, MIB};

/// Bytes of a file with payloads of `cairn kb upsert`.
pub(crate) const KB_PAYLOADS_BYTES_MAX: usize = 64 * MIB;
/// Bytes of prose on standard input.
pub(crate) const KB_PROSE_BYTES_MAX: usize = 64 * KIB;
/// Bytes of a file with the context of `cairn kb autopilot`.
pub(crate) const KB_CONTEXT_BYTES_MAX: usize = MIB;
/// Times that a call of the KB is tried again while the node or the branch is busy.
pub(crate) const KB_RETRIES_MAX: u32 = 6;
/// Pause before the first of them; each later one is twice as long.
pub(crate) const KB_RETRY_AFTER: Duration = Duration::from_millis(100);
/// Rows of each table of `cairn kb report`.
pub(crate) const KB_REPORT_ROWS_MAX: u32 = 50_000;
/// The same, unless the command says otherwise.
pub(crate) const KB_REPORT_ROWS_DEFAULT: u32 = 5_000;
/// Times that a report is begun whose branch is written to meanwhile.
pub(crate) const KB_REPORT_TRIES_MAX: u32 = 5;
/// Bytes that git may say about commits.
pub(crate) const KB_GIT_BYTES_MAX: usize = 16 * MIB;
/// Networks whose clients need no token.
pub(crate) const TRUSTED_NETWORKS_MAX: usize = 64;
/// How often the files with certificates and their keys are looked at.
pub(crate) const TLS_FILES_EVERY: Duration = Duration::from_secs(1);
