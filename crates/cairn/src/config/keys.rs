//! The one table of everything that can be configured.

use std::num::NonZeroU64;
use std::path::Path;
use std::time::Duration;

use cairn_graph::limits;

use super::{Config, LogFormat, Raw, parse};

/// One setting.
pub(crate) struct Key {
    /// Its name in `cairn.toml`.
    pub(crate) name: &'static str,
    /// One line for people.
    pub(crate) help: &'static str,
    /// Checks a written value and takes it over, or says what is wrong with it.
    pub(crate) set: fn(&mut Config, &Raw) -> Result<(), String>,
    /// The current value.
    pub(crate) get: fn(&Config) -> Raw,
}

impl Key {
    /// Its environment variable: `http.addr` is `CAIRN_HTTP_ADDR`.
    pub(crate) fn environment(&self) -> String {
        if self.name == KEY_FILE {
            return KEY_FILE_ENVIRONMENT.to_owned();
        }
        format!("CAIRN_{}", self.name.replace('.', "_").to_uppercase())
    }
}

/// The setting that names the key file.
pub(crate) const KEY_FILE: &str = "store.encryption_key_file";
/// Its variable, which is older than the setting.
const KEY_FILE_ENVIRONMENT: &str = "CAIRN_ENCRYPTION_KEY_FILE";

const MIB: u64 = 1 << 20;
const GIB: u64 = 1 << 30;
/// Most requests in a minute that a limit can be set to: more than any node answers.
const COUNT_MAX: u64 = 1_000_000_000;

fn number_or_off(value: Option<NonZeroU64>) -> Raw {
    value.map_or_else(|| Raw::Text("off".to_owned()), |value| Raw::Number(value.get()))
}

