//! `cairn kb search`.

use cairn_kb::EntityType;
use cairn_kb::tools::{SearchInput, SearchOutput, SearchResult};
use clap::Args;

use super::Call;
use super::options::{PageArgs, entity_type};
use super::text::{cut, sum};
use crate::command::answer::{joined, json, text};
use crate::command::print;
use crate::failure::Failure;
use crate::reach::Needs;
use crate::terminal::Look;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb search session timeout        any of the terms; best matches first
  cairn kb search --type adr 'event sourcing'
  cairn kb search login --json

Searches ids, titles, tags, properties and Markdown bodies. Without a running server, the index is
brought up to date first.";

/// Snippets are below what they are of, this far in.
const INDENT: &str = "    ";

/// What to search for.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// Search query
    #[arg(value_name = "QUERY", required = true)]
    words: Vec<String>,

    /// Only entities of this type
    #[arg(long = "type", value_name = "TYPE", value_parser = entity_type())]
    kind: Option<EntityType>,

    #[command(flatten)]
    page: PageArgs,
}

/// Searches entities.
pub(super) fn search(call: &Call<'_>, arguments: SearchArgs) -> Result<(), Failure> {
    let SearchArgs { words, kind, page } = arguments;
    let PageArgs { limit, offset } = page;
    let input = SearchInput { query: words.join(" "), kind, limit, offset, request_id: None };
    let tree = call.tree()?;
    let output =
        tree.ask(Needs::WholeIndex, async |client| client.kb_search(&tree.id, tree.branch(), &input).await)?;
    print(&if call.as_json { json(&output) } else { to_text(&output, page, Look::of_stdout()) })
}

fn to_text(output: &SearchOutput, page: PageArgs, look: Look) -> String {
    let mut out: String = output.results.iter().map(|result| block(result, look)).collect();
    if output.count == 0 {
        out += "nothing was found\n";
    } else {
        out += &sum(output.results.len(), output.count, ["result", "results"], page, look);
    }
    if output.behind {
        out += "note: the search index is behind; search again in a moment\n";
    }
    out
}

fn block(result: &SearchResult, look: Look) -> String {
    let [id, kind, title, status] =
        ["id", "type", "title", "status"].map(|name| text(result.entity.text(name)));
    let facts = format!("{kind}, {status}, score {:.2}, {}", result.score, joined(&result.reasons));
    let mut out = format!("{id}  {}  {}\n", look.bold(&title), look.dim(&facts));
    if let Some(snippet) = &result.snippet {
        let room = look.width.map_or(usize::MAX, |width| width.saturating_sub(INDENT.len()).max(20));
        out += &format!("{INDENT}{}\n", cut(&text(snippet), room));
    }
    out
}
