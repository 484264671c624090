//! `cairn kcp`: artifacts and identities under the names of the Knowledge Context Protocol.

use std::path::Path;

use clap::Subcommand;

use super::artifact::Call;
use super::artifact::delete::{self, DeleteArgs};
use super::artifact::export::{self, ExportArgs};
use super::artifact::get::{self, GetArgs};
use super::artifact::import::{self, ImportArgs};
use super::artifact::lineage::{self, LineageArgs};
use super::artifact::list::{self, ListArgs};
use super::artifact::publish::{self, PublishArgs};
use super::artifact::search::{self, SearchArgs};
use super::artifact::verify::{self, VerifyArgs};
use super::identity::{self, IDENTITY_AFTER_HELP, IdentityCommand};
use crate::failure::Failure;

/// What to do. Every command here is another name for one of `cairn artifact` or `cairn identity`.
#[derive(Debug, Subcommand)]
pub(crate) enum KcpCommand {
    /// Alias of `cairn identity`
    #[command(after_help = IDENTITY_AFTER_HELP)]
    Identity {
        #[command(subcommand)]
        command: IdentityCommand,
    },

    /// Alias of `cairn artifact publish`
    #[command(after_help = publish::AFTER_HELP)]
    Publish(PublishArgs),

    /// Alias of `cairn artifact search`
    #[command(after_help = search::AFTER_HELP)]
    Search(SearchArgs),

    /// Alias of `cairn artifact list`
    #[command(after_help = list::AFTER_HELP)]
    List(ListArgs),

    /// Alias of `cairn artifact get`
    #[command(after_help = get::AFTER_HELP)]
    Get(GetArgs),

    /// Alias of `cairn artifact lineage`
    #[command(after_help = lineage::AFTER_HELP)]
    Lineage(LineageArgs),

    /// Alias of `cairn artifact delete`
    #[command(after_help = delete::AFTER_HELP)]
    Delete(DeleteArgs),

    /// Alias of `cairn artifact export`
    #[command(after_help = export::AFTER_HELP)]
    Export(ExportArgs),

    /// Alias of `cairn artifact import`
    #[command(after_help = import::AFTER_HELP)]
    Import(ImportArgs),

    /// Alias of `cairn artifact verify`
    #[command(after_help = verify::AFTER_HELP)]
    Verify(VerifyArgs),
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
    let call = Call { data_dir, as_json };
    match command {
        KcpCommand::Identity { command } => identity::identity(data_dir, as_json, &command),
        KcpCommand::Publish(arguments) => publish::publish(&call, &arguments),
        KcpCommand::Search(arguments) => search::search(&call, &arguments),
        KcpCommand::List(arguments) => list::list(&call, &arguments),
        KcpCommand::Get(arguments) => get::get(&call, &arguments),
        KcpCommand::Lineage(arguments) => lineage::lineage(&call, &arguments),
        KcpCommand::Delete(arguments) => delete::delete(&call, &arguments),
        KcpCommand::Export(arguments) => export::export(&call, &arguments),
        KcpCommand::Import(arguments) => import::import(&call, &arguments),
        KcpCommand::Verify(arguments) => verify::verify(as_json, &arguments),
    }
}
