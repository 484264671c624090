//! `cairn turns export`.

use std::path::{Path, PathBuf};

use cairn_base::{ContextId, TurnId};
use cairn_embedded::Progress;
use cairn_wire::bulk::{ExportEnd, ExportMissing};
use clap::Args;
use serde::Deserialize;

use crate::command::answer::json;
use crate::command::output::Out;
use crate::failure::Failure;
use crate::{logging, progress, reach};

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn turns export --out turns.ndjson            everything
  cairn turns export | zstd > turns.ndjson.zst     the same, compressed
  cairn turns export --context 7 --out seven.ndjson
                                                   context 7 and everything it reaches
  cairn turns export --out turns.ndjson --after-turn 1234
                                                   go on behind turn 1234, at the end of the file

Lines of JSON with every context, turn and file tree, and the original times. `cairn turns import` makes
new contexts of them in another data directory. What is written meanwhile is left out.

Damage costs only what it touched: a turn whose payload is unreadable comes without it, and the last
line counts and names what is missing. The command then lists it on standard error and fails with
exit code 4. With --json and a file, that last line is printed.";

/// What to export.
#[derive(Debug, Args)]
pub(crate) struct ExportArgs {
    /// The file to write, or - for standard output
    #[arg(long, value_name = "FILE", default_value = "-")]
    out: PathBuf,

    /// Only this context and what it reaches; may be given more than once
    #[arg(long = "context", value_name = "CONTEXT")]
    contexts: Vec<u64>,

    /// Without the turns up to this one; a file that is there is continued
    #[arg(long, value_name = "TURN", default_value_t = 0)]
    after_turn: u64,
}

/// Exports.
pub(super) fn export(data_dir: Option<&Path>, as_json: bool, arguments: &ExportArgs) -> Result<(), Failure> {
    let (data_dir, settings) = crate::command::settings(data_dir, &[])?;
    logging::start_quietly(&settings.config)?;
    let contexts: Vec<_> = arguments.contexts.iter().copied().map(ContextId).collect();
    let out = Out::in_place(&arguments.out, arguments.after_turn > 0);
    let mut out = out.map_err(|failure| {
        let hint = "name another file, or go on with this one with --after-turn";
        if failure.is_usage() { failure.hint(hint) } else { failure }
    })?;
    let show = progress::counter();
    let mut lines = WholeLines::default();
    let mut failed = None;
    let done = reach::reach(&data_dir.path, &settings.config, async |client| {
        let take = &mut |bytes: &[u8], last: TurnId| {
            let written = lines.add(bytes, &mut out);
            show("exporting turns", Progress { done: lines.last_turn.min(last.0), total: last.0 });
            written.map_err(|failure| failed = Some(failure)).unwrap_or(false)
        };
        client.export(&contexts, TurnId(arguments.after_turn), take).await
    });
    drop(show);
    if let Some(failure) = failed {
        return Err(failure);
    }
    let cut = |failure: Failure| match lines.last_turn {
        0 => failure,
        last => failure.hint(format!("go on with --after-turn {last} and the same --out")),
    };
    done.map_err(cut)?;
    if lines.end.is_none() && !out.is_unread {
        return Err(cut(Failure::new("the export ended early")));
    }
    out.finish()?;
    let Some(end) = lines.end else { return Ok(()) };
    if as_json && arguments.out != Path::new("-") {
        crate::command::print(&json(&end))?;
    }
    end.unreadable.as_ref().and_then(missing).map_or(Ok(()), Err)
}

