//! The commands, one file each.

pub(crate) mod access;
mod answer;
pub(crate) mod artifact;
pub(crate) mod audit;
mod backup;
mod compact;
mod completions;
mod config;
mod doctor;
pub(crate) mod identity;
mod init;
mod input;
pub(crate) mod kb;
pub(crate) mod kcp;
pub(crate) mod key;
pub(crate) mod kip;
mod maintain;
pub(crate) mod mcp;
mod output;
mod restore;
mod salvage;
pub(crate) mod search;
pub(crate) mod serve;
mod stats;
pub(crate) mod turns;

use std::io::Write;

use crate::cli::{Cli, Command};
use crate::config::{Assignment, Settings, load};
use crate::data_dir::{DataDir, Surroundings, resolve};
use crate::dir_access;
use crate::failure::Failure;

/// Runs the command that was asked for.
pub(crate) fn run(cli: Cli) -> Result<(), Failure> {
    let Cli { data_dir, json, command } = cli;
    let data_dir = data_dir.as_deref();
    match command {
        Command::Serve(arguments) => serve::serve(data_dir, json, &arguments),
        Command::Stats => stats::stats(data_dir, json),
        Command::Compact { keep_changes, forget } => {
            compact::compact(data_dir, keep_changes.unwrap_or_default(), forget, json)
        }
        Command::Backup { file, skip_damaged } => backup::backup(data_dir, &file, skip_damaged, json),
        Command::Doctor { repair } => doctor::doctor(data_dir, repair, json),
        Command::Init { project } => init::init(data_dir, project.as_deref(), json),
        Command::Config => config::config(data_dir, json),
        Command::Key { command } => key::key(data_dir, json, &command),
        Command::Access { command } => access::access(data_dir, json, command),
        Command::Audit(arguments) => audit::audit(data_dir, json, &arguments),
        Command::Identity { command } => identity::identity(data_dir, json, &command),
        Command::Turns { command } => turns::turns(data_dir, json, command),
        Command::Artifact { command } => artifact::artifact(data_dir, json, command),
        Command::Kcp { command } => kcp::kcp(data_dir, json, command),
        Command::Search(arguments) => search::search(data_dir, json, &arguments),
        Command::Kb(arguments) => kb::kb(data_dir, json, arguments),
        Command::Kip(arguments) => kip::kip(data_dir, json, arguments),
        Command::Mcp(arguments) => mcp::mcp(data_dir, &arguments),
        Command::Restore { backup, accept_missing } => {
            restore::restore(data_dir, &backup, accept_missing, json)
        }
        Command::Salvage { to } => salvage::salvage(data_dir, &to, json),
        Command::Completions { shell } => completions::completions(shell),
    }
}

/// The data directory and the settings that hold in it.
fn settings(flag: Option<&std::path::Path>, flags: &[Assignment]) -> Result<(DataDir, Settings), Failure> {
    let data_dir = resolve(flag, &Surroundings::of_process()?)?;
    dir_access::refuse_writable(&data_dir.path)?;
    let settings = load(&data_dir.path, std::env::vars_os(), flags)?;
    Ok((data_dir, settings))
}

/// So many of something, as people say it.
fn counted(count: u64, one: &str) -> String {
    format!("{count} {one}{}", if count == 1 { "" } else { "s" })
}

/// Names and values in two columns.
fn table(rows: &[[String; 2]]) -> String {
    let width = rows.iter().map(|[name, _]| name.chars().count()).max().unwrap_or(0);
    rows.iter().map(|[name, value]| format!("{name:width$}  {value}\n")).collect()
}

/// Prints to standard output. A reader that went away early (`| head`) is no failure.
fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

/// The same for bytes.
fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    try_print(bytes).map(|_| ())
}

/// The same, and says whether anybody still reads.
fn try_print(bytes: &[u8]) -> Result<bool, Failure> {
    let mut stdout = std::io::stdout().lock();
    match stdout.write_all(bytes).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(Failure::io("print", &error)),
    }
}
