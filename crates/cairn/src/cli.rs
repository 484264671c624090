//! The command line, as clap reads it and as `--help` shows it.

use std::path::PathBuf;

use cairn_seam::KeepChanges;
use clap::{Parser, Subcommand};
use clap_complete::Shell;

use crate::command::access::{ACCESS_AFTER_HELP, AccessCommand};
use crate::command::audit::{AUDIT_AFTER_HELP, AuditArgs};
use crate::command::identity::{IDENTITY_AFTER_HELP, IdentityCommand};
use crate::command::key::{KEY_AFTER_HELP, KeyCommand};
use crate::command::kip::{KIP_AFTER_HELP, KipArgs};
use crate::command::mcp::{MCP_AFTER_HELP, McpArgs};
use crate::command::search::{SEARCH_AFTER_HELP, SearchArgs};
use crate::command::serve::ServeArgs;
use crate::command::turns::{TURNS_AFTER_HELP, TurnsCommand};
use crate::config;

const ABOUT: &str = "The durable memory of AI agents";

const LONG_ABOUT: &str = "\
The durable memory of AI agents.

cairn keeps what agents say, know and publish in one data directory on this machine, and serves it \
over HTTP. Every write that was answered is on disk.";

const AFTER_HELP: &str = "\
Examples:
  cairn serve                        serve on http://127.0.0.1:9010
  cairn init && cairn serve          keep the data of this project in ./.cairn
  cairn serve --in-memory --http 127.0.0.1:0
                                     try it out: no files, any free port
  cairn turns list                   show what was said, context by context
  cairn search deploy the release    find it by its words
  cairn kip -c 'DESCRIBE PRIMER'     ask what is known
  cairn mcp                          give it to an agent as tools
  cairn access user add ada --role writer
                                     let somebody in
  cairn stats                        show what the store holds
  cairn backup monday.cairn          write everything into one file
  cairn config                       show every setting and where it came from

The data directory is --data-dir, else CAIRN_DATA_DIR, else the nearest .cairn in this folder or
above it, else the user's data directory (~/.local/share/cairn).

A server that runs on the data directory does the work of other commands; without one they do it
themselves.

