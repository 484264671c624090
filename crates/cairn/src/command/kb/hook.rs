//! `cairn kb hook`: cairn as git runs it. It says nothing where there is nothing to say.

use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::{Args, ValueEnum};

use super::tree::Tree;
use super::{Call, staged};
use crate::data_dir::{Surroundings, resolve};
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
    // Not every branch has every folder.
    if call.root.is_some_and(|root| !root.is_dir()) {
        return Ok(());
    }
    let data_dir = match data_dir(call) {
        Ok(data_dir) => data_dir,
        Err(failure) => return pass(&failure),
    };
    let call = &Call { data_dir: Some(&data_dir), ..*call };
    let (tree, branches) = match tree_with_kb(call) {
        Ok(Some(found)) => found,
        Ok(None) => return Ok(()),
        Err(failure) => return pass(&failure),
    };
    if !is_commit {
        let is_new = !branches.iter().any(|branch| branch == tree.branch());
        return sync(call, is_new).or_else(|failure| pass(&failure));
    }
    match staged::findings(&tree, 1) {
        Err(failure) => pass(&failure),
        Ok(findings) => findings.verdict(&mut |text| eprint!("{text}")),
    }
}

/// The data directory of the root of the KB. Git calls hooks in the top folder of the tree.
fn data_dir(call: &Call<'_>) -> Result<PathBuf, Failure> {
    let mut around = Surroundings::of_process()?;
    if let (None, Some(root)) = (call.data_dir, call.root) {
        around = around.from(root);
    }
    Ok(resolve(call.data_dir, &around)?.path)
}

/// The working tree and the branches that have a KB; `None` if no branch of its workspace has one.
fn tree_with_kb(call: &Call<'_>) -> Result<Option<(Tree, Vec<String>)>, Failure> {
    if let Err(missing) = call.data_dir.map_or(Ok(()), reach::refuse_missing) {
        // A workspace with an id has had a KB.
        return if call.workspace()?.known_id()?.is_some() { Err(missing) } else { Ok(None) };
    }
    let tree = call.tree()?;
    let list = tree.reach(Needs::Store, async |client| client.kb_branches(Some(&tree.id)).await)?;
    let branches: Vec<String> = list.branches.into_iter().map(|branch| branch.branch).collect();
    Ok((!branches.is_empty()).then_some((tree, branches)))
}

/// Says why the hook could not do its work, and lets git go on.
fn pass(failure: &Failure) -> Result<(), Failure> {
    eprintln!("cairn: git goes on without the KB");
    // The exit code is that of git.
    let _ = failure.report();
    Ok(())
}

/// Creates the KB of the branch if it has none, and syncs it: `cairn kb sync`, quietly unless it finds a problem or creates
/// the KB.
fn sync(call: &Call<'_>, is_new: bool) -> Result<(), Failure> {
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
    }
    if is_new || !output.status.success() {
        eprint!("{}", String::from_utf8_lossy(&output.stderr));
    }
    Ok(())
}
