//! `cairn kb graph`.

use cairn_kb::tools::{Direction, GraphInput};
use cairn_kb::{EntityType, Relation};
use clap::{Args, ValueEnum};

use super::options::{entity_type, relation};
use super::{Call, draw, walk};
use crate::command::answer::json;
use crate::command::print;
use crate::failure::Failure;
use crate::reach::Needs;
use crate::terminal::Look;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb graph REQ-001                            its relationships, as a tree
  cairn kb graph REQ-001 --direction both --depth 3
  cairn kb graph SYM-7 --relation implements,covered_by
  cairn kb graph REQ-001 --depth 2 --format dot | dot -Tsvg > req.svg
  cairn kb graph REQ-001 --depth 2 --format mermaid   for Markdown
  cairn kb graph REQ-001 REQ-002 --json

An entity that is reached twice is drawn once.";

/// Which part of the graph.
#[derive(Debug, Args)]
pub(crate) struct GraphArgs {
    /// Entities to start from
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,

    /// Relationship types to follow, separated by commas [default: all]
    #[arg(long = "relation", value_name = "RELATIONS", value_delimiter = ',', value_parser = relation())]
    relations: Vec<Relation>,

    /// Direction to follow them in
    #[arg(long, value_name = "DIRECTION", value_enum, default_value_t = Way::Outgoing)]
    direction: Way,

    /// Relationships between a start and the farthest entity, 1 to 5
    #[arg(long, value_name = "N", default_value_t = 1)]
    depth: u32,

    /// Only entities of these types, separated by commas; others are passed through
    #[arg(long = "entity-type", value_name = "TYPES", value_delimiter = ',', value_parser = entity_type())]
    entity_types: Vec<EntityType>,

    /// Maximum entities, at most 10000 [default: 200]
    #[arg(long, value_name = "N")]
    max_nodes: Option<u32>,

    /// Maximum relationships, at most 20000 [default: 500]
    #[arg(long, value_name = "N")]
    max_edges: Option<u32>,

    /// Output format
    #[arg(long, value_name = "FORMAT", value_enum, default_value_t = Format::Text)]
    format: Format,
}

/// The direction of a traversal.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Way {
    Outgoing,
    Incoming,
    Both,
}

/// The format of the output.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    Text,
    Dot,
    Mermaid,
}

/// Shows a part of the graph.
pub(super) fn graph(call: &Call<'_>, arguments: GraphArgs) -> Result<(), Failure> {
    let format = arguments.format;
    let input = GraphInput {
        seed_ids: arguments.ids,
        relationships: arguments.relations,
        direction: match arguments.direction {
            Way::Outgoing => Direction::Outgoing,
            Way::Incoming => Direction::Incoming,
            Way::Both => Direction::Both,
        },
        depth: Some(arguments.depth),
        entity_types: arguments.entity_types,
        max_nodes: arguments.max_nodes,
        max_edges: arguments.max_edges,
        request_id: None,
    };
    let tree = call.tree()?;
    let output =
        tree.ask(Needs::Store, async |client| client.kb_graph(&tree.id, tree.branch(), &input).await)?;
    print(&match format {
        Format::Dot => draw::dot(&output),
        Format::Mermaid => draw::mermaid(&output),
        Format::Text if call.as_json => json(&output),
        Format::Text => walk::tree(&input.seed_ids, &output, Look::of_stdout()),
    })
}
