//! `cairn turns`: what was said and done.

mod append;
mod encode;
mod export;
mod fork;
mod import;
mod list;
mod newest;
mod prune;
mod show;
mod tail;
mod text;

use std::path::Path;

use clap::Subcommand;

use self::append::AppendArgs;
use self::export::ExportArgs;
use self::import::ImportArgs;
use self::list::ListArgs;
use self::prune::PruneArgs;
use self::show::ShowArgs;
use self::tail::TailArgs;
use crate::failure::Failure;

/// What to do with turns.
#[derive(Debug, Subcommand)]
pub(crate) enum TurnsCommand {
    /// List contexts, newest first
    #[command(after_help = list::AFTER_HELP)]
    List(ListArgs),

    /// Show the newest turns of a context, or one turn
    #[command(after_help = show::AFTER_HELP)]
    Show(ShowArgs),

    /// Show the newest turns of a context, and follow new ones
    #[command(after_help = tail::AFTER_HELP)]
    Tail(TailArgs),

    /// Fork a context at a turn
    #[command(after_help = fork::AFTER_HELP)]
    Fork {
        /// Turn to fork at
        #[arg(value_name = "TURN")]
        turn: u64,
    },

    /// Append a turn to a context
    #[command(after_help = append::AFTER_HELP)]
    Append(AppendArgs),

    /// Export contexts and turns as NDJSON
    #[command(after_help = export::AFTER_HELP)]
    Export(ExportArgs),

    /// Import the output of an export
    #[command(after_help = import::AFTER_HELP)]
    Import(ImportArgs),

    /// Remove contexts and the turns that only they reach
    #[command(after_help = prune::AFTER_HELP)]
    Prune(PruneArgs),
}

pub(crate) const TURNS_AFTER_HELP: &str = "\
Examples:
  cairn turns append new --type com.example.Note --text 'hello'
                                     create a context with its first turn
  cairn turns list                   list contexts, newest first
  cairn turns show 1                 show the newest turns of context 1
  cairn turns tail 1 -f              keep printing new turns
  cairn turns fork 42                fork a context at turn 42
  cairn turns export --out all.ndjson
                                     export everything as NDJSON, for `cairn turns import`
  cairn turns prune --older-than 90d list what would be removed; --apply removes it

A context is a conversation: a name for the newest turn of a chain. A turn is an immutable msgpack
payload with a type. Works with and without a running server.";

/// Runs what was asked for.
pub(super) fn turns(data_dir: Option<&Path>, as_json: bool, command: TurnsCommand) -> Result<(), Failure> {
    match command {
        TurnsCommand::List(arguments) => list::list(data_dir, as_json, &arguments),
        TurnsCommand::Show(arguments) => show::show(data_dir, as_json, &arguments),
        TurnsCommand::Tail(arguments) => tail::tail(data_dir, as_json, &arguments),
        TurnsCommand::Fork { turn } => fork::fork(data_dir, as_json, turn),
        TurnsCommand::Append(arguments) => append::append(data_dir, as_json, arguments),
        TurnsCommand::Export(arguments) => export::export(data_dir, as_json, &arguments),
        TurnsCommand::Import(arguments) => import::import(data_dir, as_json, &arguments),
        TurnsCommand::Prune(arguments) => prune::prune(data_dir, as_json, &arguments),
    }
}
