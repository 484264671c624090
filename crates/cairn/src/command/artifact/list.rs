//! `cairn artifact list`.

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
  cairn artifact list                              the newest 20
  cairn artifact list --tags risk,q3 --author ada
  cairn artifact list --from 2026-11-01 --format markdown
  cairn artifact list --sort most_cited --limit 5
  cairn artifact list --json                       the response of GET /kcp/v1/artifacts

Lists what you may read. Without a running server, the index is brought up to date first.";

/// What to list.
#[derive(Debug, Args)]
pub(crate) struct ListArgs {
    #[command(flatten)]
    filter: FilterArgs,

    #[command(flatten)]
    page: PageArgs,
}

/// Lists artifacts.
pub(in crate::command) fn list(call: &Call<'_>, arguments: &ListArgs) -> Result<(), Failure> {
    let mut parameters = arguments.filter.parameters();
    parameters.extend(arguments.page.parameters());
    let parameters = borrowed(&parameters);
    let opened = call.open()?;
    let found = opened.ask(Needs::WholeIndex, async |client| client.artifacts(&parameters).await.map(Ok))?;
    let shown = if call.as_json {
        json(&found)
    } else {
        text::list(&found, arguments.page.offset, Look::of_stdout())
    };
    print(&shown)
}
