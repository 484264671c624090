//! The store's part of `GET /v1/admin/stats`.

use cairn_seam::StoreStats;
use serde::Serialize;
use utoipa::ToSchema;

/// Figures of the store; counters count since the start.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct StoreFigures {
    /// What kind of store it is.
    kind: &'static str,
    /// Transactions made durable.
    commits: u64,
    /// Groups of transactions written, one disk sync each.
    groups: u64,
    /// Transactions that gave up or failed without touching the store.
    aborts: u64,
    /// Bytes written to the log.
    log_bytes_written: u64,
    /// Bytes of the log on disk.
    log_bytes: u64,
    /// Segments of the log.
    segments: u64,
    /// Side files of hashed keyspaces.
    side_files: u64,
    /// Bytes of the index file.
    index_bytes: u64,
    /// Bytes published and not yet in the index.
    unapplied_bytes: u64,
    /// Index commits made by the applier.
    applies: u64,
    /// Times a writer had to wait for the applier.
    backpressure: u64,
    /// Transactions waiting in the queue now.
    queued: u64,
    /// Bytes free on the disk when last looked at.
    disk_free_bytes: u64,
}

impl From<&StoreStats> for StoreFigures {
    fn from(stats: &StoreStats) -> Self {
        // Taken apart, so that a figure added to the store cannot be forgotten here.
        let StoreStats {
            kind,
            commits,
            groups,
            aborts,
            log_bytes_written,
            log_bytes,
            segments,
            side_files,
            index_bytes,
            unapplied_bytes,
            applies,
            backpressure,
            queued,
            disk_free_bytes,
        } = *stats;
        StoreFigures {
            kind,
            commits,
            groups,
            aborts,
            log_bytes_written,
            log_bytes,
            segments,
            side_files,
            index_bytes,
            unapplied_bytes,
            applies,
            backpressure,
            queued,
            disk_free_bytes,
        }
    }
}
