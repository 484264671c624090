//! The command line, as clap reads it and as `--help` shows it.

use std::path::PathBuf;

use cairn_seam::KeepChanges;
use clap::{Parser, Subcommand};
use clap_complete::Shell;

use crate::command::access::{ACCESS_AFTER_HELP, AccessCommand};
use crate::command::artifact::{ARTIFACT_AFTER_HELP, ArtifactCommand};
use crate::command::audit::{AUDIT_AFTER_HELP, AuditArgs};
use crate::command::identity::{IDENTITY_AFTER_HELP, IdentityCommand};
use crate::command::kb::{KB_AFTER_HELP, KbArgs};
use crate::command::kcp::{KCP_AFTER_HELP, KcpCommand};
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

cairn stores turns (what was said and done), a knowledge graph, signed artifacts and requirements in one data \
directory, searches them, and serves them over HTTP, a binary protocol and MCP. An acknowledged write is on disk.";

const AFTER_HELP: &str = "\
Examples:
  cairn serve                        serve on http://127.0.0.1:9010
  cairn init && cairn serve          store the data of this project in ./.cairn
  cairn serve --in-memory --http 127.0.0.1:0
                                     try it: no files, any free port
  cairn turns list                   list contexts, newest first
  cairn search deploy the release    search by full text
  cairn kip -c 'DESCRIBE PRIMER'     summarise the knowledge graph
  cairn artifact publish report.md   publish a signed artifact
  cairn kb check                     check the requirements of this git branch
  cairn mcp                          serve MCP tools to an agent
  cairn access user add ada --role writer
                                     add a user
  cairn stats                        show statistics of the store
  cairn backup monday.cairn          back up everything to one file
  cairn config                       show every setting and its source

The data directory is --data-dir, else CAIRN_DATA_DIR, else the nearest .cairn in this folder or
above it, else the user's data directory (~/.local/share/cairn).

While a server runs on a data directory, other commands go through it; without one they open the
data directory themselves.

Exit codes: 0 success; 1 failure; 2 invalid command line or configuration; 3 the data directory is
in use; 4 the data directory or the backup is damaged or was written by a newer cairn.";