Exit codes: 0 done; 1 failed; 2 wrong command line or configuration; 3 the data directory is in use;
4 the data directory or the backup is damaged or written by a newer cairn.";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "cairn", version, about = ABOUT, long_about = LONG_ABOUT, after_help = AFTER_HELP)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// The directory that holds everything cairn remembers
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,

    /// Print data as JSON, for programs
    #[arg(long, global = true)]
    pub(crate) json: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the server until it is told to stop
    #[command(after_help = SERVE_AFTER_HELP)]
    Serve(ServeArgs),

    /// Read and write turns: what was said and done
    #[command(after_help = TURNS_AFTER_HELP)]
    Turns {
        #[command(subcommand)]
        command: TurnsCommand,
    },

    /// Find what was said by its words
    #[command(after_help = SEARCH_AFTER_HELP, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, disable_help_subcommand = true)]
    Search(SearchArgs),

    /// Read and write what is known: the graph, in its language KIP
    #[command(after_help = KIP_AFTER_HELP, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, disable_help_subcommand = true)]
    Kip(KipArgs),

    /// Serve the memory to an agent over standard input and output (MCP)
    #[command(after_help = MCP_AFTER_HELP)]
    Mcp(McpArgs),

    /// Say who is known here and who may do what: tenants, users, teams, tokens, keys
    #[command(after_help = ACCESS_AFTER_HELP)]
    Access {
        #[command(subcommand)]
        command: AccessCommand,
    },

    /// Show who did what, and who was not allowed to
    #[command(after_help = AUDIT_AFTER_HELP)]
    Audit(AuditArgs),

    /// Show figures about the store: what it holds, and what it did
    #[command(after_help = STATS_AFTER_HELP)]
    Stats,

    /// Write everything into one file, while the server runs
    #[command(after_help = BACKUP_AFTER_HELP)]
    Backup {
        /// The file to write; it must not exist yet
        #[arg(value_name = "FILE")]
        file: PathBuf,

        /// Write what is whole of a damaged data directory, and list what is missing
        #[arg(long)]
        skip_damaged: bool,
    },

    /// Remove what is dead, and history that is too old or to be forgotten
    #[command(after_help = COMPACT_AFTER_HELP)]
    Compact {
        /// How long changes are kept: a time such as 30d or 12h, or all [default: compact.keep_changes]
        #[arg(long, value_name = "TIME", value_parser = keep_changes)]
        keep_changes: Option<KeepChanges>,

        /// Take what was replaced or deleted out of history; may be given several times
        #[arg(long, value_name = "SELECTOR")]
        forget: Vec<String>,
    },

    /// Verify every stored byte, and say what is wrong
    #[command(after_help = DOCTOR_AFTER_HELP)]
    Doctor {
        /// Make derived data (index, side files, search) again where it is wrong; primary data is never dropped
        #[arg(long)]
        repair: bool,
    },

    /// Make a data directory for a project
    #[command(after_help = INIT_AFTER_HELP)]
    Init {
        /// The project's folder; the data goes into .cairn inside it [default: this folder]
        #[arg(value_name = "DIR")]
        project: Option<PathBuf>,
    },

    /// Show every setting and where it came from
    #[command(after_help = CONFIG_AFTER_HELP)]
    Config,

    /// Make and change the key that seals a data directory
    #[command(after_help = KEY_AFTER_HELP)]
    Key {
        #[command(subcommand)]
        command: KeyCommand,
    },

    /// Make, show and carry the key pair by which others know this node
    #[command(after_help = IDENTITY_AFTER_HELP)]
    Identity {
        #[command(subcommand)]
        command: IdentityCommand,
    },

    /// Make a data directory of a backup
    #[command(after_help = RESTORE_AFTER_HELP)]
    Restore {
        /// The backup
        #[arg(value_name = "FILE")]
        backup: PathBuf,

        /// Restore a partial backup, too; what is missing from it fails as damaged when it is read
        #[arg(long)]
        accept_missing: bool,
    },

    /// Make a new data directory of everything that can be read in a damaged one
    #[command(after_help = SALVAGE_AFTER_HELP)]
    Salvage {
        /// The new directory; it must be empty or not there yet
        #[arg(long, value_name = "DIR")]
        to: PathBuf,
    },

    /// Print completions for a shell
    #[command(after_help = COMPLETIONS_AFTER_HELP)]
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// Reads the value of `--keep-changes`.
fn keep_changes(text: &str) -> Result<KeepChanges, String> {
    if text == "all" {
        return Ok(KeepChanges::All);
    }
    let time = config::time(text).map(KeepChanges::For);
    time.ok_or_else(|| "write all, or a time with a unit such as 30d, 12h, 15m or 90s".to_owned())
}

const SERVE_AFTER_HELP: &str = "\
Examples:
  cairn serve                               on http://127.0.0.1:9010
  cairn serve --http 127.0.0.1:0 --json     on a free port, printed as one line of JSON
  cairn serve --log-level debug --log-format json 2> cairn.log
  cairn serve --http 0.0.0.0:9010 --auth on --tls-cert cert.pem --tls-key key.pem
                                            for other machines, encrypted

An address that other machines can reach needs --auth on, and either a certificate or a proxy in
front that has one (--insecure-behind-proxy). New certificate files are served without a restart, at
once on SIGHUP.

The addresses in use are printed at the start and kept in endpoints.json in the data directory while
the server runs. Interrupt (Ctrl-C) or SIGTERM stops it after the requests under way are answered; a
second one stops it at once, which loses no write that was answered.";

const STATS_AFTER_HELP: &str = "\
Examples:
  cairn stats                   a table for people
  cairn stats --json            what GET /v1/admin/stats answers

It works whether or not a server runs on the data directory.";

const BACKUP_AFTER_HELP: &str = "\
Examples:
  cairn backup ../monday.cairn          a file beside the project
  cairn backup --json /backups/monday   with its figures as JSON
  cairn backup --skip-damaged rest      what is whole of a damaged data directory

It works whether or not a server runs on the data directory. A running server writes the file
itself, and goes on reading and writing meanwhile. Interrupt (Ctrl-C) stops the backup.

Everything is verified while it is copied, so a backup that was written can be restored. A damaged
place ends the backup with its file and offset (exit code 4), and nothing is left of it. With
--skip-damaged the backup is written all the same: it lists files, bytes, positions and, where that
can be told, how many transactions and blobs are missing (exit code 4 if any is), and is restored
only with --accept-missing.";

