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
/// Threads that read documents.
pub(crate) const KB_READERS: usize = 2;
/// Documents that a thread reads before it takes the next ones.
pub(crate) const KB_READ_BATCH: usize = 64;
/// Problems of documents that a sync lists; more are counted.
pub(crate) const KB_FINDINGS_MAX: usize = 1_000;
/// Differences between documents and KB that a status lists; more are counted.
pub(crate) const KB_STALE_REASONS_MAX: usize = 50;
/// Fields that an export would lose and that are named.
pub(crate) const KB_LOST_FIELDS_MAX: usize = 10;
/// Times that a sync begins again because git changed the tree meanwhile.
pub(crate) const KB_SYNC_ATTEMPTS_MAX: u32 = 10;
/// Age of the index and `HEAD` of git before documents are read.
pub(crate) const KB_SETTLE_AFTER: Duration = Duration::from_millis(60);
/// How often git is looked at until then.
pub(crate) const KB_SETTLE_TRY_EVERY: Duration = Duration::from_millis(10);
/// Times that git is looked at; then documents are read in spite of a lock.
pub(crate) const KB_SETTLE_TRIES_MAX: u32 = 200;
/// Events about documents that wait until `sync --watch` takes them; one stands for all that follow.
pub(crate) const KB_WATCH_EVENTS_MAX: usize = 64;
/// Times that folders are listed before a pass until all of them are watched.
pub(crate) const KB_WATCH_ROUNDS_MAX: u32 = 10;
/// Networks whose clients need no token.
pub(crate) const TRUSTED_NETWORKS_MAX: usize = 64;
/// How often the files with certificates and their keys are looked at.
pub(crate) const TLS_FILES_EVERY: Duration = Duration::from_secs(1);
/// Bytes that `git diff` prints about staged files.
pub(crate) const GIT_DIFF_BYTES_MAX: usize = 64 * MIB;
/// Bytes of a message of git, and of paths that it prints.
pub(crate) const GIT_MESSAGE_BYTES_MAX: usize = 64 * KIB;
/// Staged files of one check.
pub(crate) const GIT_STAGED_FILES_MAX: usize = 10_000;
/// Lines about staged changes that are shown; more findings are counted.
pub(crate) const KB_STAGED_LINES_MAX: usize = 50;
/// Removed requirements whose code is searched by one check.
pub(crate) const KB_STAGED_GONE_MAX: usize = 1_000;
/// Bytes of a git hook that cairn changes.
pub(crate) const HOOK_BYTES_MAX: usize = MIB;
