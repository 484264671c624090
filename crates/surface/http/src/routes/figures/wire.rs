//! The figures as JSON.

use std::time::Duration;

use cairn_base::to_iso;
use cairn_engine::{Figures, SessionInfo, Tally};
use serde::Serialize;
use utoipa::ToSchema;

use super::history::{
    ANSWERS, APPENDS, BLOB_TIMES, BLOBS, BUNDLES, Counted, ERRORS, HTTP_TIMES, History, Sample, WINDOW_TIMES,
    WINDOWS, WRITE_TIMES,
};
use super::host::HostMemory;
use crate::metrics::HttpTotals;
use crate::routes::search::status::SearchFigures;

const MINUTE: Duration = Duration::from_secs(60);
/// Longer times are not told apart.
const LONGEST_MS: f64 = 30_000.0;
/// A client that asked for nothing for longer than this is idle.
const IDLE_MS: u64 = 60_000;
/// From which part of the memory it could have the process is short of it.
const PRESSURE: [(f64, &str); 3] = [(0.92, "CRITICAL"), (0.80, "HOT"), (0.60, "WARN")];

/// Figures about the server.
#[derive(Debug, Serialize, ToSchema)]
pub(in crate::routes) struct MetricsAnswer {
    /// When they were taken.
    #[schema(example = "2026-01-30T11:43:20.123Z")]
    ts: String,
    /// How long the server has been up.
    uptime_seconds: u64,
    /// Memory, in bytes.
    memory: MemoryFigures,
    /// Clients of the binary protocol.
    sessions: SessionFigures,
    /// How much there is.
    objects: ObjectFigures,
    /// Bytes on disk.
    storage: StorageFigures,
    /// How much happens, and how long it takes.
    perf: PerfFigures,
    /// Answers that were an error, since the start.
    errors: ErrorFigures,
    /// How the search is doing.
    search: SearchFigures,
}

/// Memory, in bytes, without what the system does not say.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(super) struct MemoryFigures {
    #[serde(skip_serializing_if = "Option::is_none")]
    sys_total_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sys_available_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sys_free_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sys_cached_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sys_swap_total_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    sys_swap_free_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    process_rss_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    process_vmem_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    process_open_fds: Option<u64>,
    /// Memory of the process, and memory that is available to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    budget_bytes: Option<u64>,
    /// Share of `budget_bytes` that the process has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pressure_ratio: Option<f64>,
    /// OK, WARN from 0.60 on, HOT from 0.80, CRITICAL from 0.92.
    #[serde(skip_serializing_if = "Option::is_none")]
    pressure_level: Option<&'static str>,
}

/// Clients of the binary protocol that are connected.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct SessionFigures {
    total: u64,
    /// Those that asked for something within a minute.
    active: u64,
    idle: u64,
    /// 0 if no client is connected.
    last_activity_unix_ms: u64,
}

/// How much there is.
#[derive(Debug, Serialize, ToSchema)]
struct ObjectFigures {
    contexts_total: u64,
    turns_total: u64,
    /// 0: blobs are not counted.
    blobs_total: u64,
    /// Those that are built in included.
    registry_types_total: u64,
    registry_bundles_total: u64,
    /// As many as contexts: each has one.
    heads_total: u64,
}

/// Bytes on disk.
#[derive(Debug, Serialize, ToSchema)]
struct StorageFigures {
    /// The log, which holds everything: turns, contexts, types, blobs of up to 64 KiB.
    turns_log_bytes: u64,
    /// The index over all of it.
    turns_index_bytes: u64,
    /// 0: part of the log and the index.
    turns_meta_bytes: u64,
    /// 0: part of the log and the index.
    heads_table_bytes: u64,
    /// 0: part of the log, or not counted.
    blobs_pack_bytes: u64,
    /// 0: part of the index.
    blobs_index_bytes: u64,
    /// The log and the index together, without large blobs and search.
    data_dir_total_bytes: u64,
    /// Bytes free on its disk when last looked at; 0 for a store in memory.
    data_dir_free_bytes: u64,
}

/// How much happens, a second, and how long it takes. 0 until a second has passed.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct PerfFigures {
    append_tps_1m: f64,
    append_tps_5m: f64,
    /// One for each ten seconds of the last five minutes, the oldest first.
    append_tps_history: Vec<f64>,
    get_last_tps_1m: f64,
    get_last_tps_5m: f64,
    get_last_tps_history: Vec<f64>,
    get_blob_tps_1m: f64,
    get_blob_tps_5m: f64,
    get_blob_tps_history: Vec<f64>,
    registry_ingest_tps_1m: f64,
    registry_ingest_tps_5m: f64,
    http_req_tps_1m: f64,
    http_req_tps_5m: f64,
    http_req_tps_history: Vec<f64>,
    http_errors_tps_1m: f64,
    http_errors_tps_5m: f64,
    /// Of everything that writes turns.
    append_latency_ms: Times,
    get_last_latency_ms: Times,
    /// Of reading a blob, or of opening one that is sent piece by piece.
    get_blob_latency_ms: Times,
    http_latency_ms: Times,
}

