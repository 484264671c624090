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
changed entities that belong to documents.";

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
        SyncState::Fresh => "fresh",
        SyncState::Stale => "stale; run `cairn kb sync`",
        SyncState::Unknown => "unknown",
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
        ("freshness", freshness.to_owned()),
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
