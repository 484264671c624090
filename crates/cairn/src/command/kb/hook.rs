//! `cairn kb hook`: cairn as git runs it. It says nothing where there is nothing to say.

use std::process::{Command, Stdio};

use clap::{Args, ValueEnum};

use super::tree::Tree;
use super::{Call, staged};
use crate::failure::Failure;
use crate::reach::{self, Needs};

/// The hook, and what git passes to it.
#[derive(Debug, Args)]
pub(crate) struct HookArgs {
    /// Name of the hook
    name: HookName,

    /// Arguments of git
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum HookName {
    PreCommit,
    PostCheckout,
    PostMerge,
    PostRewrite,
}

/// Runs a hook. Only a commit that must not be made fails: a check that cannot run is no reason to stop it.
pub(super) fn hook(call: &Call<'_>, arguments: &HookArgs) -> Result<(), Failure> {
    let is_commit = arguments.name == HookName::PreCommit;
    // git checkout passes the old commit, the new one, and 1 if the branch was switched.
    let is_file_checkout = arguments.name == HookName::PostCheckout
        && arguments.arguments.get(2).is_some_and(|flag| flag != "1");
    if is_file_checkout {
        return Ok(());
    }
    let tree = match tree_with_kb(call) {
        Ok(Some(tree)) => tree,
        Ok(None) => return Ok(()),
        Err(failure) => return pass(&failure),
    };
    if !is_commit {
        return sync(call).or_else(|failure| pass(&failure));
    }
    match staged::findings(&tree, 1) {
        Err(failure) => pass(&failure),
        Ok(findings) => findings.verdict(&mut |text| eprint!("{text}")),
    }
}

/// The working tree, if its workspace has a KB of any branch.
fn tree_with_kb(call: &Call<'_>) -> Result<Option<Tree>, Failure> {
    if !call.has_data_dir()? {
        return Ok(None);
    }
    let tree = call.tree()?;
    let list = tree.reach(Needs::Store, async |client| client.kb_branches(Some(&tree.id)).await)?;
    Ok((!list.branches.is_empty()).then_some(tree))
}

/// Says why the hook could not do its work, and lets git go on.
fn pass(failure: &Failure) -> Result<(), Failure> {
    eprintln!("cairn: git goes on without the KB");
    // The exit code is that of git.
    let _ = failure.report();
    Ok(())
}

/// Creates the KB of the branch if it has none, and syncs it: `cairn kb sync`, quietly unless it finds a problem.
fn sync(call: &Call<'_>) -> Result<(), Failure> {
    let program = std::env::current_exe().map_err(|error| Failure::io("find this program", &error))?;
    let mut command = Command::new(program);
    let named = [
        ("--data-dir", call.data_dir.map(|dir| dir.as_os_str())),
        ("--branch", call.branch.map(AsRef::as_ref)),
        ("--workspace-root", call.root.map(|root| root.as_os_str())),
    ];
    command.args(["kb", "sync"]).stdin(Stdio::null());
    for (flag, value) in named {
        if let Some(value) = value {
            command.arg(flag).arg(value);
        }
    }
    let output = command.output().map_err(|error| Failure::io("run cairn kb sync", &error))?;
    if !output.status.success() {
        eprint!("{}", String::from_utf8_lossy(&output.stdout));
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}

impl Call<'_> {
    /// Whether there is a data directory.
    fn has_data_dir(&self) -> Result<bool, Failure> {
        let (data_dir, _) = crate::command::settings(self.data_dir, &[])?;
        Ok(reach::refuse_missing(&data_dir.path).is_ok())
    }
}
