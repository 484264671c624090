//! `cairn artifact import`.

use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use cairn_access::identity::{Identity, IdentityFolder};
use cairn_artifacts::one_json;
use cairn_base::fs::SystemFs;
use cairn_base::{SystemClock, SystemEntropy};
use cairn_embedded::Progress;
use cairn_wire::artifacts::ImportReport;
use clap::Args;
use indicatif::HumanBytes;
use tokio::sync::mpsc;

use super::verify_json::{JSON_BYTES_MAX, is_json};
use super::{Call, one};
use crate::command::answer::{json, text};
use crate::command::input::{feed, feed_from};
use crate::command::{counted, print};
use crate::failure::Failure;
use crate::progress;
use crate::reach::Needs;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn artifact import all.kcp            a bundle of `cairn artifact export`
  cairn artifact import artifact.json      one artifact of another KCP node

Every signature is verified with keys that this node knows; keys inside the file are never trusted.
Artifacts of unknown authors are quarantined: stored, and not served until their keys are registered
(`cairn access key add`). An artifact that is here already is left alone, so an import can be
repeated. Exit code 1: something was refused.";

/// What to import.
#[derive(Debug, Args)]
pub(crate) struct ImportArgs {
    /// Bundle, or JSON export of one artifact
    #[arg(value_name = "FILE")]
    file: PathBuf,
}

/// Imports.
pub(in crate::command) fn import(call: &Call<'_>, arguments: &ImportArgs) -> Result<(), Failure> {
    let file = &arguments.file;
    let failed = |error: std::io::Error| Failure::io(format_args!("read {}", file.display()), &error);
    let mut opened_file = File::open(file).map_err(failed)?;
    let total = opened_file.metadata().map_err(failed)?.len();
    let is_json = is_json(&mut opened_file).map_err(failed)?;
    let opened = call.open()?;
    let converted = if is_json { Some(convert(&mut opened_file, file, &opened.dir)?) } else { None };
    let show = progress::reporter();
    let mut failures = None;
    let done = opened.ask(Needs::Store, async |client| {
        let (pieces, coming) = mpsc::channel(2);
        let sent = Arc::new(AtomicU64::new(0));
        failures = Some(match &converted {
            Some(bundle) => {
                let name = file.display().to_string();
                feed_from(Cursor::new(bundle.clone()), name, pieces, Arc::clone(&sent))
            }
            None => feed(file.clone(), pieces, Arc::clone(&sent)),
        });
        let mut on_stage = |stage: cairn_seam::Stage<'_>| {
            show(stage.name, Progress { done: sent.load(Ordering::Relaxed).min(total), total });
        };
        client.import_artifacts(coming, &mut on_stage).await.map(Ok)
    });
    drop(show);
    // A file that could not be read looks like a cut one to the server.
    if let Some(failure) = failures.and_then(|failures| failures.try_recv().ok()) {
        return Err(failure);
    }
    let report = done?;
    print(&if call.as_json { json(&report) } else { to_text(&report) })?;
    if report.refused > 0 {
        let refused = counted(report.refused, "artifact");
        return Err(Failure::new(format!("{refused} refused")).hint("the report says why"));
    }
    Ok(())
}

/// The JSON export of one artifact as a bundle.
fn convert(input: &mut File, file: &Path, dir: &Path) -> Result<Vec<u8>, Failure> {
    let failed = |error: std::io::Error| Failure::io(format_args!("read {}", file.display()), &error);
    input.seek(SeekFrom::Start(0)).map_err(failed)?;
    let mut bytes = Vec::new();
    input.take(JSON_BYTES_MAX + 1).read_to_end(&mut bytes).map_err(failed)?;
    let one = one_json::read(bytes.trim_ascii())
        .map_err(|error| Failure::usage(format!("{}: {error}", file.display())))?;
    // The head only frames the one artifact; nobody has to trust its key.
    let identity = IdentityFolder::new(&SystemFs, dir).load()?;
    let identity = identity.unwrap_or_else(|| Identity::random(&SystemEntropy, &SystemClock));
    one::to_bundle(&one, &identity)
}

fn to_text(report: &ImportReport) -> String {
    let ImportReport { imported, known, quarantined, refused, tombstones, content_bytes, torn_bytes, notes } =
        report;
    let mut out = format!("imported {}", counted(*imported, "artifact"));
    if *content_bytes > 0 {
        out += &format!(" with {} of content", HumanBytes(*content_bytes));
    }
    for (count, what) in [(known, "known already"), (quarantined, "quarantined"), (refused, "refused")] {
        if *count > 0 {
            out += &format!("; {count} {what}");
        }
    }
    if *tombstones > 0 {
        out += &format!("; applied {}", counted(*tombstones, "tombstone"));
    }
    out.push('\n');
    for note in notes {
        out += &format!("{}  {}: {}\n", text(&note.id), text(&note.outcome), text(&note.reason));
    }
    let unnamed = (quarantined + refused).saturating_sub(notes.len() as u64);
    if unnamed > 0 {
        out += &format!("and {unnamed} more\n");
    }
    if *torn_bytes > 0 {
        out += &format!("note: ignored {} behind the last signed head\n", counted(*torn_bytes, "byte"));
    }
    if *quarantined > 0 {
        out += "hint: register the keys of authors you trust with `cairn access key add`, and import again\n";
    }
    out
}

#[cfg(test)]
mod tests {
    use cairn_wire::artifacts::ImportNote;

    use super::*;

    #[test]
    fn a_report_names_what_was_not_imported() {
        let note = ImportNote { id: "x\u{1b}".into(), outcome: "refused".into(), reason: "wrong".into() };
        let report = ImportReport {
            imported: 1,
            known: 2,
            quarantined: 3,
            refused: 1,
            tombstones: 1,
            content_bytes: 2048,
            torn_bytes: 7,
            notes: vec![note],
        };
        insta::assert_snapshot!("report", to_text(&report));
        assert_eq!(to_text(&ImportReport::default()), "imported 0 artifacts\n");
    }
}