/// Every setting, in the order in which `cairn config` shows them.
pub(crate) const KEYS: &[Key] = &[
    Key {
        name: "auth.required",
        help: "on: callers over TCP have to say who they are; needed on addresses that others can reach",
        set: |config, raw| parse::switch(raw).map(|value| config.auth_required = value),
        get: |config| shown_switch(config.auth_required),
    },
    Key {
        name: "binary.addr",
        help: "address and port of the binary protocol of turns; port 0 takes a free one",
        set: |config, raw| parse::address(raw).map(|value| config.binary_addr = value),
        get: |config| Raw::Text(config.binary_addr.to_string()),
    },
    Key {
        name: "binary.trusted_networks",
        help: "networks whose clients of the binary protocol need no token, such as [\"10.1.0.0/16\"]; read SECURITY.md first",
        set: |config, raw| parse::networks(raw).map(|value| config.binary_trusted_networks = value),
        get: |config| Raw::List(config.binary_trusted_networks.iter().map(ToString::to_string).collect()),
    },
    Key {
        name: "binary.trusted_user",
        help: "the user that clients from trusted networks are, as tenant/user",
        set: |config, raw| parse::trusted_user(raw).map(|value| config.binary_trusted_user = value),
        get: |config| Raw::Text(config.binary_trusted_user.clone()),
    },
    Key {
        name: "binary.trusted_role",
        help: "the role that clients from trusted networks have: reader or writer",
        set: |config, raw| parse::trusted_role(raw).map(|value| config.binary_trusted_role = value),
        get: |config| Raw::Text(config.binary_trusted_role.name().to_owned()),
    },
    Key {
        name: "http.addr",
        help: "address and port of the HTTP API; port 0 takes a free one",
        set: |config, raw| parse::address(raw).map(|value| config.http_addr = value),
        get: |config| Raw::Text(config.http_addr.to_string()),
    },
    Key {
        name: "http.allowed_origins",
        help: "origins whose web pages may call the API, such as [\"https://app.example.org\"]",
        set: |config, raw| parse::origins(raw).map(|value| config.http_allowed_origins = value),
        get: |config| Raw::List(config.http_allowed_origins.clone()),
    },
    Key {
        name: "http.body_bytes_max",
        help: "largest body of a request",
        set: |config, raw| parse::bytes(raw, 1024, GIB).map(|value| config.http_body_bytes_max = value),
        get: |config| Raw::Number(config.http_body_bytes_max),
    },
    Key {
        name: "http.deadline_ms",
        help: "milliseconds a request has from its arrival to its answer",
        set: |config, raw| {
            parse::number(raw, 1, 3_600_000).map(|value| config.http_deadline = Duration::from_millis(value))
        },
        get: |config| Raw::Number(u64::try_from(config.http_deadline.as_millis()).unwrap_or(u64::MAX)),
    },
    Key {
        name: "http.in_flight_max",
        help: "requests worked on at once",
        set: |config, raw| parse::number(raw, 1, 65_536).map(|value| config.http_in_flight_max = value),
        get: |config| Raw::Number(config.http_in_flight_max),
    },
    Key {
        name: "http.waiting_max",
        help: "requests that wait for their turn; more are told to come back later",
        set: |config, raw| parse::number(raw, 0, 65_536).map(|value| config.http_waiting_max = value),
        get: |config| Raw::Number(config.http_waiting_max),
    },
    Key {
        name: "tls.cert_file",
        help: "file with the server's certificate in PEM, and those that lead to the root; read again when it changes",
        set: |config, raw| parse::path(raw).map(|value| config.tls_cert_file = value),
        get: |config| shown_path(config.tls_cert_file.as_deref()),
    },
    Key {
        name: "tls.key_file",
        help: "file with the certificate's private key in PEM, readable by its owner alone",
        set: |config, raw| parse::path(raw).map(|value| config.tls_key_file = value),
        get: |config| shown_path(config.tls_key_file.as_deref()),
    },
    Key {
        name: "limits.writes_per_minute",
        help: "requests of one remote user that may change something, in a minute; off for no limit",
        set: |config, raw| {
            parse::number_or_off(raw, COUNT_MAX).map(|value| config.limits.writes_per_minute = value)
        },
        get: |config| number_or_off(config.limits.writes_per_minute),
    },
    Key {
        name: "limits.reads_per_minute",
        help: "requests of one remote user that only read, in a minute; off for no limit",
        set: |config, raw| {
            parse::number_or_off(raw, COUNT_MAX).map(|value| config.limits.reads_per_minute = value)
        },
        get: |config| number_or_off(config.limits.reads_per_minute),
    },
    Key {
        name: "limits.searches_per_minute",
        help: "searches of one remote user, in a minute; off for no limit",
        set: |config, raw| {
            parse::number_or_off(raw, COUNT_MAX).map(|value| config.limits.searches_per_minute = value)
        },
        get: |config| number_or_off(config.limits.searches_per_minute),
    },
    Key {
        name: "limits.upload_bytes_per_minute",
        help: "bytes that one remote user sends in a minute; off for no limit",
        set: |config, raw| {
            parse::bytes_or_off(raw, 1024, 1024 * GIB)
                .map(|value| config.limits.upload_bytes_per_minute = value)
        },
        get: |config| number_or_off(config.limits.upload_bytes_per_minute),
    },
    Key {
        name: "limits.connections",
        help: "connections of one remote user at once; off for no limit",
        set: |config, raw| parse::number_or_off(raw, 65_536).map(|value| config.limits.connections = value),
        get: |config| number_or_off(config.limits.connections),
    },
    Key {
        name: "limits.tenant_factor",
        help: "how many times as much as one user all users of a tenant may do together",
        set: |config, raw| {
            let factor = parse::number(raw, 1, 10_000)?;
            config.limits.tenant_factor = NonZeroU64::new(factor).unwrap_or(NonZeroU64::MIN);
            Ok(())
        },
        get: |config| Raw::Number(config.limits.tenant_factor.get()),
    },
    Key {
        name: "log.format",
        help: "log lines as text for people, or json for machines",
        set: |config, raw| parse::log_format(raw).map(|value| config.log_format = value),
        get: |config| {
            let name = match config.log_format {
                LogFormat::Text => "text",
                LogFormat::Json => "json",
            };
            Raw::Text(name.to_owned())
        },
    },
    Key {
        name: "log.level",
        help: "error, warn, info, debug or trace; or by part: info,cairn_http=debug",
        set: |config, raw| parse::log_level(raw).map(|value| config.log_level = value),
        get: |config| Raw::Text(config.log_level.clone()),
    },
    Key {
        name: "store.segment_bytes",
        help: "size at which a segment of the commit log is closed and the next begun",
        set: |config, raw| {
            parse::bytes(raw, MIB, 4 * GIB - 1).map(|value| config.store_segment_bytes = value)
        },
        get: |config| Raw::Number(config.store_segment_bytes),
    },
    Key {
        name: "store.reserve_bytes",
        help: "disk space that stays free: below it writes are refused and reads go on",
        set: |config, raw| {
            parse::bytes(raw, 0, 1024 * 1024 * GIB).map(|value| config.store_reserve_bytes = value)
        },
        get: |config| Raw::Number(config.store_reserve_bytes),
    },
    Key {
        name: "store.reserve_file_bytes",
        help: "length of the reserve file, which pays for deletions and revocations on a full disk; 0 for none",
        set: |config, raw| parse::bytes(raw, 0, GIB).map(|value| config.store_reserve_file_bytes = value),
        get: |config| Raw::Number(config.store_reserve_file_bytes),
    },
    Key {
        name: "store.cache_bytes",
        help: "memory for reading the index",
        set: |config, raw| parse::bytes(raw, MIB, 1024 * GIB).map(|value| config.store_cache_bytes = value),
        get: |config| Raw::Number(config.store_cache_bytes),
    },
    Key {
        name: KEY_FILE,
        help: "file with the key that seals the store; encryption is chosen when the store is made",
        set: |config, raw| parse::path(raw).map(|value| config.store_encryption_key_file = value),
        get: |config| shown_path(config.store_encryption_key_file.as_deref()),
    },
    Key {
        name: "compact.every",
        help: "how often the server compacts the store by itself, such as 12h or 1d; off for never",
        set: |config, raw| {
            parse::time_or(raw, "off", parse::MINUTE, 365 * parse::DAY)
                .map(|value| config.compact_every = value)
        },
        get: |config| Raw::Text(parse::shown(config.compact_every, "off")),
    },
    Key {
        name: "compact.keep_changes",
        help: "how long changes are kept, such as 30d; older ones go when the store is compacted",
        set: |config, raw| {
            parse::time_or(raw, "all", 0, 36_500 * parse::DAY)
                .map(|value| config.compact_keep_changes = value)
        },
        get: |config| Raw::Text(parse::shown(config.compact_keep_changes, "all")),
    },
    Key {
        name: "scrub.every",
        help: "how often the server verifies all its files in the background, such as 7d; off for never",
        set: |config, raw| {
            parse::time_or(raw, "off", parse::MINUTE, 365 * parse::DAY)
                .map(|value| config.scrub_every = value)
        },
        get: |config| Raw::Text(parse::shown(config.scrub_every, "off")),
    },
    Key {
        name: "scrub.rate",
        help: "bytes per second that the server reads for that",
        set: |config, raw| {
            let rate = parse::bytes(raw, 64 << 10, 64 * GIB)?;
            config.scrub_rate = NonZeroU64::new(rate).unwrap_or(NonZeroU64::MIN);
            Ok(())
        },
        get: |config| Raw::Number(config.scrub_rate.get()),
    },
    Key {
        name: "graph.auto_indexes",
        help: "how many ordered indexes a space may have that the server makes by itself; 0 for none",
        set: |config, raw| {
            let most = limits::GRAPH_INDEXES_MAX as u64;
            parse::number(raw, 0, most).map(|value| config.graph_auto_indexes = value)
        },
        get: |config| Raw::Number(config.graph_auto_indexes),
    },
    Key {
        name: "graph.cache_bytes",
        help: "memory for what was read of graphs lately; 0 for none",
        set: |config, raw| parse::bytes(raw, 0, 1024 * GIB).map(|value| config.graph_cache_bytes = value),
        get: |config| Raw::Number(config.graph_cache_bytes),
    },
    Key {
        name: "kb.sparql_remote",
        help: "on: callers who may read the KB can send SELECT queries to SPARQL endpoints elsewhere",
        set: |config, raw| parse::switch(raw).map(|value| config.kb_sparql_remote = value),
        get: |config| shown_switch(config.kb_sparql_remote),
    },
    Key {
        name: "kb.sparql_allow_private",
        help: "on: those endpoints may have loopback and private addresses; read SECURITY.md first",
        set: |config, raw| parse::switch(raw).map(|value| config.kb_sparql_allow_private = value),
        get: |config| shown_switch(config.kb_sparql_allow_private),
    },
    Key {
        name: "sleep.every",
        help: "how often the server looks for what is past its expires_at, such as 6h or 1d; off for never",
        set: |config, raw| {
            parse::time_or(raw, "off", parse::MINUTE, 365 * parse::DAY)
                .map(|value| config.sleep_every = value)
        },
        get: |config| Raw::Text(parse::shown(config.sleep_every, "off")),
    },
    Key {
        name: "sleep.apply",
        help: "on: what is past its expires_at is removed then; off: the log says how much that would be",
        set: |config, raw| parse::switch(raw).map(|value| config.sleep_apply = value),
        get: |config| shown_switch(config.sleep_apply),
    },
    Key {
        name: "search.enabled",
        help: "on: what was said can be found by its words; off: no index is kept",
        set: |config, raw| parse::switch(raw).map(|value| config.search_enabled = value),
        get: |config| shown_switch(config.search_enabled),
    },
    Key {
        name: "search.memory_bytes",
        help: "memory for what the search index has not written to disk yet, and for writing it",
        set: |config, raw| {
            parse::bytes(raw, 40 * MIB, 16 * GIB).map(|value| config.search_memory_bytes = value)
        },
        get: |config| Raw::Number(config.search_memory_bytes),
    },
    Key {
        name: "turns.remember_keys",
        help: "how long idempotency keys are remembered, such as 2d; at least a day",
        set: |config, raw| {
            parse::time(parse::text(raw)?)
                .filter(|time| (parse::DAY..=3650 * parse::DAY).contains(&time.as_secs()))
                .map(|value| config.turns_remember_keys = value)
                .ok_or_else(|| format!("must be a time from 1d to 3650d such as \"2d\", not {raw}"))
        },
        get: |config| Raw::Text(parse::shown(Some(config.turns_remember_keys), "")),
    },
    Key {
        name: "turns.strict_types",
        help: "on: only turns of published types are taken; off: any",
        set: |config, raw| parse::switch(raw).map(|value| config.turns_strict_types = value),
        get: |config| shown_switch(config.turns_strict_types),
    },
    Key {
        name: "artifacts.keep_deleted",
        help: "retention of the content of deleted artifacts, such as 30d; never: it is never removed",
        set: |config, raw| {
            parse::time_or(raw, "never", 0, 36_500 * parse::DAY)
                .map(|value| config.artifacts_keep_deleted = value)
        },
        get: |config| Raw::Text(parse::shown(config.artifacts_keep_deleted, "never")),
    },
];

fn shown_switch(is_on: bool) -> Raw {
    Raw::Text(if is_on { "on" } else { "off" }.to_owned())
}

/// No path is an empty text.
fn shown_path(path: Option<&Path>) -> Raw {
    Raw::Text(path.map(|path| path.to_string_lossy().into_owned()).unwrap_or_default())
}
