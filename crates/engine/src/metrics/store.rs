//! The store's figures: one row each, used by metrics and by `stats` alike.

use cairn_seam::{FileStats, StoreStats};
use serde::Serializer;
use serde::ser::SerializeMap;

use super::{MetricKind, PrometheusText};

struct Row {
    field: &'static str,
    metric: &'static str,
    kind: MetricKind,
    help: &'static str,
    value: u64,
}

#[rustfmt::skip]
fn rows(stats: &StoreStats) -> [Row; 13] {
    use MetricKind::{Counter, Gauge};
    let row = |field, metric, kind, help, value| Row { field, metric, kind, help, value };
    // Taken apart, so that a figure added to the store cannot be forgotten here.
    let StoreStats { kind: _, commits, groups, aborts, queued, files } = *stats;
    let FileStats {
        log_bytes_written, log_bytes, segments, side_files, index_bytes, unapplied_bytes, applies, backpressure,
        disk_free_bytes,
    } = files.unwrap_or_default();
    [
        row("commits", "cairn_store_commits_total", Counter, "Transactions made durable.", commits),
        row("groups", "cairn_store_groups_total", Counter, "Groups of transactions written, one disk sync each.", groups),
        row("aborts", "cairn_store_aborts_total", Counter, "Transactions that gave up or failed without touching the store.", aborts),
        row("log_bytes_written", "cairn_store_log_written_bytes_total", Counter, "Bytes written to the log.", log_bytes_written),
        row("log_bytes", "cairn_store_log_bytes", Gauge, "Bytes of the log on disk.", log_bytes),
        row("segments", "cairn_store_segments", Gauge, "Segments of the log.", segments),
        row("side_files", "cairn_store_side_files", Gauge, "Side files of hashed keyspaces.", side_files),
        row("index_bytes", "cairn_store_index_bytes", Gauge, "Bytes of the index file.", index_bytes),
        row("unapplied_bytes", "cairn_store_unapplied_bytes", Gauge, "Bytes published and not yet in the index.", unapplied_bytes),
        row("applies", "cairn_store_applies_total", Counter, "Index commits made by the applier.", applies),
        row("backpressure", "cairn_store_backpressure_total", Counter, "Times a writer had to wait for the applier.", backpressure),
        row("queued", "cairn_store_queued", Gauge, "Transactions waiting in the queue.", queued),
        row("disk_free_bytes", "cairn_store_disk_free_bytes", Gauge, "Bytes free on the disk when last looked at.", disk_free_bytes),
    ]
}

pub(crate) fn write_store(text: &mut PrometheusText, stats: &StoreStats) {
    for row in rows(stats) {
        text.family(row.metric, row.kind, row.help).integer(&[("store", stats.kind)], row.value);
    }
}

pub(crate) fn serialize_store<S: Serializer>(stats: &StoreStats, serializer: S) -> Result<S::Ok, S::Error> {
    let rows = rows(stats);
    let mut map = serializer.serialize_map(Some(rows.len() + 1))?;
    map.serialize_entry("kind", stats.kind)?;
    for row in rows {
        map.serialize_entry(row.field, &row.value)?;
    }
    map.end()
}
