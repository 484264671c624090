//! `cairn turns prune`.

use std::path::Path;
use std::time::Duration;

use cairn_embedded::Progress;
use cairn_wire::bulk::{PruneJob, PruneReport};
use clap::Args;

use crate::command::counted;
use crate::failure::Failure;
use crate::{config, logging, progress, reach};

pub(super) const AFTER_HELP: &str = "\
Examples:
  cairn turns prune --older-than 90d           what would go: nothing happened in it for 90 days
  cairn turns prune --older-than 90d --apply   and away with it
  cairn turns prune --keep 1000 --apply        all but the 1000 contexts in which something happened last
  cairn turns prune --context 7 --context 8 --apply

A turn that a context which stays can reach stays too, however old it is: forks never lose their history.
Payloads and file trees go when nothing refers to them any more, with the next `cairn compact` that is a
day later. Without --apply nothing is changed.";

/// What to prune.
#[derive(Debug, Args)]
pub(crate) struct PruneArgs {
    #[command(flatten)]
    what: What,

    /// Do it, and not only say what it would come to
    #[arg(long)]
    apply: bool,
}

#[derive(Debug, Args)]
#[group(required = true, multiple = false)]
struct What {
    /// Contexts in which nothing happened for so long, such as 90d, 12h or 30m
    #[arg(long, value_name = "TIME", value_parser = time)]
    older_than: Option<Duration>,

    /// All contexts but so many in which something happened last
    #[arg(long, value_name = "N")]
    keep: Option<u64>,

    /// This context; may be given more than once
    #[arg(long = "context", value_name = "CONTEXT")]
    contexts: Vec<u64>,
}

fn time(text: &str) -> Result<Duration, String> {
    config::time(text).ok_or_else(|| "say a time with its unit, such as 90d, 12h, 30m or 90s".to_owned())
}

/// Prunes.
pub(super) fn prune(data_dir: Option<&Path>, as_json: bool, arguments: &PruneArgs) -> Result<(), Failure> {
    let (data_dir, settings) = crate::command::settings(data_dir, &[])?;
    logging::start_quietly(&settings.config)?;
    let What { older_than, keep, contexts } = &arguments.what;
    let job = PruneJob {
        older_than_ms: older_than.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
        keep: *keep,
        contexts: (!contexts.is_empty()).then(|| contexts.iter().map(u64::to_string).collect()),
        apply: arguments.apply,
    };
    let show = progress::counter();
    let report = reach::reach(&data_dir.path, &settings.config, async |client| {
        client
            .prune(&job, &mut |stage| show(stage.name, Progress { done: stage.done, total: stage.total }))
            .await
    })?;
    drop(show);
    let as_text = || serde_json::to_string_pretty(&report).expect("a report is plain data") + "\n";
    crate::command::print(&if as_json { as_text() } else { told(&report) })
}

fn told(report: &PruneReport) -> String {
    let PruneReport { contexts, turns, payload_bytes, contexts_kept, turns_kept, applied } = report;
    let verb = if *applied { "pruned" } else { "would prune" };
    let amount = |contexts: &u64, turns: &u64| {
        format!("{} and {}", counted(*contexts, "context"), counted(*turns, "turn"))
    };
    let bytes = counted(*payload_bytes, "byte");
    let mut out = format!(
        "{verb} {} with {bytes} of payloads; {} stay\n",
        amount(contexts, turns),
        amount(contexts_kept, turns_kept)
    );
    if !applied {
        out += "nothing was changed; --apply does it\n";
    }
    out
}