/// How long something took at the most, in milliseconds; 0 if it did not happen, 30,000 also if it took
/// longer.
#[derive(Debug, Serialize, ToSchema)]
struct Times {
    p50: f64,
    p95: f64,
    p99: f64,
    max: f64,
    count: u64,
}

/// Answers that were an error, since the start.
#[derive(Debug, Serialize, ToSchema)]
pub(super) struct ErrorFigures {
    total: u64,
    by_type: ErrorsByType,
}

/// The same by protocol.
#[derive(Debug, Serialize, ToSchema)]
struct ErrorsByType {
    http: u64,
    binary: u64,
}

impl MetricsAnswer {
    /// What the engine says, and what its parts are made of elsewhere.
    pub(super) fn new(
        figures: &Figures,
        now_ms: u64,
        memory: MemoryFigures,
        sessions: SessionFigures,
        perf: PerfFigures,
        errors: ErrorFigures,
    ) -> Self {
        let Figures { store, counters, .. } = figures;
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
                turns_log_bytes: store.log_bytes,
                turns_index_bytes: store.index_bytes,
                turns_meta_bytes: 0,
                heads_table_bytes: 0,
                blobs_pack_bytes: 0,
                blobs_index_bytes: 0,
                data_dir_total_bytes: store.log_bytes + store.index_bytes,
                data_dir_free_bytes: store.disk_free_bytes,
            },
            perf,
            errors,
            search: SearchFigures::from(&figures.search),
        }
    }
}

/// With milliseconds, always: columns stay as wide as they are.
fn time(ms: u64) -> String {
    let iso = to_iso(i64::try_from(ms).unwrap_or(i64::MAX)).unwrap_or_default();
    let iso = iso.trim_end_matches("+00:00");
    if iso.contains('.') { format!("{iso}Z") } else { format!("{iso}.000Z") }
}

impl MemoryFigures {
    pub(super) fn new(memory: &HostMemory, open_files: Option<u64>) -> Self {
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
            pressure_level: pressure_ratio.map(level),
        }
    }
}

fn level(ratio: f64) -> &'static str {
    PRESSURE.iter().find(|(from, _)| ratio >= *from).map_or("OK", |(_, name)| name)
}

impl SessionFigures {
    pub(super) fn new(sessions: &[SessionInfo], now_ms: u64) -> Self {
        let is_active = |session: &&SessionInfo| now_ms.saturating_sub(session.active_at_ms) <= IDLE_MS;
        let (total, active) = (sessions.len() as u64, sessions.iter().filter(is_active).count() as u64);
        let last_activity_unix_ms = sessions.iter().map(|session| session.active_at_ms).max().unwrap_or(0);
        SessionFigures { total, active, idle: total - active, last_activity_unix_ms }
    }
}

impl ErrorFigures {
    pub(super) fn new(http: &HttpTotals, figures: &Figures) -> Self {
        let by_type = ErrorsByType { http: http.errors, binary: figures.session_errors };
        ErrorFigures { total: by_type.http + by_type.binary, by_type }
    }
}

impl PerfFigures {
    pub(super) fn new(lately: &History, now: &Sample) -> Self {
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
            append_latency_ms: Times::from(lately.times(now, WRITE_TIMES)),
            get_last_latency_ms: Times::from(lately.times(now, WINDOW_TIMES)),
            get_blob_latency_ms: Times::from(lately.times(now, BLOB_TIMES)),
            http_latency_ms: Times::from(lately.times(now, HTTP_TIMES)),
        }
    }
}

impl From<Tally> for Times {
    fn from(tally: Tally) -> Self {
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
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_in_bytes_and_pressure_is_the_process_own() {
        let memory = HostMemory { resident: Some(60), available: Some(40), ..HostMemory::default() };
        let figures = MemoryFigures::new(&memory, Some(7));
        assert_eq!((figures.budget_bytes, figures.pressure_ratio), (Some(100), Some(0.6)));
        let levels = [0.0, 0.59, 0.6, 0.8, 0.92, 1.0].map(level);
        assert_eq!(levels, ["OK", "OK", "WARN", "HOT", "CRITICAL", "CRITICAL"]);
        let unknown = MemoryFigures::new(&HostMemory::default(), None);
        assert_eq!((unknown.pressure_ratio, unknown.pressure_level), (None, None));
    }

    #[test]
    fn times_have_their_milliseconds() {
        assert_eq!(time(1_700_000_000_000), "2023-11-14T22:13:20.000Z");
        assert_eq!(time(1_700_000_000_007), "2023-11-14T22:13:20.007Z");
    }
}
