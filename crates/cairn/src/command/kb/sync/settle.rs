//! Waiting until git has replaced the files of the tree.

use std::thread;
use std::time::SystemTime;

use cairn_worktree::{TreeStamp, Workspace, WorktreeError};

use crate::limits::{KB_SETTLE_AFTER, KB_SETTLE_TRIES_MAX, KB_SETTLE_TRY_EVERY};

/// Returns the state of git when no checkout seems to be in progress. A lock that a git command left behind must not
/// keep syncs away for ever: after a while the state is returned as it is.
pub(super) fn settled(workspace: &Workspace) -> Result<TreeStamp, WorktreeError> {
    let mut stamp = workspace.stamp()?;
    for _ in 0..KB_SETTLE_TRIES_MAX {
        if !stamp.is_busy() && stamp.is_older_than(KB_SETTLE_AFTER, SystemTime::now()) {
            break;
        }
        thread::sleep(KB_SETTLE_TRY_EVERY);
        stamp = workspace.stamp()?;
    }
    if stamp.is_busy() {
        tracing::warn!("git holds a lock of this tree; if no git command runs, remove index.lock");
    }
    Ok(stamp)
}
