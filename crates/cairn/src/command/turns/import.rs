//! `cairn turns import`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cairn_embedded::Progress;
use cairn_wire::bulk::ImportReport;
use clap::Args;
use tokio::sync::mpsc;

use crate::command::counted;
use crate::command::input::{feed, length_of};
use crate::failure::Failure;
use crate::{logging, progress, reach};

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn turns import turns.ndjson              what `cairn turns export` wrote
  zstd -dc turns.ndjson.zst | cairn turns import -
  cairn turns import turns.ndjson --id second  once more, as turns of their own

Contexts and turns get new numbers and keep their times, types, forks and file trees. It can be stopped and
repeated: what was imported before from the same store is passed over, so a later export of that store
adds what is new. With an --id of your own, only what was imported under that id counts.";

/// What to import.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The file, or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// What this import is called, instead of the store the turns come from
    #[arg(long, value_name = "ID")]
    id: Option<String>,
}

/// Imports.
pub(super) fn import(data_dir: Option<&Path>, as_json: bool, arguments: &ImportArgs) -> Result<(), Failure> {
    // Before anything is begun.
    let total = length_of(&arguments.file)?;
    let (data_dir, settings) = crate::command::settings(data_dir, &[])?;
    logging::start_quietly(&settings.config)?;
    let show = progress::reporter();
    let mut failures = None;
    let done = reach::reach(&data_dir.path, &settings.config, async |client| {
        let (pieces, text) = mpsc::channel(2);
        let sent = Arc::new(AtomicU64::new(0));
        failures = Some(feed(arguments.file.clone(), pieces, Arc::clone(&sent)));
        client
            .import(arguments.id.as_deref(), text, &mut |stage| {
                if total > 0 {
                    show(stage.name, Progress { done: sent.load(Ordering::Relaxed), total });
                }
            })
            .await
    });
    drop(show);
    // A file that could not be read looks like a cut one to the server.
    if let Some(failure) = failures.and_then(|failures| failures.try_recv().ok()) {
        return Err(failure);
    }
    let report = done?;
    crate::command::print(&if as_json { to_json(&report) } else { told(&report) })
}

fn to_json(report: &ImportReport) -> String {
    serde_json::to_string_pretty(report).expect("a report is plain data") + "\n"
}

fn told(report: &ImportReport) -> String {
    let ImportReport { contexts, turns, blobs, bundles, placeholders, skipped } = report;
    let mut out = format!("imported {} and {}", counted(*contexts, "context"), counted(*turns, "turn"));
    if *placeholders > 0 {
        out += &format!(" ({placeholders} of them without their payloads, which were unreadable)");
    }
    for (count, what, of) in [(blobs, "blob", "file trees"), (bundles, "bundle", "types")] {
        if *count > 0 {
            out += &format!(", {} of {of}", counted(*count, what));
        }
    }
    if *skipped > 0 {
        let were = if *skipped == 1 { "was" } else { "were" };
        out += &format!("; {} {were} there already", counted(*skipped, "thing"));
    }
    out + "\n"
}