/// The whole command line.
#[derive(Debug, Parser)]
#[command(name = "cairn", version, about = ABOUT, long_about = LONG_ABOUT, after_help = AFTER_HELP)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// Data directory
    #[arg(long, global = true, value_name = "DIR")]
    pub(crate) data_dir: Option<PathBuf>,

    /// Print data as JSON
    #[arg(long, global = true)]
    pub(crate) json: bool,

    #[command(subcommand)]
    pub(crate) command: Command,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Run the server
    #[command(after_help = SERVE_AFTER_HELP)]
    Serve(ServeArgs),

    /// Read, append, import and export turns
    #[command(after_help = TURNS_AFTER_HELP)]
    Turns {
        #[command(subcommand)]
        command: TurnsCommand,
    },

    /// Search turns and contexts by full text
    #[command(after_help = SEARCH_AFTER_HELP, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, disable_help_subcommand = true)]
    Search(SearchArgs),

    /// Query and change the knowledge graph with KIP
    #[command(after_help = KIP_AFTER_HELP, args_conflicts_with_subcommands = true, subcommand_negates_reqs = true, disable_help_subcommand = true)]
    Kip(KipArgs),

    /// Publish, find, export and verify signed artifacts
    #[command(after_help = ARTIFACT_AFTER_HELP)]
    Artifact {
        #[command(subcommand)]
        command: ArtifactCommand,
    },

    /// Aliases of `cairn artifact` and `cairn identity`, by the names of KCP
    #[command(after_help = KCP_AFTER_HELP)]
    Kcp {
        #[command(subcommand)]
        command: KcpCommand,
    },

    /// Keep requirements, tests and decisions per git branch, and check them
    #[command(after_help = KB_AFTER_HELP)]
    Kb(KbArgs),

    /// Serve MCP tools to an agent over standard input and output
    #[command(after_help = MCP_AFTER_HELP)]
    Mcp(McpArgs),

    /// Manage tenants, users, teams, tokens and public keys
    #[command(after_help = ACCESS_AFTER_HELP)]
    Access {
        #[command(subcommand)]
        command: AccessCommand,
    },

    /// Show the audit trail
    #[command(after_help = AUDIT_AFTER_HELP)]
    Audit(AuditArgs),

    /// Show statistics of the store
    #[command(after_help = STATS_AFTER_HELP)]
    Stats,

    /// Back up the data directory to one file, online
    #[command(after_help = BACKUP_AFTER_HELP)]
    Backup {
        /// Backup file to create; it must not exist yet
        #[arg(value_name = "FILE")]
        file: PathBuf,

        /// Back up the readable part of a damaged data directory, and list what is missing
        #[arg(long)]
        skip_damaged: bool,
    },

    /// Reclaim disk space, and drop old or forgotten history
    #[command(after_help = COMPACT_AFTER_HELP)]
    Compact {
        /// Retention of changes: a time such as 30d or 12h, or all [default: compact.keep_changes]
        #[arg(long, value_name = "TIME", value_parser = keep_changes)]
        keep_changes: Option<KeepChanges>,

        /// Erase replaced and deleted records from history; can be repeated
        #[arg(long, value_name = "SELECTOR")]
        forget: Vec<String>,
    },

    /// Verify every stored byte, and report damage
    #[command(after_help = DOCTOR_AFTER_HELP)]
    Doctor {
        /// Rebuild damaged derived data (index, side files, search); primary data is never dropped
        #[arg(long)]
        repair: bool,
    },

    /// Create a data directory for a project
    #[command(after_help = INIT_AFTER_HELP)]
    Init {
        /// Project folder; the data directory is .cairn inside it [default: this folder]
        #[arg(value_name = "DIR")]
        project: Option<PathBuf>,
    },

    /// Show every setting and its source
    #[command(after_help = CONFIG_AFTER_HELP)]
    Config,

    /// Generate and rotate the encryption key of a data directory
    #[command(after_help = KEY_AFTER_HELP)]
    Key {
        #[command(subcommand)]
        command: KeyCommand,
    },

    /// Create, show, export and recover the key pair of this node
    #[command(after_help = IDENTITY_AFTER_HELP)]
    Identity {
        #[command(subcommand)]
        command: IdentityCommand,
    },

    /// Restore a backup to a new data directory
    #[command(after_help = RESTORE_AFTER_HELP)]
    Restore {
        /// Backup file
        #[arg(value_name = "FILE")]
        backup: PathBuf,

        /// Also restore a partial backup; reading a record that is missing from it fails as damaged
        #[arg(long)]
        accept_missing: bool,
    },

    /// Copy everything readable from a damaged data directory to a new one
    #[command(after_help = SALVAGE_AFTER_HELP)]
    Salvage {
        /// New data directory; it must be empty or not exist yet
        #[arg(long, value_name = "DIR")]
        to: PathBuf,
    },

    /// Print shell completions
    #[command(after_help = COMPLETIONS_AFTER_HELP)]
    Completions {
        /// Shell
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

An address that other machines can reach needs --auth on, and either a certificate or a TLS proxy in
front (--insecure-behind-proxy). New certificate files are loaded without a restart, immediately on
SIGHUP.

The server prints its addresses at start, and keeps them in endpoints.json in the data directory
while it runs. Interrupt (Ctrl-C) or SIGTERM stops it after the requests in progress; a second
signal stops it immediately. Neither loses an acknowledged write.";

const STATS_AFTER_HELP: &str = "\
Examples:
  cairn stats                   a table
  cairn stats --json            the response of GET /v1/admin/stats

Works with and without a running server.";

const BACKUP_AFTER_HELP: &str = "\
Examples:
  cairn backup ../monday.cairn          a file beside the project
  cairn backup --json /backups/monday   print statistics as JSON
  cairn backup --skip-damaged rest      the readable part of a damaged data directory

Works with and without a running server. A running server writes the file itself and keeps serving
reads and writes. Interrupt (Ctrl-C) stops the backup.

Every byte is verified while it is copied, so a completed backup can be restored. Damage ends the
backup with file and offset (exit code 4) and leaves no file. With --skip-damaged the backup is
written anyway: it lists missing files, bytes, positions and, where known, the number of missing
transactions and blobs (exit code 4 if there are any), and restoring it needs --accept-missing.";

const COMPACT_AFTER_HELP: &str = "\
Examples:
  cairn compact                       remove unreferenced blobs, and print the reclaimed space
  cairn compact --keep-changes 30d    also drop changes older than 30 days
  cairn compact --forget tenant:7     also erase everything that tenant 7 replaced or deleted

A blob is kept while a record refers to it, and for a day after its last upload. Changes are the
history: previous values of records, and the events that consumers of the change feed read. They are
kept unless --keep-changes or the setting compact.keep_changes says otherwise. Current records are
always kept.

A selector is tenant:ID, tenant:ID/TABLE or tenant:ID/TABLE/KEY, where KEY is a key prefix in hex
digits. Forgetting erases replaced and deleted records, the events of their transactions, and
unreferenced blobs of the tenant. It is refused while a consumer of the change feed has not read
those events. The last traces go when the server stops: the next start rebuilds the index. Earlier
backups still hold everything.

A running server compacts once a day (compact.every), and never forgets unasked. Reads and writes go
on meanwhile. Interrupt (Ctrl-C) stops it; completed steps are kept.";

const DOCTOR_AFTER_HELP: &str = "\
Examples:
  cairn doctor                  verify; change nothing
  cairn doctor --repair         verify, and rebuild damaged derived data

Works with and without a running server. Exit code 4: damage was found and not repaired. Exit code
0: no damage is left.";

const INIT_AFTER_HELP: &str = "\
Examples:
  cairn init                    create ./.cairn
  cairn init ../notes           create ../notes/.cairn
  cairn --data-dir data init    create the data directory ./data itself

Every cairn command in the project folder or below it finds the data directory.";

const CONFIG_AFTER_HELP: &str = "\
Settings come from cairn.toml in the data directory, then from the environment (http.addr is
CAIRN_HTTP_ADDR), then from flags; the last one wins.";

