//! Metrics for dashboards.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::search::SearchFigures;

/// Figures about the server.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct MetricsAnswer {
    /// When they were taken.
    #[schema(example = "2026-01-30T11:43:20.123Z")]
    pub ts: String,
    /// How long the server has been up.
    pub uptime_seconds: u64,
    /// Memory, in bytes.
    pub memory: MemoryFigures,
    /// Clients of the binary protocol.
    pub sessions: SessionFigures,
    /// How much there is.
    pub objects: ObjectFigures,
    /// Bytes on disk.
    pub storage: StorageFigures,
    /// How much happens, and how long it takes.
    pub perf: PerfFigures,
    /// Answers that were an error, since the start.
    pub errors: ErrorFigures,
    /// How the search is doing.
    pub search: SearchFigures,
}

/// Memory, in bytes, without what the system does not say.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "the names say it all")]
pub struct MemoryFigures {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sys_total_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sys_available_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sys_free_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sys_cached_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sys_swap_total_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sys_swap_free_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process_rss_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process_vmem_bytes: Option<u64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process_open_fds: Option<u64>,
    /// Memory of the process, and memory that is available to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub budget_bytes: Option<u64>,
    /// Share of `budget_bytes` that the process has.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pressure_ratio: Option<f64>,
    /// OK, WARN from 0.60 on, HOT from 0.80, CRITICAL from 0.92.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pressure_level: Option<String>,
}

/// Clients of the binary protocol that are connected.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "the names say it all")]
pub struct SessionFigures {
    pub total: u64,
    /// Those that asked for something within a minute.
    pub active: u64,
    pub idle: u64,
    /// 0 if no client is connected.
    pub last_activity_unix_ms: u64,
}

/// How much there is.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "the names say it all")]
pub struct ObjectFigures {
    pub contexts_total: u64,
    pub turns_total: u64,
    /// 0: blobs are not counted.
    pub blobs_total: u64,
    /// Those that are built in included.
    pub registry_types_total: u64,
    pub registry_bundles_total: u64,
    /// As many as contexts: each has one.
    pub heads_total: u64,
}

/// Bytes on disk.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct StorageFigures {
    /// The log, which holds everything: turns, contexts, types, blobs of up to 64 KiB.
    pub turns_log_bytes: u64,
    /// The index over all of it.
    pub turns_index_bytes: u64,
    /// 0: part of the log and the index.
    pub turns_meta_bytes: u64,
    /// 0: part of the log and the index.
    pub heads_table_bytes: u64,
    /// 0: part of the log, or not counted.
    pub blobs_pack_bytes: u64,
    /// 0: part of the index.
    pub blobs_index_bytes: u64,
    /// The log and the index together, without large blobs and search.
    pub data_dir_total_bytes: u64,
    /// Bytes free on its disk when last looked at; 0 for a store in memory.
    pub data_dir_free_bytes: u64,
}

/// How much happens, a second, and how long it takes. 0 until a second has passed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "the names say it all")]
pub struct PerfFigures {
    pub append_tps_1m: f64,
    pub append_tps_5m: f64,
    /// One for each ten seconds of the last five minutes, the oldest first.
    pub append_tps_history: Vec<f64>,
    pub get_last_tps_1m: f64,
    pub get_last_tps_5m: f64,
    pub get_last_tps_history: Vec<f64>,
    pub get_blob_tps_1m: f64,
    pub get_blob_tps_5m: f64,
    pub get_blob_tps_history: Vec<f64>,
    pub registry_ingest_tps_1m: f64,
    pub registry_ingest_tps_5m: f64,
    pub http_req_tps_1m: f64,
    pub http_req_tps_5m: f64,
    pub http_req_tps_history: Vec<f64>,
    pub http_errors_tps_1m: f64,
    pub http_errors_tps_5m: f64,
    /// Of everything that writes turns.
    pub append_latency_ms: Times,
    pub get_last_latency_ms: Times,
    /// Of reading a blob, or of opening one that is sent piece by piece.
    pub get_blob_latency_ms: Times,
    pub http_latency_ms: Times,
}

/// How long something took at the most, in milliseconds; 0 if it did not happen, 30,000 also if it took
/// longer.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "the names say it all")]
pub struct Times {
    pub p50: f64,
    pub p95: f64,
    pub p99: f64,
    pub max: f64,
    pub count: u64,
}

/// Answers that were an error, since the start.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "the names say it all")]
pub struct ErrorFigures {
    pub total: u64,
    pub by_type: ErrorsByType,
}

/// The same by protocol.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, ToSchema)]
#[expect(missing_docs, reason = "the names say it all")]
pub struct ErrorsByType {
    pub http: u64,
    pub binary: u64,
}
