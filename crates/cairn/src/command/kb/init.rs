//! `cairn kb init`.

use std::fs::{OpenOptions, Permissions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use cairn_worktree::Workspace;
use clap::Args;
use serde_json::json;

use super::hooks::{self, HookChange};
use super::tree::created;
use super::{Call, checks};
use crate::command::answer::{self, text};
use crate::command::{print, table};
use crate::failure::Failure;
use crate::git::{Git, HooksFolder};
use crate::reach::Needs;

pub(crate) const AFTER_HELP: &str = "\
Examples:
  cairn init && cairn kb init        a data directory in this folder, and the KB of this branch
  cairn kb init --config             also write cairn-kb.toml with every setting, commented out
  cairn kb init --branch release-1   the KB of another branch
  cairn kb init --hooks              also check each commit, and sync after each checkout and merge
  cairn kb init --remove-hooks       remove exactly what --hooks added

Stores a random workspace id in the git directory, where all worktrees of the clone find it, and
creates the KB of the branch: as a copy of that of the branch that was active before in this
worktree, else empty. Running it again changes nothing. Other commands create the KB of a new branch
by themselves.

Hooks are blocks between two marks in pre-commit, post-checkout, post-merge and post-rewrite, in the
folder of core.hooksPath or in that of the clone. Hooks that are there are kept, and the blocks come
before what they do, so that nothing that ends a hook skips them and its exit code stays. A block
has a line for each folder that is the root of a KB; --remove-hooks removes the line of this one.
Where cairn is not installed, or there is no KB, they do nothing.";

/// What to create.
#[derive(Debug, Args)]
pub(crate) struct InitArgs {
    /// Also write cairn-kb.toml to the root of the working tree, unless it exists
    #[arg(long)]
    config: bool,

    /// Also install git hooks: a commit is checked, and the KB follows checkouts, merges and rebases
    #[arg(long)]
    hooks: bool,

    /// Only remove the git hooks that --hooks installed
    #[arg(long, conflicts_with_all = ["config", "hooks"])]
    remove_hooks: bool,
}

const CONFIG: &str = "cairn-kb.toml";

const TEMPLATE: &str = "\
# Settings of the requirements KB of this repository. Every line that is commented out is a default.

# Version of the model that the documents were written for.
schema_version = {version}

# Documents of each type: folders or globs below this one.
[paths]
# requirements = \"documentation/requirements\"
# scenarios = \"documentation/scenarios\"
# tests = \"documentation/tests\"
# adr = \"documentation/adr\"
# flags = \"documentation/flags\"
# events = \"documentation/events\"
# facts = \"documentation/facts\"
# symbols = \"documentation/symbols.yaml\"

# Rules of `cairn kb check`.
[checks.rules]
";

const TEMPLATE_END: &str = "
[checks.symbol_traceability]
# Whether a symbol needs a decision beside a requirement.
# require_adr = false
";

/// Creates the KB of the active branch.
pub(super) fn init(call: &Call<'_>, arguments: &InitArgs) -> Result<(), Failure> {
    if arguments.remove_hooks {
        return remove_hooks(call);
    }
    let tree = call.tree()?;
    // Hooks that cannot be installed are found before anything is created.
    let hooks = arguments.hooks.then(|| plan(&tree.workspace, hooks::Plan::install)).transpose()?;
    let ensured = tree.reach(Needs::Store, async |client| tree.ensure(client).await)?;
    tree.remember();
    let config = tree.root().join(CONFIG);
    let is_written = if arguments.config { Some(write_config(&config)?) } else { None };
    let hooks = hooks.map(hooks::Plan::write).transpose()?.unwrap_or_default();
    if call.as_json {
        return print(&answer::json(&json!({
            "hooks": hooks,
            "workspace": tree.id,
            "root": tree.root().to_string_lossy(),
            "branch": tree.branch(),
            "created": ensured.created,
            "copiedFrom": ensured.branch.copied_from,
            "space": ensured.branch.space,
            "configWritten": is_written.unwrap_or(false),
        })));
    }
    let mut rows = vec![
        ["workspace".to_owned(), tree.id.clone()],
        ["root".to_owned(), text(&tree.root().to_string_lossy())],
        ["branch".to_owned(), created(&ensured)],
    ];
    rows.extend(is_written.map(|is_written| {
        let done = if is_written { "written" } else { "exists already" };
        ["config".to_owned(), format!("{}: {done}", text(&config.to_string_lossy()))]
    }));
    rows.extend(hooks.iter().map(HookChange::row));
    print(&table(&rows))
}

/// Removes the hooks. The KB and the data directory are not needed.
fn remove_hooks(call: &Call<'_>) -> Result<(), Failure> {
    let changes = plan(&call.workspace()?, hooks::Plan::remove)?.write()?;
    if call.as_json {
        return print(&answer::json(&json!({"hooks": changes})));
    }
    print(&table(&changes.iter().map(HookChange::row).collect::<Vec<_>>()))
}

/// Plans changes of the hooks for the root of a workspace.
fn plan(
    workspace: &Workspace,
    plan: fn(&HooksFolder, &str) -> Result<hooks::Plan, Failure>,
) -> Result<hooks::Plan, Failure> {
    let folder = Git::at(workspace.root()).hooks_folder(workspace)?;
    let below = workspace.git_top().and_then(|top| workspace.root().strip_prefix(top).ok());
    let root = below.and_then(Path::to_str).filter(|root| !root.contains('\n')).ok_or_else(|| {
        Failure::usage(format!("hooks cannot name the folder {}", workspace.root().display()))
            .hint("rename it to UTF-8 text without line feeds")
    })?;
    plan(&folder, if root.is_empty() { "." } else { root })
}

/// Writes the file of settings; returns false if there is one.
fn write_config(path: &Path) -> Result<bool, Failure> {
    let failed = |error| Failure::io(format_args!("write {}", path.display()), &error);
    let mut file = match OpenOptions::new().write(true).create_new(true).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => return Ok(false),
        Err(error) => return Err(failed(error)),
    };
    // It goes into the repository, unlike the data of cairn.
    let mode = Permissions::from_mode(0o644);
    let written = file.set_permissions(mode).and_then(|()| file.write_all(template().as_bytes()));
    written.and_then(|()| file.sync_all()).map_err(failed)?;
    Ok(true)
}

