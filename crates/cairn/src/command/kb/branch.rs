//! `cairn kb branch`.

use cairn_wire::kb::{KbBranch, KbBranches};
use cairn_worktree::{BranchName, BranchSource};
use clap::Subcommand;
use serde_json::json;

use super::text::table;
use super::tree::{Tree, created, ensure};
use super::{Call, diff};
use crate::command::answer::{self, text};
use crate::command::print;
use crate::failure::Failure;
use crate::reach::Needs;
use crate::terminal::Look;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn kb branch list
  cairn kb branch show                       the active branch, and why it is that one
  cairn kb branch create                     the KB of the active branch
  cairn kb branch create next --from main    a copy of another branch
  cairn kb branch diff main feature/login    entities and relationships that differ
  cairn kb branch delete old

These are branches of the KB of this workspace; nothing here changes git. `cairn kb gc` deletes KBs
of branches that git no longer has.";

/// What to do with branches.
#[derive(Debug, Subcommand)]
pub(crate) enum BranchCommand {
    /// List branches that have a KB
    List,

    /// Show the active branch
    Show,

    /// Create the KB of a branch unless it exists
    Create {
        /// Branch [default: the active one]
        #[arg(value_name = "NAME", value_parser = branch_name)]
        name: Option<String>,

        /// Branch to copy [default: the active one for another branch, else the one active before]
        #[arg(long, value_name = "NAME", value_parser = branch_name)]
        from: Option<String>,
    },

    /// Delete the KB of a branch
    Delete {
        /// Branch
        #[arg(value_name = "NAME", value_parser = branch_name)]
        name: String,
    },

    /// Compare the KBs of two branches
    Diff {
        /// The first branch
        #[arg(value_name = "FROM", value_parser = branch_name)]
        from: String,

        /// The second branch
        #[arg(value_name = "TO", value_parser = branch_name)]
        to: String,
    },
}

/// Runs the command.
pub(super) fn branch(call: &Call<'_>, command: &BranchCommand) -> Result<(), Failure> {
    let tree = call.tree()?;
    match command {
        BranchCommand::List => list(call, &tree),
        BranchCommand::Show => show(call, &tree),
        BranchCommand::Create { name, from } => create(call, &tree, name.as_deref(), from.as_deref()),
        BranchCommand::Delete { name } => delete(call, &tree, name),
        BranchCommand::Diff { from, to } => {
            let diff = tree.reach(Needs::Store, async |client| client.kb_diff(&tree.id, from, to).await)?;
            print(&if call.as_json { answer::json(&diff) } else { diff::to_text(&diff, Look::of_stdout()) })
        }
    }
}

/// Parses the name of a branch, as git has it or as a person gives it.
fn branch_name(name: &str) -> Result<String, String> {
    let parsed = BranchName::from_git(name.as_bytes()).or_else(|_| BranchName::parse(name));
    parsed.map(|name| name.to_string()).map_err(|problem| format!("it cannot be a branch {problem}"))
}

/// The KBs of the workspace.
pub(super) fn of_workspace(tree: &Tree) -> Result<KbBranches, Failure> {
    tree.reach(Needs::Store, async |client| client.kb_branches(Some(&tree.id)).await)
}

fn list(call: &Call<'_>, tree: &Tree) -> Result<(), Failure> {
    let found = of_workspace(tree)?;
    if call.as_json {
        return print(&answer::json(&found));
    }
    if found.branches.is_empty() {
        return print("no branch has a KB; `cairn kb init` creates one\n");
    }
    let row = |branch: &KbBranch| {
        let mark = if branch.branch == tree.branch() { "*" } else { "" };
        let or_dash = |said: &Option<String>| said.as_deref().map_or_else(|| "-".to_owned(), text);
        [
            mark.to_owned(),
            text(&branch.branch),
            or_dash(&branch.copied_from),
            text(&branch.created_at),
            or_dash(&branch.written_at),
        ]
    };
    let heads = ["", "BRANCH", "COPIED FROM", "CREATED", "LAST WRITE"];
    let mut out = table(heads, found.branches.iter().map(row).collect(), Look::of_stdout());
    if found.has_more {
        out += "note: there are more branches than one list holds\n";
    }
    print(&out)
}

fn show(call: &Call<'_>, tree: &Tree) -> Result<(), Failure> {
    let found = of_workspace(tree)?;
    let kb = found.branches.iter().find(|branch| branch.branch == tree.branch());
    let space = kb.map(|kb| kb.space.as_str());
    let (source, why) = match tree.active.source {
        BranchSource::Env if call.branch.is_some() => ("flag", "named by --branch"),
        BranchSource::Env => ("environment", "named by CAIRN_BRANCH or KIBI_BRANCH"),
        BranchSource::Head => ("head", "checked out"),
        BranchSource::Detached => ("detached", "HEAD is detached at its commit"),
    };
    let previous = tree.active.previous.as_ref().map(BranchName::as_str);
    if call.as_json {
        return print(&answer::json(&json!({
            "branch": tree.branch(),
            "source": source,
            "previous": previous,
            "hasKb": kb.is_some(),
            "space": space,
            "workspace": tree.id,
            "root": tree.root().to_string_lossy(),
        })));
    }
    let mut rows = vec![
        ["branch".to_owned(), format!("{} ({why})", text(tree.branch()))],
        ["kb".to_owned(), if kb.is_some() { "exists" } else { "does not exist yet" }.to_owned()],
        ["workspace".to_owned(), tree.id.clone()],
        ["root".to_owned(), text(&tree.root().to_string_lossy())],
    ];
    rows.extend(space.map(|space| ["space for KIP".to_owned(), text(space)]));
    rows.extend(previous.map(|previous| ["active before".to_owned(), text(previous)]));
    print(&crate::command::table(&rows))
}

fn create(call: &Call<'_>, tree: &Tree, name: Option<&str>, from: Option<&str>) -> Result<(), Failure> {
    let name = name.unwrap_or(tree.branch());
    let is_active = name == tree.branch();
    let previous = tree.active.previous.as_ref().map(BranchName::as_str);
    let source = from.or(if is_active { previous } else { Some(tree.branch()) });
    let ensured = tree.reach(Needs::Store, async |client| {
        if let Some(from) = from {
            // A copy of a branch without a KB would be empty, which nobody who names one wants.
            client.kb_status(&tree.id, from).await?;
        }
        ensure(client, &tree.id, name, source).await
    })?;
    if is_active {
        tree.remember();
    }
    print(&if call.as_json { answer::json(&ensured) } else { created(&ensured) + "\n" })
}

fn delete(call: &Call<'_>, tree: &Tree, name: &str) -> Result<(), Failure> {
    let gone = tree.reach(Needs::Store, async |client| client.kb_delete_branch(&tree.id, name).await)?;
    if !gone.deleted {
        return Err(Failure::new(format!("branch {name:?} has no KB"))
            .hint("`cairn kb branch list` shows which branches have one"));
    }
    let said = json!({"branch": name, "deleted": true});
    print(&if call.as_json { answer::json(&said) } else { format!("deleted KB of branch {}\n", text(name)) })
}
