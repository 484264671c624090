//! `cairn artifact ids`.

use clap::Args;

use super::Call;
use super::filter::borrowed;
use crate::command::answer::{json, text};
use crate::command::print;
use crate::failure::Failure;
use crate::reach::Needs;

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn artifact ids                       the ids of all artifacts, one line each
  cairn artifact ids --limit 100           the first 100
  cairn artifact ids --json                the response of GET /v1/artifacts/ids

In the order in which artifacts arrived, deleted ones included. Administrators see ids and nothing
else of artifacts that they may not read.";

/// Which ids.
#[derive(Debug, Args)]
pub(crate) struct IdsArgs {
    /// Maximum number of ids, 1 to 500 [default: 500]
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// Cursor of the next page, from the page before
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

/// Lists ids.
pub(super) fn ids(call: &Call<'_>, arguments: &IdsArgs) -> Result<(), Failure> {
    let given =
        [("limit", arguments.limit.map(|limit| limit.to_string())), ("cursor", arguments.cursor.clone())];
    let parameters = given.into_iter().filter_map(|(name, value)| Some((name, value?))).collect();
    let parameters = borrowed(&parameters);
    let opened = call.open()?;
    let page = opened.ask(Needs::Store, async |client| client.artifact_ids(&parameters).await.map(Ok))?;
    if call.as_json {
        return print(&json(&page));
    }
    print(&page.ids.iter().map(|id| text(id) + "\n").collect::<String>())?;
    if let Some(cursor) = &page.next_cursor {
        eprintln!("more: the same with --cursor {}", text(cursor));
    }
    Ok(())
}
