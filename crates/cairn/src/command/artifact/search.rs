//! `cairn artifact search`.

use clap::Args;

use super::filter::{FilterArgs, PageArgs, borrowed};
use super::{Call, text};
use crate::command::answer::json;
use crate::command::print;
use crate::failure::Failure;
use crate::reach::Needs;
use crate::terminal::Look;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn artifact search rate limits                any of the terms; best matches first
  cairn artifact search '\"rate limits\" +gateway'   a phrase and a required term
  cairn artifact search gateway --tags q3 --format markdown
  cairn artifact search gateway --json             the response of GET /kcp/v1/artifacts?q=gateway

Searches titles, summaries, tags, authors, sources and the text of content. The query is that of
`cairn search`.";

/// What to search for.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    /// Search query
    #[arg(value_name = "QUERY", required = true)]
    words: Vec<String>,

    #[command(flatten)]
    filter: FilterArgs,

    #[command(flatten)]
    page: PageArgs,
}

/// Searches artifacts.
pub(in crate::command) fn search(call: &Call<'_>, arguments: &SearchArgs) -> Result<(), Failure> {
    let mut parameters = vec![("q", arguments.words.join(" "))];
    parameters.extend(arguments.filter.parameters());
    parameters.extend(arguments.page.parameters());
    let parameters = borrowed(&parameters);
    let opened = call.open()?;
    let found = opened.ask(Needs::WholeIndex, async |client| client.artifacts(&parameters).await.map(Ok))?;
    let shown = if call.as_json {
        json(&found)
    } else {
        text::found(&found, arguments.page.offset, Look::of_stdout())
    };
    print(&shown)
}
