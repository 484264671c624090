//! `cairn artifact lineage`.

use clap::{Args, ValueEnum};

use super::filter::{Parameters, borrowed};
use super::tree::tree;
use super::{Call, artifact_id};
use crate::command::answer::json;
use crate::command::print;
use crate::failure::Failure;
use crate::reach::Needs;
use crate::terminal::Look;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn artifact lineage ID                        a tree of ancestors and derivatives
  cairn artifact lineage ID --direction up --depth 3
  cairn artifact lineage ID --format dot | dot -Tsvg > lineage.svg
  cairn artifact lineage ID --format mermaid       for Markdown
  cairn artifact lineage ID --format prov          PROV-JSON
  cairn artifact lineage ID --format openlineage   OpenLineage events, one line each
  cairn artifact lineage ID --json                 JSON, as the HTTP API returns it

An artifact that you may not read is [redacted], one that this node does not have is [missing], and
a deleted one is [deleted]. An artifact that is reached twice is drawn once.";

/// Which lineage.
#[derive(Debug, Args)]
pub(crate) struct LineageArgs {
    /// Artifact
    #[arg(value_name = "ID", value_parser = artifact_id)]
    id: String,

    /// Levels in each direction, at most 1000 [default: 10]
    #[arg(long, value_name = "N")]
    depth: Option<u64>,

    /// Ancestors, derivatives or both
    #[arg(long, value_name = "DIRECTION", value_enum, default_value_t = Direction::Both)]
    direction: Direction,

    /// Artifacts in all, at most 10000 [default: 500]
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Tree)]
    format: Format,
}

/// The direction of a lineage.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Direction {
    Up,
    Down,
    Both,
}

/// The format of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Tree,
    Json,
    Dot,
    Mermaid,
    Prov,
    Openlineage,
}

impl LineageArgs {
    fn parameters(&self) -> Parameters {
        let direction = match self.direction {
            Direction::Up => "up",
            Direction::Down => "down",
            Direction::Both => "both",
        };
        let mut parameters = vec![("direction", direction.to_owned())];
        parameters.extend(self.depth.map(|depth| ("depth", depth.to_string())));
        parameters.extend(self.limit.map(|limit| ("limit", limit.to_string())));
        parameters
    }
}

/// Shows a lineage.
pub(in crate::command) fn lineage(call: &Call<'_>, arguments: &LineageArgs) -> Result<(), Failure> {
    let mut parameters = arguments.parameters();
    let is_json = call.as_json && arguments.format == Format::Tree;
    let format = if is_json { Format::Json } else { arguments.format };
    let named = match format {
        Format::Tree | Format::Json => None,
        Format::Dot => Some("dot"),
        Format::Mermaid => Some("mermaid"),
        Format::Prov => Some("prov"),
        Format::Openlineage => Some("openlineage"),
    };
    let opened = call.open()?;
    let id = &arguments.id;
    if let Some(name) = named {
        parameters.push(("format", name.to_owned()));
        let parameters = borrowed(&parameters);
        let mut text = opened
            .ask(Needs::Store, async |client| client.artifact_lineage_text(id, &parameters).await.map(Ok))?;
        if !text.ends_with('\n') {
            text.push('\n');
        }
        return print(&text);
    }
    let parameters = borrowed(&parameters);
    let lineage =
        opened.ask(Needs::Store, async |client| client.artifact_lineage(id, &parameters).await.map(Ok))?;
    print(&if format == Format::Json { json(&lineage) } else { tree(&lineage, Look::of_stdout()) })
}
