//! Log lines on standard error.

use std::io::IsTerminal;

use tracing_subscriber::EnvFilter;

use crate::config::{Config, LogFormat};
use crate::failure::Failure;

/// Starts logging for the rest of a server's process.
pub(crate) fn start(config: &Config) -> Result<(), Failure> {
    start_at(config, &config.log_level)
}

/// What a command says: trouble alone. What clients of MCP are told they are told already.
const QUIETLY: &str = "warn,rmcp=error";

/// Starts logging for a command, for people who wait for its answer.
pub(crate) fn start_quietly(config: &Config) -> Result<(), Failure> {
    start_at(config, QUIETLY)
}

fn start_at(config: &Config, level: &str) -> Result<(), Failure> {
    let filter = EnvFilter::try_new(level)
        .map_err(|error| Failure::usage(format!("`log.level` cannot be read: {error}")))?;
    let lines = tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr);
    let started = match config.log_format {
        LogFormat::Text => {
            let colour = std::io::stderr().is_terminal() && std::env::var_os("NO_COLOR").is_none();
            lines.with_ansi(colour).try_init()
        }
        LogFormat::Json => lines.json().flatten_event(true).try_init(),
    };
    started.map_err(|error| Failure::new(format!("could not start logging: {error}")))
}
