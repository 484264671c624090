//! The store's part of `GET /v1/admin/stats`.

use cairn_seam::{FileStats, StoreStats};
use cairn_wire::stats::StoreFigures;

use crate::IntoWire;

impl IntoWire for StoreStats {
    type Wire = StoreFigures;

    fn into_wire(self) -> StoreFigures {
        // Taken apart, so that a figure added to the store cannot be forgotten here.
        let StoreStats { kind, commits, groups, aborts, queued, files } = self;
        let FileStats {
            log_bytes_written,
            log_bytes,
            segments,
            side_files,
            index_bytes,
            unapplied_bytes,
            applies,
            backpressure,
            disk_free_bytes,
        } = files.unwrap_or_default();
        StoreFigures {
            kind: kind.to_owned(),
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
