//! Configuration: defaults, then `cairn.toml`, then `CAIRN_*`, then flags, each over the one before.
//!
//! What can be set is one table, [`keys::KEYS`]; everything else here walks over it.

mod environment;
mod file;
mod keys;
mod nearest;
mod parse;
mod raw;

use std::ffi::OsString;
use std::fmt;
use std::net::SocketAddr;
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};
use std::time::Duration;

use cairn_access::Role;
use cairn_embedded::limits;
use cairn_gate::{Allowance, Network};

use crate::failure::Failure;
pub(crate) use file::template;
pub(crate) use keys::{KEY_FILE, KEYS};
pub(crate) use parse::time;
pub(crate) use raw::Raw;

/// The file in the data directory.
pub(crate) const FILE_NAME: &str = "cairn.toml";

/// Every setting, with its type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Config {
    /// Whether callers over TCP have to say who they are.
    pub(crate) auth_required: bool,
    /// Where HTTP is served.
    pub(crate) http_addr: SocketAddr,
    /// Where the binary protocol is served.
    pub(crate) binary_addr: SocketAddr,
    /// Networks whose clients of the binary protocol need no token.
    pub(crate) binary_trusted_networks: Vec<Network>,
    /// Who they are then, as `tenant/user`; empty if nobody was named.
    pub(crate) binary_trusted_user: String,
    /// What they may do.
    pub(crate) binary_trusted_role: Role,
    /// Origins whose pages may call the server.
    pub(crate) http_allowed_origins: Vec<String>,
    /// Largest request body.
    pub(crate) http_body_bytes_max: u64,
    /// Time a request has.
    pub(crate) http_deadline: Duration,
    /// Requests worked on at once.
    pub(crate) http_in_flight_max: u64,
    /// Requests that may wait for their turn.
    pub(crate) http_waiting_max: u64,
    /// The file with the server's certificate.
    pub(crate) tls_cert_file: Option<PathBuf>,
    /// The file with its key.
    pub(crate) tls_key_file: Option<PathBuf>,
    /// What each remote user may do.
    pub(crate) limits: Allowance,
    /// How log lines look.
    pub(crate) log_format: LogFormat,
    /// Which log lines are printed.
    pub(crate) log_level: String,
    /// Size of one segment of the commit log.
    pub(crate) store_segment_bytes: u64,
    /// Disk space that stays free.
    pub(crate) store_reserve_bytes: u64,
    /// Length of the reserve file.
    pub(crate) store_reserve_file_bytes: u64,
    /// Memory for the index.
    pub(crate) store_cache_bytes: u64,
    /// The file with the key that seals the store.
    pub(crate) store_encryption_key_file: Option<PathBuf>,
    /// How often the store is compacted by itself.
    pub(crate) compact_every: Option<Duration>,
    /// How long changes are kept.
    pub(crate) compact_keep_changes: Option<Duration>,
    /// How often all files are verified in the background.
    pub(crate) scrub_every: Option<Duration>,
    /// Bytes per second that are read for that.
    pub(crate) scrub_rate: NonZeroU64,
    /// How many ordered indexes a space may have that the server makes by itself.
    pub(crate) graph_auto_indexes: u64,
    /// Memory for what was read of graphs lately.
    pub(crate) graph_cache_bytes: u64,
    /// Whether queries are sent to SPARQL endpoints elsewhere.
    pub(crate) kb_sparql_remote: bool,
    /// Whether those may have private addresses.
    pub(crate) kb_sparql_allow_private: bool,
    /// How often the memory goes to sleep by itself.
    pub(crate) sleep_every: Option<Duration>,
    /// Whether what is past its time is removed then.
    pub(crate) sleep_apply: bool,
    /// Whether a search index is kept.
    pub(crate) search_enabled: bool,
    /// Memory for it.
    pub(crate) search_memory_bytes: u64,
    /// How long idempotency keys are remembered.
    pub(crate) turns_remember_keys: Duration,
    /// Whether turns have to be of published types.
    pub(crate) turns_strict_types: bool,
    /// Retention of the content of deleted artifacts.
    pub(crate) artifacts_keep_deleted: Option<Duration>,
}

/// How log lines look.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum LogFormat {
    /// For people.
    Text,
    /// One JSON object per line.
    Json,
}

