//! The figures as JSON.

use std::time::Duration;

use cairn_base::to_iso;
use cairn_engine::{Figures, SessionInfo, Tally};
use cairn_wire::figures::{
    ErrorFigures, ErrorsByType, MemoryFigures, MetricsAnswer, ObjectFigures, PerfFigures, SessionFigures,
    StorageFigures, Times,
};

use super::history::{
    ANSWERS, APPENDS, BLOB_TIMES, BLOBS, BUNDLES, Counted, ERRORS, HTTP_TIMES, History, Sample, WINDOW_TIMES,
    WINDOWS, WRITE_TIMES,
};
use super::host::HostMemory;
use crate::IntoWire;
use crate::metrics::HttpTotals;

const MINUTE: Duration = Duration::from_secs(60);
/// Longer times are not told apart.
const LONGEST_MS: f64 = 30_000.0;
/// A client that asked for nothing for longer than this is idle.
const IDLE_MS: u64 = 60_000;
/// From which part of the memory it could have the process is short of it.
const PRESSURE: [(f64, &str); 3] = [(0.92, "CRITICAL"), (0.80, "HOT"), (0.60, "WARN")];

/// What the engine says, and what its parts are made of elsewhere.
pub(super) fn answer(
    figures: &Figures,
    now_ms: u64,
    memory: MemoryFigures,
    sessions: SessionFigures,
    perf: PerfFigures,
    errors: ErrorFigures,
) -> MetricsAnswer {
    let Figures { store, counters, .. } = figures;
    let files = store.files.unwrap_or_default();
    MetricsAnswer {
        ts: time(now_ms),
        uptime_seconds: figures.uptime_ms / 1000,
        memory,
        sessions,
        objects: ObjectFigures {
            contexts_total: counters.contexts,
            turns_total: counters.turns,
            blobs_total: 0,
            registry_types_total: figures.types,
            registry_bundles_total: figures.bundles,
            heads_total: counters.contexts,
        },
        storage: StorageFigures {
            turns_log_bytes: files.log_bytes,
            turns_index_bytes: files.index_bytes,
            turns_meta_bytes: 0,
            heads_table_bytes: 0,
            blobs_pack_bytes: 0,
            blobs_index_bytes: 0,
            data_dir_total_bytes: files.log_bytes + files.index_bytes,
            data_dir_free_bytes: files.disk_free_bytes,
        },
        perf,
        errors,
        search: (&figures.search).into_wire(),
    }
}

/// With milliseconds, always: columns stay as wide as they are.
fn time(ms: u64) -> String {
    let iso = to_iso(i64::try_from(ms).unwrap_or(i64::MAX)).unwrap_or_default();
    let iso = iso.trim_end_matches("+00:00");
    if iso.contains('.') { format!("{iso}Z") } else { format!("{iso}.000Z") }
}

pub(super) fn memory(memory: &HostMemory, open_files: Option<u64>) -> MemoryFigures {
    let HostMemory { total, available, free, cached, swap_total, swap_free, resident, virtual_size } =
        *memory;
    let budget_bytes = resident.zip(available).map(|(resident, available)| resident + available);
    let pressure_ratio = resident
        .zip(budget_bytes)
        .filter(|(_, budget)| *budget > 0)
        .map(|(resident, budget)| resident as f64 / budget as f64);
    MemoryFigures {
        sys_total_bytes: total,
        sys_available_bytes: available,
        sys_free_bytes: free,
        sys_cached_bytes: cached,
        sys_swap_total_bytes: swap_total,
        sys_swap_free_bytes: swap_free,
        process_rss_bytes: resident,
        process_vmem_bytes: virtual_size,
        process_open_fds: open_files,
        budget_bytes,
        pressure_ratio,
        pressure_level: pressure_ratio.map(|ratio| level(ratio).to_owned()),
    }
}

