//! `cairn search`: finding what was said by its words.

mod rebuild;
mod text;

use std::path::Path;

use cairn_base::{Clock, SystemClock, limits};
use clap::{Args, Subcommand};

use crate::failure::Failure;
use crate::reach::{self, Needs};
use crate::terminal::Look;
use crate::{command, logging};

pub(crate) const SEARCH_AFTER_HELP: &str = "\
Examples:
  cairn search deploy the release          any of the words; those with most of them come first
  cairn search '\"sealed segment\" recovery' a phrase, and a word
  cairn search 'deploy +prod -staging'     has to be there, must not be there
  cairn search deploy --in contexts        whole conversations
  cairn search deploy --since -7d --type com.example.Note
  cairn search deploy --json               what GET /v1/search answers
  cairn search rebuild                     make the index anew

Words are found in any form (deploy finds deployed), and pre* finds what begins so. The shell keeps
quotes and signs when all of it stands in quotes: 'deploy -staging'. The word rebuild alone is
looked for as '\"rebuild\"'.

It works whether or not a server runs on the data directory; without one, the index is brought up to
date first.";

/// What to look for.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    #[command(subcommand)]
    command: Option<SearchCommand>,

    /// What to look for
    #[arg(value_name = "WORDS", required = true)]
    words: Vec<String>,

    /// turns, windows (some turns one after the other), contexts, or auto
    #[arg(long = "in", value_name = "UNIT")]
    unit: Option<String>,

    /// Only turns of this type; may be given more than once
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<String>,

    /// Only what belongs to this context
    #[arg(long, value_name = "CONTEXT")]
    context: Option<u64>,

    /// Not before this time: 2026-01-31, 2026-01-31T12:00:00Z, or back from now like -7d
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    since: Option<String>,

    /// Not after this time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    until: Option<String>,

    /// Newer is better: after so long, such as 30d, a hit keeps three quarters of its score
    #[arg(long, value_name = "TIME")]
    recency: Option<String>,

    /// How many at the most, 1 to 100 [default: 10]
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// Where the next page begins, as the page before said
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

/// What else to do.
#[derive(Debug, Subcommand)]
enum SearchCommand {
    /// Make the search index anew from what is stored
    #[command(after_help = rebuild::AFTER_HELP)]
    Rebuild,
}

/// Searches, or makes the index anew.
pub(super) fn search(data_dir: Option<&Path>, as_json: bool, arguments: &SearchArgs) -> Result<(), Failure> {
    if let Some(SearchCommand::Rebuild) = arguments.command {
        return rebuild::rebuild(data_dir, as_json);
    }
    let parameters = parameters(arguments)?;
    let (data_dir, settings) = command::settings(data_dir, &[])?;
    logging::start_quietly(&settings.config)?;
    let page = reach::reach_with(&data_dir.path, &settings.config, Needs::WholeIndex, async |client| {
        client.search(&parameters).await
    })?;
    let to_text = || text::page(&page, SystemClock.now_ms(), Look::of_stdout());
    command::print(&if as_json { format!("{page:#}\n") } else { to_text() })
}

/// As the route has them; what makes no sense is told by it.
fn parameters(arguments: &SearchArgs) -> Result<Vec<(&'static str, String)>, Failure> {
    let words = arguments.words.join(" ");
    if words.len() > limits::WORDS_QUERY_BYTES_MAX {
        let (bytes, max) = (words.len(), limits::WORDS_QUERY_BYTES_MAX);
        return Err(Failure::usage(format!("that is {bytes} bytes to look for, and at most {max} are read"))
            .hint("ask for fewer words"));
    }
    let SearchArgs { command: _, words: _, unit, types, context, since, until, recency, limit, cursor } =
        arguments;
    let types = (!types.is_empty()).then(|| types.join(","));
    let given = [
        ("q", Some(words)),
        ("in", unit.clone()),
        ("type", types),
        ("context_id", context.map(|context| context.to_string())),
        ("since", since.clone()),
        ("until", until.clone()),
        ("recency", recency.clone()),
        ("limit", limit.map(|limit| limit.to_string())),
        ("cursor", cursor.clone()),
    ];
    Ok(given.into_iter().filter_map(|(name, value)| Some((name, value?))).collect())
}
