//! `cairn turns import`.

use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, channel};

use cairn_embedded::Progress;
use cairn_http::{Bytes, ImportReport};
use clap::Args;
use tokio::sync::mpsc;

use super::counted;
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

/// Bytes that are read at a time.
const PIECE_BYTES: usize = 256 << 10;

/// Imports.
pub(super) fn import(data_dir: Option<&Path>, as_json: bool, arguments: &ImportArgs) -> Result<(), Failure> {
    // Before anything is begun.
    let total = if is_stdin(&arguments.file) { 0 } else { open(&arguments.file)?.1 };
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

fn is_stdin(file: &Path) -> bool {
    file == Path::new("-")
}

fn open(path: &Path) -> Result<(Box<dyn Read + Send>, u64), Failure> {
    if is_stdin(path) {
        return Ok((Box::new(std::io::stdin()), 0));
    }
    let failed = |error: std::io::Error| Failure::io(format!("read {}", path.display()), &error);
    let file = File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    Ok((Box::new(file), length))
}

/// Reads on a thread of its own, as fast as pieces are taken; says what went wrong.
fn feed(path: PathBuf, pieces: mpsc::Sender<Bytes>, sent: Arc<AtomicU64>) -> Receiver<Failure> {
    let (failed, failures) = channel();
    std::thread::spawn(move || {
        if let Err(failure) = read_all(&path, &pieces, &sent) {
            let _ = failed.send(failure);
        }
    });
    failures
}

fn read_all(path: &Path, pieces: &mpsc::Sender<Bytes>, sent: &AtomicU64) -> Result<(), Failure> {
    let mut input = open(path)?.0;
    loop {
        let mut piece = vec![0; PIECE_BYTES];
        let bytes = input.read(&mut piece);
        let bytes = bytes.map_err(|error| Failure::io(format!("read {}", path.display()), &error))?;
        piece.truncate(bytes);
        // Nobody takes more when the import has failed.
        if bytes == 0 || pieces.blocking_send(piece.into()).is_err() {
            return Ok(());
        }
        sent.fetch_add(bytes as u64, Ordering::Relaxed);
    }
}

fn to_json(report: &ImportReport) -> String {
    serde_json::to_string_pretty(report).expect("a report is plain data") + "\n"
}

fn told(report: &ImportReport) -> String {
    let ImportReport { contexts, turns, blobs, bundles, skipped } = report;
    let mut out = format!("imported {} and {}", counted(*contexts, "context"), counted(*turns, "turn"));
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
