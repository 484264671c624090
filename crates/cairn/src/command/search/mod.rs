//! `cairn search`: finding what was said by its words.

mod rebuild;
mod text;

use std::path::Path;

use cairn_base::{Clock, SystemClock};
use cairn_search::limits;
use clap::{Args, Subcommand};

use crate::command::answer::json;
use crate::failure::Failure;
use crate::reach::{self, Needs};
use crate::terminal::Look;
use crate::{command, logging};

pub(crate) const SEARCH_AFTER_HELP: &str = "\
Examples:
  cairn search deploy the release          any of the terms; best matches first
  cairn search '\"sealed segment\" recovery' a phrase and a term
  cairn search 'deploy +prod -staging'     require a term, exclude a term
  cairn search deploy --in contexts        whole contexts
  cairn search deploy --since -7d --type com.example.Note
  cairn search deploy --json               the response of GET /v1/search
  cairn search rebuild                     rebuild the index

Terms are stemmed (deploy finds deployed), and pre* matches a prefix. Quote the whole query to keep
quotes and signs from the shell: 'deploy -staging'. To search for the term rebuild alone, write
'\"rebuild\"'.

Works with and without a running server; without one, the index is brought up to date first.";

/// What to look for.
#[derive(Debug, Args)]
pub(crate) struct SearchArgs {
    #[command(subcommand)]
    command: Option<SearchCommand>,

    /// Search query
    #[arg(value_name = "WORDS", required = true)]
    words: Vec<String>,

    /// turns, windows (some turns one after the other), contexts, artifacts, or auto
    #[arg(long = "in", value_name = "UNIT")]
    unit: Option<String>,

    /// Only turns of this type; may be given more than once
    #[arg(long = "type", value_name = "TYPE")]
    types: Vec<String>,

    /// Only turns of this context
    #[arg(long, value_name = "CONTEXT")]
    context: Option<u64>,

    /// Not before this time: 2026-01-31, 2026-01-31T12:00:00Z, or back from now like -7d
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    since: Option<String>,

    /// Not after this time
    #[arg(long, value_name = "TIME", allow_hyphen_values = true)]
    until: Option<String>,

    /// Prefer newer hits: after this time, such as 30d, a hit keeps three quarters of its score
    #[arg(long, value_name = "TIME")]
    recency: Option<String>,

    /// Maximum number of hits, 1 to 100 [default: 10]
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// Cursor of the next page, from the page before
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

/// What else to do.
#[derive(Debug, Subcommand)]
enum SearchCommand {
    /// Rebuild the search index from the stored records
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
    command::print(&if as_json { json(&page) } else { to_text() })
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
