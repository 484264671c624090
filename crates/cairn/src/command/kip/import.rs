//! `cairn kip import`.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use cairn_embedded::Progress;
use cairn_http::ClientError;
use cairn_seam::Stage;
use cairn_wire::bulk::KipImportReport;
use clap::Args;
use tokio::sync::mpsc;

use super::form::Form;
use crate::command::counted;
use crate::command::input::{feed, is_stdin, length_of};
use crate::failure::Failure;
use crate::{logging, progress, reach};

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn kip import graph.kip                   UPSERT commands, any number of them
  cairn kip import graph.ndjson                concepts and links, one JSON object a line
  zstd -dc graph.kip.zst | cairn kip import -
  cairn kip import graph.kip --space work --dry-run

Lines are {\"concept\": {\"type\", \"name\", \"attributes\", \"metadata\"}} or
{\"link\": {\"subject\", \"predicate\", \"object\", \"attributes\", \"metadata\"}}, where subject and object are
{\"type\", \"name\"} or, for what is said about a link, {\"link\": {\"subject\", \"predicate\", \"object\"}}.

Everything is checked as an UPSERT is: types and predicates have to be there, or stand further up. About a
thousand elements are one transaction, in the order of the file. A mistake is told with its line; what
came before its transaction stays.

However it ends, the same command again goes on behind what is imported: that is noted with it, under a
hash of how the input begins, or under the name given with --resume. The part that is imported has to be
the same still; what comes behind it may be corrected. --restart begins at the beginning. When all is
imported the note goes; importing it once more changes nothing.

A dry run tries the first 4 MiB, and reads the rest to find mistakes in its form.";

/// What to import.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// The file, or - for standard input
    #[arg(value_name = "FILE")]
    file: PathBuf,

    /// What is in it [default: by the name of the file, or by its first character]
    #[arg(long, value_name = "FORMAT")]
    format: Option<Form>,

    /// The space to import into [default: memory]
    #[arg(long, value_name = "SPACE")]
    space: Option<String>,

    /// Change nothing, and say what would be
    #[arg(long)]
    dry_run: bool,

    /// What this import is called, to go on with it after an interruption
    #[arg(long, value_name = "NAME")]
    resume: Option<String>,

    /// Begin at the beginning, whatever was imported before
    #[arg(long)]
    restart: bool,
}

/// Imports.
pub(super) fn import(data_dir: Option<&Path>, as_json: bool, arguments: &ImportArgs) -> Result<(), Failure> {
    // Before anything is begun.
    let total = length_of(&arguments.file)?;
    let (data_dir, settings) = crate::command::settings(data_dir, &[])?;
    logging::start_quietly(&settings.config)?;
    let query = query(arguments);
    let query: Vec<_> = query.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let show = progress::reporter();
    let speed = Speed::new();
    let mut failures = None;
    let (mut imported, mut was_cut, mut is_begun) = (0, false, false);
    let done = reach::reach(&data_dir.path, &settings.config, async |client| {
        // What was read of standard input is gone; behind it would be half an input.
        if std::mem::replace(&mut is_begun, true) && is_stdin(&arguments.file) {
            was_cut = true;
            return Err(ClientError::Cut { cause: "standard input cannot be read twice".to_owned() });
        }
        let (pieces, text) = mpsc::channel(2);
        let sent = Arc::new(AtomicU64::new(0));
        failures = Some(feed(arguments.file.clone(), pieces, Arc::clone(&sent)));
        let mut on_stage = |stage: Stage<'_>| {
            imported = stage.done;
            if total > 0 {
                let done = sent.load(Ordering::Relaxed);
                show(&speed.told(stage.done), Progress { done, total });
            }
        };
        let called = client.kip_import(&query, text, &mut on_stage).await;
        called.inspect_err(|error| was_cut = matches!(error, ClientError::Cut { .. }))
    });
    drop(show);
    // A file that could not be read looks like a cut one to the server.
    if let Some(failure) = failures.and_then(|failures| failures.try_recv().ok()) {
        return Err(failure);
    }
    let goes_on = |failure: Failure| match failure.is_stop() || was_cut {
        true => failure
            .hint(format!("{} so far; run the same command again to go on", counted(imported, "element"))),
        // Whatever else is wrong says itself what to do.
        false => failure,
    };
    let report = done.map_err(goes_on)?;
    crate::command::print(&if as_json { to_json(&report) } else { told(&report) })
}

fn query(arguments: &ImportArgs) -> Vec<(&'static str, String)> {
    let mut query = Vec::new();
    let form = arguments.format.or_else(|| Form::of_file(&arguments.file));
    query.extend(form.map(|form| ("format", form.name().to_owned())));
    query.extend(arguments.space.iter().map(|space| ("space", space.clone())));
    query.extend(arguments.resume.iter().map(|name| ("resume", name.clone())));
    for (name, is_set) in [("dry_run", arguments.dry_run), ("restart", arguments.restart)] {
        if is_set {
            query.push((name, "true".to_owned()));
        }
    }
    query
}

/// How many elements there are, and how fast they come.
struct Speed {
    began: Instant,
    is_seen: bool,
}

impl Speed {
    fn new() -> Self {
        Speed { began: Instant::now(), is_seen: std::io::stderr().is_terminal() }
    }

    /// For a bar; log lines are told apart by their stage, which stays the same there.
    fn told(&self, elements: u64) -> String {
        if !self.is_seen {
            return "importing".to_owned();
        }
        format!("importing {} ({}/s)", counted(elements, "element"), rate(elements, self.began.elapsed()))
    }
}

fn rate(elements: u64, time: Duration) -> u64 {
    let per_second = u128::from(elements) * 1000 / time.as_millis().max(1);
    u64::try_from(per_second).unwrap_or(u64::MAX)
}

fn to_json(report: &KipImportReport) -> String {
    serde_json::to_string_pretty(report).expect("a report is plain data") + "\n"
}

fn told(report: &KipImportReport) -> String {
    let (verb, tail) =
        if report.dry_run { ("would import", "; nothing was changed") } else { ("imported", "") };
    let both = |created, changed, what| {
        format!("{} ({created} new, {changed} changed)", counted(created + changed, what))
    };
    let mut out = format!(
        "{verb} {} and {}",
        both(report.concepts_created, report.concepts_changed, "concept"),
        both(report.links_created, report.links_changed, "link")
    );
    if report.unchanged > 0 {
        let were = if report.unchanged == 1 { "was" } else { "were" };
        out += &format!("; {} {were} so already", counted(report.unchanged, "element"));
    }
    if report.bytes_skipped > 0 {
        out += &format!("; {} had been imported before", counted(report.bytes_skipped, "byte"));
    }
    if report.only_read > 0 {
        out += &format!("; {} behind these were only read", counted(report.only_read, "element"));
    }
    let elements = report.concepts_created
        + report.concepts_changed
        + report.links_created
        + report.links_changed
        + report.unchanged;
    let took = Duration::from_millis(report.took_ms);
    out += tail;
    out + &format!("\n{:.1} s, {} elements/s\n", took.as_secs_f64(), rate(elements, took))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_report_is_told_in_words() {
        let report = KipImportReport {
            concepts_created: 2,
            concepts_changed: 1,
            links_created: 1,
            links_changed: 0,
            unchanged: 1,
            bytes_skipped: 100,
            dry_run: false,
            only_read: 0,
            took_ms: 2_000,
        };
        assert_eq!(
            told(&report),
            "imported 3 concepts (2 new, 1 changed) and 1 link (1 new, 0 changed); 1 element was so already; \
             100 bytes had been imported before\n2.0 s, 2 elements/s\n"
        );
        let dry = KipImportReport {
            dry_run: true,
            only_read: 7,
            bytes_skipped: 0,
            unchanged: 0,
            took_ms: 0,
            ..report
        };
        assert_eq!(
            told(&dry),
            "would import 3 concepts (2 new, 1 changed) and 1 link (1 new, 0 changed); 7 elements behind these \
             were only read; nothing was changed\n0.0 s, 4000 elements/s\n"
        );
    }
}
