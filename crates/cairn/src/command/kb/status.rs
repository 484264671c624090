//! `cairn kb status`.

use cairn_kb::tools::{StatusOutput, SyncState};

use super::Call;
use crate::command::answer::{json, text};
use crate::command::{print, table};
use crate::failure::Failure;
use crate::reach::Needs;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb status
  cairn kb status --json | jq -r .snapshotId     changes with every write";

/// Shows the state of the KB.
pub(super) fn status(call: &Call<'_>) -> Result<(), Failure> {
    let tree = call.tree()?;
    let status = tree.ask(Needs::Store, async |client| client.kb_status(&tree.id, tree.branch()).await)?;
    print(&if call.as_json { json(&status) } else { to_text(&status) })
}

fn to_text(status: &StatusOutput) -> String {
    let freshness = match status.sync_state {
        SyncState::Fresh => "fresh",
        SyncState::Stale => "stale",
        SyncState::Unknown => "unknown",
    };
    let mut rows = vec![
        ("branch", text(&status.branch)),
        ("workspace", text(&status.workspace)),
        ("entities", status.entities.to_string()),
        ("relationships", status.relationships.to_string()),
        ("last write", status.synced_at.as_deref().map_or_else(|| "never".to_owned(), text)),
        ("freshness", freshness.to_owned()),
        ("snapshot", text(&status.snapshot_id)),
    ];
    rows.extend(status.copied_from.as_deref().map(|from| ("copied from", text(from))));
    table(&rows.into_iter().map(|(name, value)| [name.to_owned(), value]).collect::<Vec<_>>())
}
