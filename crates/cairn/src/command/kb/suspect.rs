//! `cairn kb suspect`.

use cairn_kb::Relation;
use cairn_kb::tools::{AcceptInput, AcceptOutput, SuspectInput, SuspectOutput};
use clap::Args;

use super::Call;
use super::options::{PageArgs, relation};
use super::text::{Names, counted, sum, table};
use super::tree::Tree;
use crate::command::answer::{json, text};
use crate::command::print;
use crate::failure::Failure;
use crate::reach::Needs;
use crate::terminal::Look;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb suspect                     links to look at again
  cairn kb suspect REQ-001             those at one entity
  cairn kb suspect --relation implements,verified_by
  cairn kb suspect --clear REQ-001     they still hold
  cairn kb suspect --clear --all

A link is suspect when the content of its source or target changed after the link was made: title,
text, body, the fields of a fact, the scope of a test. Status, tags, owner and times are no content.
Links of older versions of cairn cannot be compared, and are counted as unknown; --include-unknown
accepts them, too, so that later changes are seen.";

const LINKS: Names = ["suspect link", "suspect links"];

/// Which links, and whether they are accepted.
#[derive(Debug, Args)]
pub(crate) struct SuspectArgs {
    /// Entities that the links start or end at [default: all]
    #[arg(value_name = "ID")]
    ids: Vec<String>,

    /// Only relationships of these types, separated by commas
    #[arg(long = "relation", value_name = "RELATIONS", value_delimiter = ',', value_parser = relation(),
          conflicts_with = "clear")]
    relations: Vec<Relation>,

    /// Accept the present contents of the ends, so that the links are suspect no more
    #[arg(long)]
    clear: bool,

    /// Accept the links of all entities
    #[arg(long, requires = "clear", conflicts_with = "ids")]
    all: bool,

    /// Accept links, too, that cannot be compared
    #[arg(long, requires = "clear")]
    include_unknown: bool,

    #[command(flatten)]
    page: PageArgs,
}

/// Lists suspect links, or accepts them.
pub(super) fn suspect(call: &Call<'_>, arguments: SuspectArgs) -> Result<(), Failure> {
    let SuspectArgs { ids, relations, clear, all, include_unknown, page } = arguments;
    if clear && ids.is_empty() && !all {
        return Err(Failure::usage("no links to clear").hint("name entities, or add --all"));
    }
    let tree = call.tree()?;
    if clear {
        let input = AcceptInput { ids, all, include_unknown, request_id: None };
        let output = accept(&tree, &input)?;
        let line = format!("accepted {}\n", counted(output.accepted, ["link", "links"]));
        return print(&if call.as_json { json(&output) } else { line });
    }
    let PageArgs { limit, offset } = page;
    let input = SuspectInput { ids, relationships: relations, limit, offset, request_id: None };
    let output =
        tree.ask(Needs::Store, async |client| client.kb_suspect(&tree.id, tree.branch(), &input).await)?;
    print(&if call.as_json { json(&output) } else { to_text(&output, page, Look::of_stdout()) })
}

/// Accepts links until none is left; one request accepts only so many.
fn accept(tree: &Tree, input: &AcceptInput) -> Result<AcceptOutput, Failure> {
    let mut accepted = 0;
    loop {
        let output =
            tree.ask(Needs::Store, async |client| client.kb_accept(&tree.id, tree.branch(), input).await)?;
        accepted += output.accepted;
        if output.remaining == 0 || output.accepted == 0 {
            return Ok(AcceptOutput { accepted, ..output });
        }
    }
}

fn to_text(output: &SuspectOutput, page: PageArgs, look: Look) -> String {
    let mut out = String::new();
    if !output.links.is_empty() {
        let rows = output.links.iter().map(|link| {
            [
                text(&link.from),
                link.relation.to_string(),
                text(&link.to),
                link.changed.to_string(),
                text(&link.from_title),
                text(&link.to_title),
            ]
        });
        let heads = ["SOURCE", "RELATION", "TARGET", "CHANGED", "SOURCE TITLE", "TARGET TITLE"];
        out += &table(heads, rows.collect(), look);
    }
    out += &sum(output.links.len(), output.count, LINKS, page, look);
    if output.unknown > 0 {
        let unknown = counted(output.unknown, ["link", "links"]);
        out += &look.dim(&format!("{unknown} of older versions cannot be compared"));
        out += "\n";
    }
    for id in &output.unknown_ids {
        out += &format!("no such entity: {}\n", text(id));
    }
    out
}
