//! `cairn artifact`: what was published, by whom, and from what.

mod append;
mod delete;
mod export;
mod filter;
mod format;
mod get;
mod ids;
mod import;
mod lineage;
mod list;
mod one;
mod payload;
mod publish;
mod search;
mod signer;
mod source;
mod text;
mod tree;
mod verify;
mod verify_json;

use std::path::{Path, PathBuf};

use cairn_http::{Client, ClientError};
use clap::Subcommand;

use self::delete::DeleteArgs;
use self::export::ExportArgs;
use self::get::GetArgs;
use self::ids::IdsArgs;
use self::import::ImportArgs;
use self::lineage::LineageArgs;
use self::list::ListArgs;
use self::publish::PublishArgs;
use self::search::SearchArgs;
pub(super) use self::text::block;
use self::verify::VerifyArgs;
use crate::config::Config;
use crate::failure::Failure;
use crate::reach::{self, Needs};
use crate::{command, logging};

/// What to do with artifacts.
#[derive(Debug, Subcommand)]
pub(crate) enum ArtifactCommand {
    /// Publish files, directories or standard input
    #[command(after_help = publish::AFTER_HELP)]
    Publish(PublishArgs),

    /// Show an artifact, or write its content
    #[command(after_help = get::AFTER_HELP)]
    Get(GetArgs),

    /// List artifacts, newest first
    #[command(after_help = list::AFTER_HELP)]
    List(ListArgs),

    /// Search artifacts by full text
    #[command(after_help = search::AFTER_HELP)]
    Search(SearchArgs),

    /// Show the ancestors and derivatives of an artifact
    #[command(after_help = lineage::AFTER_HELP)]
    Lineage(LineageArgs),

    /// Delete an artifact, and leave a signed tombstone
    #[command(after_help = delete::AFTER_HELP)]
    Delete(DeleteArgs),

    /// Export artifacts to a bundle, or one artifact as JSON
    #[command(after_help = export::AFTER_HELP)]
    Export(ExportArgs),

    /// Import a bundle, or the JSON export of one artifact
    #[command(after_help = import::AFTER_HELP)]
    Import(ImportArgs),

    /// Verify a bundle, a JSON export or an inclusion proof, offline
    #[command(after_help = verify::AFTER_HELP)]
    Verify(VerifyArgs),

    /// List the ids of all artifacts, for administrators
    #[command(after_help = ids::AFTER_HELP)]
    Ids(IdsArgs),
}

pub(crate) const ARTIFACT_AFTER_HELP: &str = "\
Examples:
  cairn artifact publish report.md --visibility org --tags risk,q3
                                     publish a file
  make report | cairn artifact publish - --title 'Nightly report'
                                     publish what a program prints
  cairn artifact list                list artifacts, newest first
  cairn artifact search 'rate limits'
                                     search titles, summaries, tags and content
  cairn artifact get ID --content    print the content
  cairn artifact lineage ID          draw ancestors and derivatives as a tree
  cairn artifact export --output all.kcp
                                     export everything you may read to a bundle
  cairn artifact verify all.kcp      check signatures and tree, without a store or a network

An artifact is a signed JSON payload with content of any kind. It is signed with the key pair of
`cairn identity`, if that key is registered for you, and by the node otherwise. Works with and
without a running server. `cairn kcp` has the same commands under the names of KCP.";

/// Runs what was asked for.
pub(super) fn artifact(
    data_dir: Option<&Path>,
    as_json: bool,
    command: ArtifactCommand,
) -> Result<(), Failure> {
    let call = Call { data_dir, as_json };
    match command {
        ArtifactCommand::Publish(arguments) => publish::publish(&call, &arguments),
        ArtifactCommand::Get(arguments) => get::get(&call, &arguments),
        ArtifactCommand::List(arguments) => list::list(&call, &arguments),
        ArtifactCommand::Search(arguments) => search::search(&call, &arguments),
        ArtifactCommand::Lineage(arguments) => lineage::lineage(&call, &arguments),
        ArtifactCommand::Delete(arguments) => delete::delete(&call, &arguments),
        ArtifactCommand::Export(arguments) => export::export(&call, &arguments),
        ArtifactCommand::Import(arguments) => import::import(&call, &arguments),
        ArtifactCommand::Verify(arguments) => verify::verify(as_json, &arguments),
        ArtifactCommand::Ids(arguments) => ids::ids(&call, &arguments),
    }
}

/// The way a command was called.
#[derive(Debug, Clone, Copy)]
pub(super) struct Call<'a> {
    /// The data directory that was named.
    pub(super) data_dir: Option<&'a Path>,
    /// Whether programs read the output.
    pub(super) as_json: bool,
}

/// A data directory and its configuration.
#[derive(Debug)]
struct Opened {
    dir: PathBuf,
    config: Config,
}

impl Call<'_> {
    /// Finds the data directory, reads its configuration, and starts logging.
    fn open(&self) -> Result<Opened, Failure> {
        let (data_dir, settings) = command::settings(self.data_dir, &[])?;
        logging::start_quietly(&settings.config)?;
        Ok(Opened { dir: data_dir.path, config: settings.config })
    }
}

impl Opened {
    /// Has `work` done on the store. It can fail in two ways: as a call, and for a reason of its own.
    fn ask<T>(
        &self,
        needs: Needs,
        work: impl AsyncFnMut(&mut Client) -> Result<Result<T, Failure>, ClientError>,
    ) -> Result<T, Failure> {
        reach::reach_with(&self.dir, &self.config, needs, work)?
    }
}

/// Reads the id of an artifact from the command line.
fn artifact_id(text: &str) -> Result<String, String> {
    let id: Result<cairn_artifacts::ArtifactId, _> = text.trim().to_ascii_lowercase().parse();
    id.map(|id| id.to_string()).map_err(|error| error.to_string())
}