const RESTORE_AFTER_HELP: &str = "\
Examples:
  cairn --data-dir data restore monday.cairnbak     restore to ./data
  cairn restore monday.cairnbak --json              restore to the default directory

The data directory must be empty or not exist yet; a directory with files is left alone. Every byte
of the backup is verified before anything is written, and the restored data is opened once. A
truncated or changed backup is refused with the offset of the damage (exit code 4). After a failure
the directory is as it was before. Files of a killed restore are refused by every other command and
removed by the next restore to the same directory.

A partial backup (`cairn backup --skip-damaged`) lists what is missing from it. Restoring it needs
--accept-missing: the store then has the same damage at the same places, and reading a missing
record fails as damaged.

The restored store keeps its id: do not write to both copies. Settings (cairn.toml) are not part of a
backup.";

const SALVAGE_AFTER_HELP: &str = "\
Examples:
  cairn --data-dir data salvage --to data-new     copy the readable part of ./data
  cairn salvage --to data-new --json              the same for the default data directory

Works on data directories that do not open: damaged or missing segments, manifest, index, image,
side files and blobs, thinned and encrypted stores (with their key). Nothing is written to the
damaged directory, which can be on a read-only disk; no server may run on it. Restore a good backup
instead if you have one.

Lost records are listed by tenant, kind and id, with the damaged places in files; the complete list
is salvage-report.json in the new directory. Indexes, counters and statistics are rebuilt. Turns
whose parent is lost are kept, and heads of contexts move to the newest turn that is left. No id is
reused.

The new directory keeps the id of the store. Settings (cairn.toml) and the folder identity are not
copied. Exit code 0: the directory was written, whatever is lost. Exit code 4: nothing is readable,
and nothing is left behind. Interrupt (Ctrl-C) stops it and leaves nothing behind.";

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
