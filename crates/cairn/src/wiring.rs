//! The engine, and the settings of gate and surfaces, out of the configuration.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use cairn_base::{Clock, SystemEntropy};
use cairn_binary::BinaryConfig;
use cairn_engine::{CompactionPolicy, Engine, EngineConfig, SearchHome, SearchMode, Signing, SleepPolicy};
use cairn_gate::{Authentication, GateConfig};
use cairn_http::HttpConfig;
use cairn_kb::SparqlEndpoint;
use cairn_outbound::{AddressFilter, OutboundConfig, SparqlClient, SparqlConfig};
use cairn_seam::{ScrubPolicy, Store};

use crate::config::Config;
use crate::failure::Failure;
use crate::node_id::NodeIdentity;

/// How often the store tidies up.
const UPKEEP_EVERY: Duration = Duration::from_secs(1);

/// The kind of process that opens a store. Everything else about its engine is the same for all of them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Process {
    /// A server, which does everything that the configuration asks for.
    Server,
    /// A process that owns a data directory beside other work, and answers at its socket. It looks after the
    /// store, and runs no sleep cycles: nobody expects it to remove anything.
    Owner,
    /// A command. It does what it was asked for and nothing else, and no client addresses it.
    Command {
        /// Whether it needs an index that follows the feed.
        keeps_index: bool,
    },
}

/// An engine over a store in a data directory or in memory.
pub(crate) fn engine(
    store: Arc<dyn Store>,
    clock: Arc<dyn Clock>,
    config: &Config,
    dir: Option<&Path>,
    process: Process,
) -> Result<Arc<Engine>, Failure> {
    let config = engine_config(config, dir, process)?;
    Ok(Engine::open(store, clock, Arc::new(SystemEntropy), config)?)
}

/// Settings of the engine: what the configuration says, and what a process of this kind does by itself.
fn engine_config(config: &Config, dir: Option<&Path>, process: Process) -> Result<EngineConfig, Failure> {
    let identity = Arc::new(NodeIdentity::of(dir));
    let settings = EngineConfig {
        compaction: CompactionPolicy {
            every: config.compact_every,
            keep_changes: config.compact_keep_changes,
        },
        search: match (search(config, dir), process) {
            (None, _) => SearchMode::Off,
            (Some(home), Process::Command { keeps_index: false }) => SearchMode::Located(home),
            (Some(home), _) => SearchMode::Kept(home),
        },
        strict_types: config.turns_strict_types,
        remember_keys: config.turns_remember_keys,
        auto_indexes: usize::try_from(config.graph_auto_indexes).unwrap_or(usize::MAX),
        graph_cache_bytes: config.graph_cache_bytes,
        signing: Some(Arc::clone(&identity) as Arc<dyn Signing>),
        keep_deleted_content: config.artifacts_keep_deleted,
        sparql: sparql(config)?,
        ..EngineConfig::default()
    };
    let sleep = SleepPolicy { every: config.sleep_every, apply: config.sleep_apply };
    Ok(match process {
        Process::Command { .. } => settings,
        Process::Owner => watched(settings, config, &identity)?,
        Process::Server => EngineConfig { sleep, ..watched(settings, config, &identity)? },
    })
}

/// Settings of a process that has the store open for long, and that clients address.
fn watched(
    settings: EngineConfig,
    config: &Config,
    identity: &NodeIdentity,
) -> Result<EngineConfig, Failure> {
    Ok(EngineConfig {
        audience: identity.node_id(config.auth_required)?,
        scrub: config.scrub_every.map(|every| ScrubPolicy { rate: config.scrub_rate, every }),
        upkeep_every: Some(UPKEEP_EVERY),
        ..settings
    })
}

