//! `cairn kip`: the graph of what is known, in its own language.

mod caret;
mod check;
mod export;
mod fmt;
mod form;
mod import;
mod index;
mod logs;
mod run;
mod shell;
mod sleep;
mod source;
pub(in crate::command) mod table;
mod text;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use cairn_base::Value;
use clap::{Args, Subcommand};

use self::source::Source;
use crate::failure::Failure;

pub(crate) const KIP_AFTER_HELP: &str = "\
Examples:
  cairn kip -c 'DESCRIBE PRIMER'           summarise the graph
  cairn kip -c 'FIND(?t.name) WHERE { ?t {type: \"$ConceptType\"} }'
  cairn kip -c 'FIND(?n) WHERE { ?n {name: :name} }' --param 'name=\"Aspirin\"'
  cairn kip -c 'SEARCH CONCEPT \"headache\"' --json
  cairn kip run medicine.kip               run a command or a capsule of UPSERT blocks from a file
  cairn kip run schema.kip facts.kip --dry-run
                                           run files in order; report changes without making them
  generate | cairn kip run -               read standard input
  cairn kip fmt medicine.kip               format a file
  cairn kip check *.kip                    report syntax errors
  cairn kip logs                           show recent commands
  cairn kip index create Drug attributes.dose
                                           create an ordered index for FILTER and ORDER BY
  cairn kip sleep                          find expired, duplicate and unattached concepts
  cairn kip shell                          interactive shell with completion and history
  cairn kip export graph.kip               export everything, for `cairn kip import`

A FIND prints a table with a column per expression, cut to the width of the terminal; --json prints
the response of execute_kip. A KIP error ends the command with exit code 1, and later files are not
run.

Works with and without a running server.";

/// A command, or what else to do.
#[derive(Debug, Args)]
pub(crate) struct KipArgs {
    #[command(subcommand)]
    command: Option<KipCommand>,

    /// The command, or - for standard input
    #[arg(short = 'c', long = "command", value_name = "COMMAND", required = true)]
    text: Option<String>,

    #[command(flatten)]
    how: How,
}

/// How commands are executed.
#[derive(Debug, Args)]
struct How {
    /// What stands for :NAME in commands, as JSON; may be given more than once
    #[arg(long = "param", value_name = "NAME=JSON", value_parser = parameter)]
    parameters: Vec<(String, Value)>,

    /// The space to work in [default: memory]
    #[arg(long, value_name = "SPACE")]
    space: Option<String>,

    /// Change nothing, and say what would be
    #[arg(long)]
    dry_run: bool,

    /// Refuse commands that change something
    #[arg(long)]
    readonly: bool,
}

/// What else to do.
#[derive(Debug, Subcommand)]
enum KipCommand {
    /// Execute the commands in files, one after the other
    #[command(after_help = RUN_AFTER_HELP)]
    Run {
        /// Files with a command or a capsule each, or - for standard input
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,

        #[command(flatten)]
        how: How,
    },

    /// Write commands as they are usually written
    #[command(after_help = fmt::AFTER_HELP)]
    Fmt {
        /// Change nothing, and say which files would change; exit code 1 if there are any
        #[arg(long)]
        check: bool,

        /// The files, or - for standard input to standard output
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },

    /// Look for mistakes, and show them with their places
    #[command(after_help = check::AFTER_HELP)]
    Check {
        /// The files, or - for standard input
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },

    /// Write concepts and links to a file, all or some
    #[command(after_help = export::AFTER_HELP)]
    Export(export::ExportArgs),

    /// Read concepts and links from a file of any length
    #[command(after_help = import::AFTER_HELP)]
    Import(import::ImportArgs),

    /// Show what was asked lately
    #[command(after_help = logs::AFTER_HELP)]
    Logs(logs::LogsArgs),

    /// Make, drop and list ordered indexes of fields
    #[command(subcommand, after_help = index::AFTER_HELP)]
    Index(index::IndexCommand),

    /// Find what is past its time, doubled or without a place; remove the first of these
    #[command(after_help = sleep::AFTER_HELP)]
    Sleep(sleep::SleepArgs),

    /// Type commands, and see what comes of them
    #[command(after_help = shell::AFTER_HELP)]
    Shell {
        /// Remember nothing that is typed, and show nothing that was typed before
        #[arg(long)]
        no_history: bool,

        #[command(flatten)]
        how: How,
    },
}

const RUN_AFTER_HELP: &str = "\
Examples:
  cairn kip run medicine.kip
  cairn kip run schema.kip facts.kip         the first that fails is the last
  cairn kip run person.kip --param 'name=\"Ada\"' --param 'born=1815'
  cairn kip run capsule.kip --dry-run        what would change

A file holds one command, or a capsule: UPSERT blocks one after the other, which are done together
or not at all. // begins a comment.";

/// Runs the command.
pub(super) fn kip(data_dir: Option<&Path>, as_json: bool, arguments: KipArgs) -> Result<(), Failure> {
    match arguments.command {
        None => {
            let text = arguments.text.unwrap_or_default();
            let source = if text == "-" { Source::read(Path::new("-"))? } else { Source::given(text) };
            run::run(data_dir, as_json, &[source], &arguments.how)
        }
        Some(KipCommand::Run { files, how }) => {
            let sources: Vec<_> = files.iter().map(|file| Source::read(file)).collect::<Result<_, _>>()?;
            run::run(data_dir, as_json, &sources, &how)
        }
        Some(KipCommand::Fmt { check, files }) => fmt::fmt(&files, check),
        Some(KipCommand::Check { files }) => check::check(&files, as_json),
        Some(KipCommand::Export(arguments)) => export::export(data_dir, &arguments),
        Some(KipCommand::Import(arguments)) => import::import(data_dir, as_json, &arguments),
        Some(KipCommand::Logs(arguments)) => logs::logs(data_dir, as_json, &arguments),
        Some(KipCommand::Index(command)) => index::index(data_dir, as_json, &command),
        Some(KipCommand::Sleep(arguments)) => sleep::sleep(data_dir, as_json, &arguments),
        Some(KipCommand::Shell { no_history, how }) => shell::shell(data_dir, as_json, no_history, how),
    }
}

impl How {
    /// The parameters as one object; the last of a name counts.
    fn parameters(&self) -> BTreeMap<String, Value> {
        self.parameters.iter().cloned().collect()
    }
}

/// Reads the value of `--param`.
fn parameter(text: &str) -> Result<(String, Value), String> {
    let (name, json) = text.split_once('=').ok_or("write the name, an equals sign and a value as JSON")?;
    let name = name.strip_prefix(':').unwrap_or(name);
    match Value::parse_json(json.as_bytes()) {
        Ok(value) => Ok((name.to_owned(), value)),
        Err(error) => Err(format!("the value is no JSON ({error}); a text needs quotes: '{name}=\"…\"'")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_is_a_name_and_json() {
        for (text, name, value) in [
            ("n=1", "n", "1"),
            (":n=\"a=b\"", "n", "\"a=b\""),
            ("list=[1,null]", "list", "[1,null]"),
            ("n=0.30000000000000004", "n", "0.30000000000000004"),
        ] {
            let parsed = parameter(text).map(|(name, value)| (name, value.to_json()));
            assert_eq!(parsed, Ok((name.to_owned(), value.to_owned())), "{text}");
        }
        for text in ["n", "n=Aspirin", "n="] {
            assert!(parameter(text).is_err(), "{text}");
        }
    }
}