fn template() -> String {
    let rules = checks::defaults().map(|(rule, is_on)| format!("# {rule} = {is_on}\n"));
    TEMPLATE.replace("{version}", &cairn_kb::SCHEMA_VERSION_LATEST.to_string())
        + &rules.collect::<String>()
        + TEMPLATE_END
}

#[cfg(test)]
mod tests {
    use cairn_worktree::{ConfigOrigin, KbConfig};

    use super::*;

    fn read(text: &str) -> KbConfig {
        let dir = tempfile::tempdir().expect("a folder");
        std::fs::write(dir.path().join(CONFIG), text).expect("a file");
        KbConfig::read(dir.path(), cairn_kb::Rule::TEXTS).expect("it is valid")
    }

    #[test]
    fn the_template_shows_every_setting_with_its_default() {
        let template = template();
        let schema_version = Some(cairn_kb::SCHEMA_VERSION_LATEST);
        let defaults = KbConfig { origin: ConfigOrigin::Toml, schema_version, ..KbConfig::default() };
        assert_eq!(read(&template), defaults);
        // A line that begins with a name is a setting; the others are about them.
        let names = |line: &str| line.strip_prefix("# ").is_some_and(|line| line.contains(" = "));
        let on = template.lines().map(|line| if names(line) { &line[2..] } else { line });
        let on = read(&(on.collect::<Vec<_>>().join("\n") + "\n"));
        assert_eq!((on.paths, on.checks.require_adr), (defaults.paths, false));
        let rules: Vec<_> = on.checks.rules.iter().map(|(rule, is_on)| (rule.as_str(), *is_on)).collect();
        let mut all: Vec<_> = checks::defaults().collect();
        all.sort_unstable();
        assert_eq!(rules, all);
    }

    #[test]
    fn a_file_that_is_there_stays() {
        let dir = tempfile::tempdir().expect("a folder");
        let path = dir.path().join(CONFIG);
        assert!(write_config(&path).expect("written"));
        std::fs::write(&path, "mine").expect("written");
        assert!(!write_config(&path).expect("there"));
        assert_eq!(std::fs::read(&path).expect("there"), b"mine");
    }
}
