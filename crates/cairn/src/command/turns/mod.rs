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
    /// List contexts, the newest first
    #[command(after_help = list::AFTER_HELP)]
    List(ListArgs),

    /// Show the newest turns of a context, or one turn
    #[command(after_help = show::AFTER_HELP)]
    Show(ShowArgs),

    /// Show the newest turns of a context, and those that come
    #[command(after_help = tail::AFTER_HELP)]
    Tail(TailArgs),

    /// Make a context whose history ends with a turn
    #[command(after_help = fork::AFTER_HELP)]
    Fork {
        /// The turn
        #[arg(value_name = "TURN")]
        turn: u64,
    },

    /// Append a turn to a context
    #[command(after_help = append::AFTER_HELP)]
    Append(AppendArgs),

    /// Write contexts and turns as lines of JSON
    #[command(after_help = export::AFTER_HELP)]
    Export(ExportArgs),

    /// Read what an export wrote, here or elsewhere
    #[command(after_help = import::AFTER_HELP)]
    Import(ImportArgs),

    /// Remove contexts, and the turns that only they reach
    #[command(after_help = prune::AFTER_HELP)]
    Prune(PruneArgs),
}

pub(crate) const TURNS_AFTER_HELP: &str = "\
Examples:
  cairn turns append new --type com.example.Note --text 'hello'
                                     make a context with a first turn
  cairn turns list                   every context, the newest first
  cairn turns show 1                 its newest turns
  cairn turns tail 1 -f              and whatever comes
  cairn turns fork 42                go on from turn 42 in a context of its own
  cairn turns export --out all.ndjson
                                     everything as lines of JSON, for `cairn turns import`
  cairn turns prune --older-than 90d what would go; with --apply it goes

A context is a conversation: a name for the newest turn of a chain. A turn is a payload in msgpack
that says what it is (its type) and never changes. It works whether or not a server runs on the data
directory.";

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
