//! The settings of gate and surfaces, out of the configuration.

use std::path::Path;

use cairn_binary::BinaryConfig;
use cairn_engine::{CompactionPolicy, SearchHome};
use cairn_gate::{Authentication, GateConfig};
use cairn_http::HttpConfig;

use crate::config::Config;

/// How the store is compacted.
pub(crate) fn compaction(config: &Config) -> CompactionPolicy {
    CompactionPolicy { every: config.compact_every, keep_changes: config.compact_keep_changes }
}

/// Where the search index of a data directory is kept, or one in memory without a directory; `None` where
/// search is switched off.
pub(crate) fn search(config: &Config, dir: Option<&Path>) -> Option<SearchHome> {
    let bytes = usize::try_from(config.search_memory_bytes).unwrap_or(usize::MAX);
    // The writer does with less than what waits for it.
    let writer_bytes = bytes / 5 * 2;
    let home = SearchHome {
        folder: dir.map(|dir| dir.join(SearchHome::FOLDER)),
        writer_bytes,
        tail_bytes: bytes - writer_bytes,
    };
    config.search_enabled.then_some(home)
}

/// Bounds on requests.
pub(crate) fn gate(config: &Config) -> GateConfig {
    GateConfig {
        in_flight_max: usize::try_from(config.http_in_flight_max).unwrap_or(usize::MAX),
        waiting_max: usize::try_from(config.http_waiting_max).unwrap_or(usize::MAX),
        deadline: config.http_deadline,
        authentication: if config.auth_required { Authentication::Required } else { Authentication::Off },
        allowance: config.limits,
        ..GateConfig::default()
    }
}

/// Limits and permissions of HTTP.
pub(crate) fn http(config: &Config) -> HttpConfig {
    HttpConfig {
        allowed_origins: config.http_allowed_origins.clone(),
        body_bytes_max: usize::try_from(config.http_body_bytes_max).unwrap_or(usize::MAX),
        drain: config.http_deadline,
        remember_keys: config.turns_remember_keys,
        ..HttpConfig::default()
    }
}

/// Limits of the binary protocol.
pub(crate) fn binary(config: &Config) -> BinaryConfig {
    BinaryConfig {
        drain: config.http_deadline,
        remember_keys: config.turns_remember_keys,
        ..BinaryConfig::default()
    }
}
