//! The engine, and the settings of gate and surfaces, out of the configuration.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cairn_base::{Clock, SystemEntropy};
use cairn_binary::BinaryConfig;
use cairn_engine::{CompactionPolicy, Engine, SearchHome, SleepPolicy};
use cairn_gate::{Authentication, GateConfig};
use cairn_http::HttpConfig;
use cairn_seam::{ScrubPolicy, Store};

use crate::config::Config;
use crate::failure::Failure;
use crate::node_id;

/// How often the store tidies up.
const UPKEEP_EVERY: Duration = Duration::from_secs(1);

/// An engine that looks after itself, over a store in a data directory or in memory.
pub(crate) fn engine(
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    config: &Config,
    dir: Option<&Path>,
) -> Result<Arc<Engine>, Failure> {
    let engine = Engine::open(store, clock, Arc::new(SystemEntropy))?;
    engine.set_compaction(compaction(config));
    engine.set_strict_types(config.turns_strict_types);
    engine.set_auto_indexes(usize::try_from(config.graph_auto_indexes).unwrap_or(usize::MAX));
    engine.set_graph_cache_bytes(config.graph_cache_bytes);
    if let Some(node_id) = node_id::of(dir, config.auth_required)? {
        engine.set_audience(node_id);
    }
    engine.start_upkeep(UPKEEP_EVERY)?;
    if let Some(home) = search(config, dir) {
        engine.start_search(home)?;
    }
    Ok(engine)
}

/// How the store is compacted.
pub(crate) fn compaction(config: &Config) -> CompactionPolicy {
    CompactionPolicy { every: config.compact_every, keep_changes: config.compact_keep_changes }
}

/// How a server goes to sleep by itself. Others that open a data directory do not: nobody expects it of a command
/// that something is removed meanwhile.
pub(crate) fn sleep(config: &Config) -> SleepPolicy {
    SleepPolicy { every: config.sleep_every, apply: config.sleep_apply }
}

/// How the files of a store are verified in the background. Only by those that have it open for long.
pub(crate) fn scrub(config: &Config) -> Option<ScrubPolicy> {
    config.scrub_every.map(|every| ScrubPolicy { rate: config.scrub_rate, every })
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

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_access::Principal;
    use cairn_base::{ManualClock, TenantId, Value};
    use cairn_kip::KipRequest;
    use cairn_seam::MemoryStore;

    #[test]
    fn only_a_server_removes_what_is_past_its_time_without_being_asked() {
        let clock = Arc::new(ManualClock::new(1_700_000_000_000));
        let hour = Duration::from_secs(3600);
        let config =
            Config { sleep_every: Some(hour), sleep_apply: true, search_enabled: false, ..Config::default() };
        let store = Arc::new(MemoryStore::new(Arc::clone(&clock) as Arc<dyn Clock>));
        let engine = engine(store, Arc::clone(&clock) as Arc<dyn Clock>, &config, None).unwrap();
        let ask = |text: &str| {
            let command = Value::Object([("command".to_owned(), Value::from(text))].into_iter().collect());
            let request = KipRequest::decode(command).unwrap();
            let answer = engine.kip(&Principal::local_owner(), TenantId::LOCAL, &request).unwrap();
            answer.into_value().get("result").is_some()
        };
        let is_there_later = || {
            clock.advance(hour);
            engine.upkeep_once().unwrap();
            ask(r#"FIND(?d) WHERE { ?d {type: "Domain", name: "Old"} }"#)
        };
        assert!(ask(r#"UPSERT { CONCEPT { {type: "Domain", name: "Old"} } }
            WITH METADATA { expires_at: "2020-01-01T00:00:00Z" }"#));
        assert!(is_there_later(), "a command");
        engine.set_sleep(sleep(&config));
        assert!(!is_there_later(), "a server");
        engine.close().unwrap();
    }
}
