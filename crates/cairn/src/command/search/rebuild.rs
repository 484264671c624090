//! `cairn search rebuild`.

use std::path::Path;

use cairn_embedded::Progress;

use crate::command::{self, maintain};
use crate::failure::Failure;
use crate::reach::{self, Needs};
use crate::{logging, progress};

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn search rebuild          with a bar on terminals
  cairn search rebuild --json   with its figures as JSON

It works whether or not a server runs on the data directory. A running server makes the new index
beside the old one, and searches go on with that until the new one serves. It does so also after an
interrupt (Ctrl-C), which only stops the waiting.";

/// Makes the index anew, and ends when it serves.
pub(super) fn rebuild(data_dir: Option<&Path>, as_json: bool) -> Result<(), Failure> {
    let (data_dir, settings) = command::settings(data_dir, &[])?;
    logging::start_quietly(&settings.config)?;
    let show = progress::counter();
    let report = reach::reach_with(&data_dir.path, &settings.config, Needs::Index, async |client| {
        let tell = |stage: cairn_seam::Stage<'_>| {
            show(stage.name, Progress { done: stage.done, total: stage.total })
        };
        client.rebuild_search(&mut { tell }).await
    })?;
    drop(show);
    if as_json { maintain::print_json(&report) } else { command::print(&maintain::figures(&report)) }
}
