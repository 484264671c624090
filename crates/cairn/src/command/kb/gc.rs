//! `cairn kb gc`.

use std::collections::BTreeSet;

use cairn_worktree::BranchName;
use clap::Args;
use serde_json::json;

use super::Call;
use super::branch::of_workspace;
use super::tree::Tree;
use crate::command::answer::{self, text};
use crate::command::print;
use crate::failure::Failure;
use crate::reach::Needs;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb gc                say which KBs would be deleted
  cairn kb gc --force        delete them

Lists KBs of this workspace whose branch is not a local branch of the repository. The KB of the
active branch is kept, and so are those of branches that are checked out in a worktree, with or
without commits. A KB that is deleted cannot be restored.";

/// Whether to delete.
#[derive(Debug, Args)]
pub(crate) struct GcArgs {
    /// Delete them
    #[arg(long)]
    force: bool,
}

/// Deletes KBs of branches that are gone.
pub(super) fn gc(call: &Call<'_>, arguments: &GcArgs) -> Result<(), Failure> {
    let tree = call.tree()?;
    // Git is read later: a branch that is created meanwhile has no KB in this list.
    let found = of_workspace(&tree)?;
    let kept = kept(&tree)?;
    let gone: Vec<String> =
        found.branches.into_iter().map(|branch| branch.branch).filter(|name| !kept.contains(name)).collect();
    let mut deleted = Vec::new();
    if arguments.force {
        for name in &gone {
            // It may have been created again while others were deleted.
            if self::kept(&tree)?.contains(name) {
                continue;
            }
            tree.reach(Needs::Store, async |client| client.kb_delete_branch(&tree.id, name).await)?;
            deleted.push(name.clone());
        }
    }
    if call.as_json {
        let said = json!({"gone": gone, "deleted": deleted, "hasMore": found.has_more});
        return print(&answer::json(&said));
    }
    let (names, done) = if arguments.force { (&deleted, "deleted") } else { (&gone, "would delete") };
    let mut out: String = names.iter().map(|name| format!("{done} KB of branch {}\n", text(name))).collect();
    if names.is_empty() {
        out += "nothing to delete\n";
    } else if !arguments.force {
        out += "nothing was deleted; --force deletes them\n";
    }
    if found.has_more {
        out += "note: there are more KBs than one list holds; run it again\n";
    }
    print(&out)
}

/// Names of branches whose KBs stay.
fn kept(tree: &Tree) -> Result<BTreeSet<String>, Failure> {
    let local = tree.workspace.branches()?;
    let now = tree.workspace.branch()?.branch;
    let names = local.iter().chain([&now, &tree.active.branch]);
    Ok(names.map(BranchName::to_string).collect())
}