impl Default for Config {
    fn default() -> Self {
        Config {
            auth_required: false,
            http_addr: SocketAddr::from(([127, 0, 0, 1], 9010)),
            binary_addr: SocketAddr::from(([127, 0, 0, 1], 9009)),
            binary_trusted_networks: Vec::new(),
            binary_trusted_user: String::new(),
            binary_trusted_role: Role::Reader,
            http_allowed_origins: Vec::new(),
            http_body_bytes_max: cairn_http::limits::HTTP_BODY_BYTES_MAX as u64,
            http_deadline: cairn_gate::limits::HTTP_DEADLINE,
            http_in_flight_max: cairn_gate::limits::HTTP_IN_FLIGHT_MAX as u64,
            http_waiting_max: cairn_gate::limits::HTTP_WAITING_MAX as u64,
            tls_cert_file: None,
            tls_key_file: None,
            limits: Allowance::default(),
            log_format: LogFormat::Text,
            log_level: "info".to_owned(),
            store_segment_bytes: limits::SEGMENT_BYTES_DEFAULT,
            store_reserve_bytes: limits::DISK_RESERVE_BYTES_DEFAULT,
            store_reserve_file_bytes: limits::RESERVE_FILE_BYTES_DEFAULT,
            store_cache_bytes: 64 << 20,
            store_encryption_key_file: None,
            compact_every: Some(cairn_engine::limits::COMPACT_EVERY),
            compact_keep_changes: None,
            scrub_every: Some(limits::SCRUB_EVERY),
            scrub_rate: NonZeroU64::new(limits::SCRUB_RATE_DEFAULT).unwrap_or(NonZeroU64::MIN),
            graph_auto_indexes: cairn_engine::limits::GRAPH_AUTO_INDEXES as u64,
            graph_cache_bytes: cairn_engine::limits::GRAPH_CACHE_BYTES_DEFAULT,
            kb_sparql_remote: false,
            kb_sparql_allow_private: false,
            sleep_every: None,
            sleep_apply: false,
            search_enabled: true,
            search_memory_bytes: 80 << 20,
            turns_remember_keys: cairn_turns::limits::IDEMPOTENCY_REMEMBERED,
            turns_strict_types: false,
            artifacts_keep_deleted: Some(cairn_engine::limits::KEEP_DELETED_CONTENT),
        }
    }
}

/// Where a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Source {
    /// Nobody set it.
    Default,
    /// A line of the file.
    File {
        /// The file, as shown to people.
        file: String,
        /// The line, from 1.
        line: usize,
    },
    /// An environment variable.
    Environment(String),
    /// A flag.
    Flag(&'static str),
}

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Default => f.write_str("default"),
            Source::File { file, line } => write!(f, "{file}:{line}"),
            Source::Environment(name) => f.write_str(name),
            Source::Flag(name) => f.write_str(name),
        }
    }
}

/// A value somebody set: for which key, to what, where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Assignment {
    key: String,
    value: Raw,
    source: Source,
}

impl Assignment {
    /// A value given by a flag.
    pub(crate) fn flag(key: &str, value: &str, flag: &'static str) -> Self {
        Assignment { key: key.to_owned(), value: Raw::Text(value.to_owned()), source: Source::Flag(flag) }
    }
}

/// The configuration, and where each value came from.
#[derive(Debug)]
pub(crate) struct Settings {
    /// The values.
    pub(crate) config: Config,
    /// One source for each row of [`KEYS`].
    pub(crate) sources: Vec<Source>,
}

/// Lays the layers over each other. Reads `cairn.toml` in `data_dir` if it is there.
pub(crate) fn load(
    data_dir: &Path,
    environment: impl Iterator<Item = (OsString, OsString)>,
    flags: &[Assignment],
) -> Result<Settings, Failure> {
    let mut settings = Settings::defaults();
    let file = file::read(&data_dir.join(FILE_NAME))?;
    for assignment in file.into_iter().chain(environment::read(environment)?).chain(flags.iter().cloned()) {
        settings.assign(assignment)?;
    }
    Ok(settings)
}

impl Settings {
    /// Where the value of a setting came from.
    pub(crate) fn source(&self, name: &str) -> Option<&Source> {
        KEYS.iter().zip(&self.sources).find(|(key, _)| key.name == name).map(|(_, source)| source)
    }

    fn defaults() -> Self {
        Settings { config: Config::default(), sources: vec![Source::Default; KEYS.len()] }
    }

    fn assign(&mut self, assignment: Assignment) -> Result<(), Failure> {
        let Assignment { key: name, value, source } = assignment;
        let Some(index) = KEYS.iter().position(|key| key.name == name) else {
            let failure = Failure::usage(format!("{source}: there is no setting `{name}`"));
            return Err(failure.hint(nearest::hint(&name, KEYS.iter().map(|key| key.name.to_owned()))));
        };
        (KEYS[index].set)(&mut self.config, &value).map_err(|wrong| {
            Failure::usage(format!("{source}: `{name}` {wrong}"))
                .hint(format!("{name}: {}", KEYS[index].help))
        })?;
        self.sources[index] = source;
        Ok(())
    }
}

#[cfg(test)]
mod tests;
