//! Limits of the program itself. All limits of cairn together are in `docs/limits.md`.

use std::time::Duration;

use cairn_base::MIB;

/// Bytes of a file with payloads of `cairn kb upsert`.
pub(crate) const KB_PAYLOADS_BYTES_MAX: usize = 64 * MIB;
/// Times that a call of the KB is tried again while the node or the branch is busy.
pub(crate) const KB_RETRIES_MAX: u32 = 6;
/// Pause before the first of them; each later one is twice as long.
pub(crate) const KB_RETRY_AFTER: Duration = Duration::from_millis(100);
/// Threads that read documents.
pub(crate) const KB_READERS: usize = 2;
/// Documents that a thread reads before it takes the next ones.
pub(crate) const KB_READ_BATCH: usize = 64;
/// Problems of documents that a sync lists; more are counted.
pub(crate) const KB_FINDINGS_MAX: usize = 1_000;
/// Differences between documents and KB that a status lists; more are counted.
pub(crate) const KB_STALE_REASONS_MAX: usize = 50;
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