const COMPACT_AFTER_HELP: &str = "\
Examples:
  cairn compact                       remove what is dead, and say how much that was
  cairn compact --keep-changes 30d    and changes that are older than 30 days
  cairn compact --forget tenant:7     and every trace of what tenant 7 replaced or deleted

A blob stays while a record refers to it, and for a day after it was last uploaded. Changes are the
history: what records held before, and the events that consumers of the change feed read. They are
kept unless --keep-changes or the setting compact.keep_changes says otherwise; what records hold now
always stays.

A selector is tenant:ID, tenant:ID/TABLE or tenant:ID/TABLE/KEY, where KEY is the start of a key in
hex digits. Forgetting takes out what was replaced or deleted, the events of the transactions it was
in, and dead blobs of the tenant. It is refused while a consumer of the change feed has not read
those events. The last traces go when the server stops: the index is made anew at its next start.
Backups that were made before still hold everything.

A running server compacts once a day by itself (compact.every), and never forgets by itself. Reads
and writes go on meanwhile. Interrupt (Ctrl-C) stops it, and what was done until then stays done.";

const DOCTOR_AFTER_HELP: &str = "\
Examples:
  cairn doctor                  look, and change nothing
  cairn doctor --repair         look, and make derived data again where it is wrong

It works whether or not a server runs on the data directory. Exit code 4 says that something is
wrong and was not repaired, 0 that all is well now.";

const INIT_AFTER_HELP: &str = "\
Examples:
  cairn init                    make ./.cairn
  cairn init ../notes           make ../notes/.cairn
  cairn --data-dir data init    make the data directory ./data itself

Every cairn command in the project's folder, or below it, finds the directory by itself.";

const CONFIG_AFTER_HELP: &str = "\
Settings are read from cairn.toml in the data directory, then from the environment (http.addr is
CAIRN_HTTP_ADDR), then from flags; the last one wins.";

const RESTORE_AFTER_HELP: &str = "\
Examples:
  cairn --data-dir data restore monday.cairnbak     make ./data of it
  cairn restore monday.cairnbak --json              into the usual data directory, told as JSON

The data directory must be empty or not there yet; one that holds anything is left alone. Every byte
of the backup is verified before anything is written, and the restored data is opened once to prove
that it opens. A backup that was cut or changed is refused with the place of the damage (exit code
4). After a failure the directory is as it was before. What a killed restore leaves behind is refused
by every other command and removed by the next restore into the same directory.

A partial backup (`cairn backup --skip-damaged`) lists what is missing from it. It is restored only
with --accept-missing: then the store has the same damage at the same places, and what was there
fails as damaged when it is read.

What is restored is the same memory: it keeps its id. Do not go on writing to both. Settings
(cairn.toml) are not in a backup.";

const SALVAGE_AFTER_HELP: &str = "\
Examples:
  cairn --data-dir data salvage --to data-new     read ./data around its damage into ./data-new
  cairn salvage --to data-new --json              the same for the usual data directory, told as JSON

It works on data that nothing else can open: damaged or missing segments, manifest, index, image, side
files and blobs, thinned and sealed stores (with their key). Nothing is written to the damaged directory,
which may be on a read-only disk; no server may run on it. Restore a backup instead if you have a good one.

What is lost is listed by tenant, kind and id, with the damaged places in files; the complete list is
salvage-report.json in the new directory. Indexes, counters and statistics are rebuilt. Turns whose parent is
lost stay, and heads of contexts move to the newest turn that is left. No id is given twice.

The new directory is the same memory: it keeps its id. Settings (cairn.toml) and the folder identity are not
copied. Exit code 0 says that it was made, whatever is lost; 4 that nothing can be read, and nothing is left
behind. Interrupt (Ctrl-C) stops it and leaves nothing behind.";

const COMPLETIONS_AFTER_HELP: &str = "\
Examples:
  cairn completions bash > ~/.local/share/bash-completion/completions/cairn
  cairn completions zsh  > ~/.zfunc/_cairn
  cairn completions fish > ~/.config/fish/completions/cairn.fish";

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_command_line_holds_together() {
        Cli::command().debug_assert();
    }
}
