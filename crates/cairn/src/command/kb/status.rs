//! `cairn kb status`.

use std::sync::Arc;

use cairn_kb::tools::{StatusOutput, SyncState};

use super::{Call, sync};
use crate::command::answer::{json, text};
use crate::command::{print, table};
use crate::failure::Failure;
use crate::progress;
use crate::reach::Needs;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb status                                what the KB has, and whether a sync would change it
  cairn kb status --json | jq -r .syncState      fresh or stale
  cairn kb status --json | jq -r .snapshotId     changes with every write

The KB is stale if documents are new, have changed, are gone or have problems, and if tools have
changed or deleted entities that belong to documents. `cairn kb sync` stores what documents say;
`cairn kb export` writes to them what tools have changed.";

/// Shows the state of the KB, compared with the documents of the tree.
pub(super) fn status(call: &Call<'_>) -> Result<(), Failure> {
    let tree = call.tree()?;
    let show = progress::counter();
    let status = tree.ask(Needs::Store, async |client| {
        let mut status = client.kb_status(&tree.id, tree.branch()).await?;
        let synced = Arc::new(client.kb_files(&tree.id, tree.branch()).await?);
        let knows = |files: &_, path: &str, hash: &str| sync::is_known(files, path, hash, |_| true);
        match sync::compare(&tree.workspace, &synced, knows, &show).await {
            Ok(comparison) => sync::fill(&mut status, &comparison, &synced),
            // The KB is there all the same; its freshness stays unknown.
            Err(failure) => {
                failure.report();
            }
        }
        Ok(status)
    })?;
    print(&if call.as_json { json(&status) } else { to_text(&status) })
}

fn to_text(status: &StatusOutput) -> String {
    let freshness = match status.sync_state {
        SyncState::Fresh => "fresh".to_owned(),
        SyncState::Stale => format!("stale; {}", remedies(status).join(", ")),
        SyncState::Unknown => "unknown".to_owned(),
    };
    let or_never = |at: &Option<String>| at.as_deref().map_or_else(|| "never".to_owned(), text);
    let mut rows = vec![
        ("branch", text(&status.branch)),
        ("workspace", text(&status.workspace)),
        ("entities", status.entities.to_string()),
        ("relationships", status.relationships.to_string()),
        ("of documents", status.file_owned.to_string()),
        ("diverged", status.diverged.to_string()),
        ("last write", or_never(&status.synced_at)),
        ("last sync", or_never(&status.last_sync_at)),
        ("freshness", freshness),
        ("snapshot", text(&status.snapshot_id)),
    ];
    rows.extend(status.copied_from.as_deref().map(|from| ("copied from", text(from))));
    let mut out = table(&rows.into_iter().map(|(name, value)| [name.to_owned(), value]).collect::<Vec<_>>());
    status.stale_reasons.iter().for_each(|reason| out += &format!("  {}\n", text(reason)));
    let more = status.stale_reason_count.saturating_sub(status.stale_reasons.len() as u64);
    if more > 0 {
        out += &format!("  {more} more\n");
    }
    out
}

/// What to do about a KB that is stale. A sync helps where documents and KB differ without a conflict.
fn remedies(status: &StatusOutput) -> Vec<&'static str> {
    let has = |words: &[&str]| {
        let is_one = |reason: &String| words.iter().any(|word| reason.starts_with(word));
        status.stale_reasons.iter().any(is_one)
    };
    let mut remedies = Vec::new();
    if has(&["never synced", "changed: ", "new: ", "gone: ", "missing: "]) {
        remedies.push("run `cairn kb sync`");
    }
    if status.diverged > 0 {
        remedies.push("write changes of tools by `cairn kb export` or drop them by `cairn kb sync --force`");
    }
    if status.files_with_problems > 0 || has(&["problems: ", "unread: "]) {
        remedies.push("correct the documents with problems");
    }
    remedies
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(reasons: &[&str], diverged: u64, expected: &str) {
        let status = StatusOutput {
            sync_state: SyncState::Stale,
            stale_reasons: reasons.iter().map(|reason| (*reason).to_owned()).collect(),
            diverged,
            ..StatusOutput::default()
        };
        let shown = to_text(&status);
        let line = shown.lines().find_map(|line| line.strip_prefix("freshness")).expect("a line");
        assert_eq!(line.trim(), expected);
    }

    #[test]
    fn a_stale_kb_names_what_helps() {
        check(&["changed: a.md"], 0, "stale; run `cairn kb sync`");
        check(&["missing: a.md"], 0, "stale; run `cairn kb sync`");
        let export = "write changes of tools by `cairn kb export` or drop them by `cairn kb sync --force`";
        check(&["diverged: A (a.md)"], 1, &format!("stale; {export}"));
        check(&["problems: a.md"], 0, "stale; correct the documents with problems");
        check(&["unread: a.md"], 0, "stale; correct the documents with problems");
        check(&["new: b.md", "diverged: A (a.md)"], 1, &format!("stale; run `cairn kb sync`, {export}"));
    }
}
