//! `cairn kip logs`.

use std::path::Path;

use cairn_wire::kip::KipLogsBody;
use clap::Args;

use super::run::refuse_error;
use super::text;
use crate::command::answer::json;
use crate::failure::Failure;
use crate::terminal::Look;
use crate::{command, logging, reach};

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn kip logs                     the newest commands, and what came of them
  cairn kip logs --limit 100 --json

A server keeps so many of the newest commands since its start, in memory. Without a server there is
nothing to show.";

/// Which part of the log.
#[derive(Debug, Args)]
pub(crate) struct LogsArgs {
    /// How many at the most, 1 to 100 [default: 10]
    #[arg(long, value_name = "N")]
    limit: Option<u64>,

    /// Where the next page begins, as the page before said
    #[arg(long, value_name = "CURSOR")]
    cursor: Option<String>,
}

/// Shows what was asked.
pub(super) fn logs(data_dir: Option<&Path>, as_json: bool, arguments: &LogsArgs) -> Result<(), Failure> {
    let LogsArgs { limit, cursor } = arguments;
    let params = KipLogsBody { limit: *limit, cursor: cursor.clone() };
    let (data_dir, settings) = command::settings(data_dir, &[])?;
    logging::start_quietly(&settings.config)?;
    let page = reach::reach(&data_dir.path, &settings.config, async |client| client.kip_logs(&params).await)?;
    if as_json {
        command::print(&json(&page))?;
        return refuse_error(&page.into());
    }
    let page = page.into();
    refuse_error(&page)?;
    command::print(&text::page(&page, "the same with --cursor", Look::of_stdout()))
}