/// The client for SPARQL endpoints elsewhere, if the configuration asks for one.
fn sparql(config: &Config) -> Result<Option<Arc<dyn SparqlEndpoint>>, Failure> {
    if !config.kb_sparql_remote {
        return Ok(None);
    }
    let filter = match config.kb_sparql_allow_private {
        true => AddressFilter::PrivateToo,
        false => AddressFilter::PublicOnly,
    };
    let outbound = OutboundConfig { filter, ..OutboundConfig::default() };
    let client = SparqlClient::new(&SparqlConfig { outbound, ..SparqlConfig::default() });
    let client = client.map_err(|error| Failure::new(format!("remote SPARQL cannot start: {error}")))?;
    Ok(Some(Arc::new(client)))
}

/// Where the search index of a data directory is kept, or one in memory without a directory; `None` where
/// search is switched off.
fn search(config: &Config, dir: Option<&Path>) -> Option<SearchHome> {
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
        ..HttpConfig::default()
    }
}

/// Limits of the binary protocol.
pub(crate) fn binary(config: &Config) -> BinaryConfig {
    BinaryConfig { drain: config.http_deadline, ..BinaryConfig::default() }
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
        let hour = Duration::from_secs(3600);
        let config =
            Config { sleep_every: Some(hour), sleep_apply: true, search_enabled: false, ..Config::default() };
        let is_there_later = |process| {
            let clock = Arc::new(ManualClock::new(1_700_000_000_000));
            let store = Arc::new(MemoryStore::new(Arc::clone(&clock) as Arc<dyn Clock>));
            let engine = engine(store, Arc::clone(&clock) as Arc<dyn Clock>, &config, None, process).unwrap();
            let ask = |text: &str| {
                let command =
                    Value::Object([("command".to_owned(), Value::from(text))].into_iter().collect());
                let request = KipRequest::decode(command).unwrap();
                let answer = engine.kip(&Principal::local_owner(), TenantId::LOCAL, &request).unwrap();
                answer.into_value().get("result").is_some()
            };
            assert!(ask(r#"UPSERT { CONCEPT { {type: "Domain", name: "Old"} } }
                WITH METADATA { expires_at: "2020-01-01T00:00:00Z" }"#));
            clock.advance(hour);
            engine.upkeep_once().unwrap();
            let is_there = ask(r#"FIND(?d) WHERE { ?d {type: "Domain", name: "Old"} }"#);
            engine.close().unwrap();
            is_there
        };
        assert!(is_there_later(Process::Command { keeps_index: false }));
        assert!(is_there_later(Process::Owner));
        assert!(!is_there_later(Process::Server));
    }

    #[test]
    fn processes_differ_only_in_what_they_do_by_themselves() {
        let config = Config {
            graph_auto_indexes: 3,
            graph_cache_bytes: 77,
            turns_strict_types: true,
            compact_keep_changes: Some(Duration::from_secs(5)),
            artifacts_keep_deleted: None,
            ..Config::default()
        };
        let of = |process| engine_config(&config, None, process).unwrap();
        let (command, server) = (of(Process::Command { keeps_index: false }), of(Process::Server));
        let same = |settings: &EngineConfig| {
            let EngineConfig {
                compaction,
                strict_types,
                remember_keys,
                auto_indexes,
                graph_cache_bytes,
                keep_deleted_content,
                ..
            } = *settings;
            (compaction, strict_types, remember_keys, auto_indexes, graph_cache_bytes, keep_deleted_content)
        };
        assert_eq!(same(&command), same(&server));
        assert_eq!((command.auto_indexes, command.strict_types), (3, true));
        assert_eq!(command.keep_deleted_content, None);
        assert!(command.signing.is_some() && server.signing.is_some());
        assert!(matches!(command.search, SearchMode::Located(_)));
        assert!(matches!(of(Process::Command { keeps_index: true }).search, SearchMode::Kept(_)));
        assert_eq!((command.upkeep_every, command.scrub, command.sleep.every), (None, None, None));
        assert!(server.upkeep_every.is_some() && server.scrub.is_some());
    }
}