/// The failure to export everything, which names what is missing; `None` if nothing is.
fn missing(unreadable: &ExportMissing) -> Option<Failure> {
    let ExportMissing { turns, trees, blobs, bundles, turn_ids, blob_hashes } = unreadable;
    let kinds = [
        (*turns, "payload", "of turns"),
        (*trees, "file tree", "of turns"),
        (*blobs, "blob", "of file trees"),
        (*bundles, "bundle", "of types"),
    ];
    let counts = kinds
        .into_iter()
        .filter(|(count, ..)| *count > 0)
        .map(|(count, what, of)| format!("{} {of}", crate::command::counted(count, what)));
    let counts: Vec<_> = counts.collect();
    if counts.is_empty() {
        return None;
    }
    let mut message = format!("the export is not whole: {} cannot be read", counts.join(", "));
    // Each turn may lack both; how many blobs there are is known.
    for (ids, all, what) in
        [(turn_ids, *turns.max(trees), "turns"), (blob_hashes, blobs.saturating_add(*bundles), "blobs")]
    {
        if ids.is_empty() {
            continue;
        }
        let more = all.saturating_sub(ids.len() as u64);
        let more = if more > 0 { format!(" and at least {more} more") } else { String::new() };
        message += &format!("\n{what}: {}{more}", ids.join(", "));
    }
    let hint = "everything else was exported; restore a backup that has them, and export from there";
    Some(Failure::damaged(message).hint(hint))
}

/// Passes on whole lines only, so that whatever happens, none is cut.
#[derive(Default)]
struct WholeLines {
    waiting: Vec<u8>,
    last_turn: u64,
    /// What the last line says, once it came.
    end: Option<ExportEnd>,
}

/// The last line.
#[derive(Deserialize)]
struct EndLine {
    end: ExportEnd,
}

const TURN: &[u8] = b"{\"turn\":{\"turn_id\":\"";
const UNREADABLE: &[u8] = b"{\"unreadable\":{\"turn_id\":\"";
const END: &[u8] = b"{\"end\":";

impl WholeLines {
    fn add(&mut self, bytes: &[u8], out: &mut Out) -> Result<bool, Failure> {
        let Some(end) = bytes.iter().rposition(|byte| *byte == b'\n') else {
            self.waiting.extend_from_slice(bytes);
            return Ok(true);
        };
        self.waiting.extend_from_slice(&bytes[..=end]);
        self.look();
        let goes_on = out.write(&self.waiting)?;
        self.waiting.clear();
        self.waiting.extend_from_slice(&bytes[end + 1..]);
        Ok(goes_on)
    }

    /// The newest turn, and whether this is the end: from the last lines.
    fn look(&mut self) {
        for line in self.waiting.split(|byte| *byte == b'\n').rev().filter(|line| !line.is_empty()) {
            if line.starts_with(END) {
                let line = serde_json::from_slice::<EndLine>(line).ok();
                self.end = line.map(|line| line.end);
            }
            if let Some(rest) = line.strip_prefix(TURN).or_else(|| line.strip_prefix(UNREADABLE)) {
                let digits = rest.split(|byte| !byte.is_ascii_digit()).next().unwrap_or_default();
                let number = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse().ok());
                self.last_turn = number.unwrap_or(self.last_turn);
                return;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_whole_lines_are_passed_on() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join("out");
        let mut out = Out::in_place(&path, false).expect("new");
        let mut lines = WholeLines::default();
        let text = b"{\"cairn\":\"turns\"}\n{\"turn\":{\"turn_id\":\"7\",\"x\":1}}\n{\"end\":{}}\n";
        for (at, byte) in text.iter().enumerate() {
            assert!(lines.add(&[*byte], &mut out).expect("written"));
            let written = std::fs::read(&path).expect("there");
            assert!(written.is_empty() || written.ends_with(b"\n"), "at {at}");
        }
        assert_eq!(std::fs::read(&path).expect("there"), text);
        assert_eq!((lines.last_turn, lines.end), (7, Some(ExportEnd::default())));
        assert!(Out::in_place(&path, false).is_err(), "nothing is overwritten");
    }

    #[test]
    fn what_is_missing_is_counted_and_named() {
        assert!(missing(&ExportMissing::default()).is_none());
        let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect();
        let unreadable = ExportMissing {
            turns: 3,
            trees: 1,
            blobs: 1,
            bundles: 0,
            turn_ids: texts(&["7", "9"]),
            blob_hashes: texts(&["ab"]),
        };
        let (message, hint) = missing(&unreadable).expect("something").into_words();
        assert_eq!(
            message,
            "the export is not whole: 3 payloads of turns, 1 file tree of turns, 1 blob of file trees cannot \
             be read\nturns: 7, 9 and at least 1 more\nblobs: ab"
        );
        assert!(hint.is_some());
    }
}