fn level(ratio: f64) -> &'static str {
    PRESSURE.iter().find(|(from, _)| ratio >= *from).map_or("OK", |(_, name)| name)
}

pub(super) fn sessions(sessions: &[SessionInfo], now_ms: u64) -> SessionFigures {
    let is_active = |session: &&SessionInfo| now_ms.saturating_sub(session.active_at_ms) <= IDLE_MS;
    let (total, active) = (sessions.len() as u64, sessions.iter().filter(is_active).count() as u64);
    let last_activity_unix_ms = sessions.iter().map(|session| session.active_at_ms).max().unwrap_or(0);
    SessionFigures { total, active, idle: total - active, last_activity_unix_ms }
}

pub(super) fn errors(http: &HttpTotals, figures: &Figures) -> ErrorFigures {
    let by_type = ErrorsByType { http: http.errors, binary: figures.session_errors };
    ErrorFigures { total: by_type.http + by_type.binary, by_type }
}

pub(super) fn perf(lately: &History, now: &Sample) -> PerfFigures {
    let minute = |counted: Counted| lately.rate(now, MINUTE, counted).unwrap_or(0.0);
    let five_minutes = |counted: Counted| lately.rate(now, 5 * MINUTE, counted).unwrap_or(0.0);
    PerfFigures {
        append_tps_1m: minute(APPENDS),
        append_tps_5m: five_minutes(APPENDS),
        append_tps_history: lately.rates(APPENDS),
        get_last_tps_1m: minute(WINDOWS),
        get_last_tps_5m: five_minutes(WINDOWS),
        get_last_tps_history: lately.rates(WINDOWS),
        get_blob_tps_1m: minute(BLOBS),
        get_blob_tps_5m: five_minutes(BLOBS),
        get_blob_tps_history: lately.rates(BLOBS),
        registry_ingest_tps_1m: minute(BUNDLES),
        registry_ingest_tps_5m: five_minutes(BUNDLES),
        http_req_tps_1m: minute(ANSWERS),
        http_req_tps_5m: five_minutes(ANSWERS),
        http_req_tps_history: lately.rates(ANSWERS),
        http_errors_tps_1m: minute(ERRORS),
        http_errors_tps_5m: five_minutes(ERRORS),
        append_latency_ms: times(lately.times(now, WRITE_TIMES)),
        get_last_latency_ms: times(lately.times(now, WINDOW_TIMES)),
        get_blob_latency_ms: times(lately.times(now, BLOB_TIMES)),
        http_latency_ms: times(lately.times(now, HTTP_TIMES)),
    }
}

fn times(tally: Tally) -> Times {
    let beyond = if tally.count() > 0 { LONGEST_MS } else { 0.0 };
    let at_most = |part| tally.at_most(part).map_or(beyond, |time| time.as_secs_f64() * 1e3);
    Times {
        p50: at_most(0.50),
        p95: at_most(0.95),
        p99: at_most(0.99),
        max: at_most(1.0),
        count: tally.count(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_in_bytes_and_pressure_is_the_process_own() {
        let host = HostMemory { resident: Some(60), available: Some(40), ..HostMemory::default() };
        let figures = memory(&host, Some(7));
        assert_eq!((figures.budget_bytes, figures.pressure_ratio), (Some(100), Some(0.6)));
        let levels = [0.0, 0.59, 0.6, 0.8, 0.92, 1.0].map(level);
        assert_eq!(levels, ["OK", "OK", "WARN", "HOT", "CRITICAL", "CRITICAL"]);
        let unknown = memory(&HostMemory::default(), None);
        assert_eq!((unknown.pressure_ratio, unknown.pressure_level), (None, None));
    }

    #[test]
    fn times_have_their_milliseconds() {
        assert_eq!(time(1_700_000_000_000), "2023-11-14T22:13:20.000Z");
        assert_eq!(time(1_700_000_000_007), "2023-11-14T22:13:20.007Z");
    }
}
