//! `cairn kcp`: artifacts and identities under the names of the Knowledge Context Protocol.

use std::path::Path;

use clap::Subcommand;

use super::artifact::{self, ArtifactCommand};
use super::identity::{self, IDENTITY_AFTER_HELP, IdentityCommand};
use crate::failure::Failure;

/// What to do. Every command here is another name for one of `cairn artifact` or `cairn identity`.
#[derive(Debug, Subcommand)]
#[expect(clippy::large_enum_variant, reason = "one is made in a process")]
pub(crate) enum KcpCommand {
    /// Alias of `cairn identity`
    #[command(after_help = IDENTITY_AFTER_HELP)]
    Identity {
        #[command(subcommand)]
        command: IdentityCommand,
    },

    #[command(flatten)]
    Artifact(ArtifactCommand),
}

pub(crate) const KCP_AFTER_HELP: &str = "\
Examples:
  cairn kcp identity create          the same as `cairn identity create`
  cairn kcp publish report.md        the same as `cairn artifact publish report.md`
  cairn kcp search 'rate limits'     the same as `cairn artifact search 'rate limits'`

These are aliases, for those who know the commands of the Knowledge Context Protocol (KCP). Options
and output are those of `cairn artifact` and `cairn identity`: artifacts are private unless
--visibility says otherwise.";

/// Runs what was asked for.
pub(super) fn kcp(data_dir: Option<&Path>, as_json: bool, command: KcpCommand) -> Result<(), Failure> {
    match command {
        KcpCommand::Identity { command } => identity::identity(data_dir, as_json, &command),
        KcpCommand::Artifact(command) => artifact::artifact(data_dir, as_json, command),
    }
}
