//! Git hooks: a marked block in each, before what others wrote.

mod block;

use std::fs::{self, File, Permissions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use serde::Serialize;

use self::block::{BlockError, HOOKS, Without, with_root, without_root};
use super::write_whole::{create_folders, write_whole};
use crate::command::answer::text;
use crate::failure::Failure;
use crate::git::HooksFolder;
use crate::limits::HOOK_BYTES_MAX;

/// The change to a hook.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub(super) struct HookChange {
    name: &'static str,
    path: String,
    change: Change,
    #[serde(skip_serializing_if = "Option::is_none")]
    note: Option<&'static str>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
enum Change {
    Created,
    Extended,
    Unchanged,
    Shortened,
    Deleted,
    Absent,
}

const NOT_EXECUTABLE: &str = "git does not run it: it is not executable";
const OF_OTHERS: &str = "its block is that of another folder; remove it from there";

impl HookChange {
    /// A row for people.
    pub(super) fn row(&self) -> [String; 2] {
        let change = match self.change {
            Change::Created => "created",
            Change::Extended => "block added",
            Change::Unchanged => "unchanged",
            Change::Shortened => "block removed",
            Change::Deleted => "deleted",
            Change::Absent => "no block",
        };
        let note = self.note.map(|note| format!("; {note}")).unwrap_or_default();
        [self.name.to_owned(), format!("{}: {change}{note}", text(&self.path))]
    }
}

/// A hook as it is.
struct Hook {
    name: &'static str,
    /// The file itself, behind all links.
    path: PathBuf,
    is_link: bool,
    content: Option<(String, Permissions)>,
}

/// Changes of all hooks, none of which is made yet. Everything that can be refused was.
pub(super) struct Plan {
    folder: PathBuf,
    steps: Vec<(Hook, Step)>,
}

struct Step {
    change: Change,
    note: Option<&'static str>,
    /// The text to write, with the permissions of the file.
    write: Option<(String, Permissions)>,
}

impl Plan {
    /// Plans to add the lines of a root, a path below the top of the working tree, to every hook.
    pub(super) fn install(folder: &HooksFolder, root: &str) -> Result<Plan, Failure> {
        Plan::of(folder, |hook| {
            let old = hook.content.as_ref().map(|(text, _)| text.as_str());
            let new = with_root(old, hook.name, root).map_err(|error| refused(hook, error))?;
            let (change, mode) = match &hook.content {
                None => (Change::Created, Permissions::from_mode(0o755)),
                Some((old, mode)) if *old == new => (Change::Unchanged, mode.clone()),
                Some((_, mode)) => (Change::Extended, mode.clone()),
            };
            let is_run = folder.is_run_by_shell || mode.mode() & 0o111 != 0;
            let note = (!is_run).then_some(NOT_EXECUTABLE);
            Ok(Step { change, note, write: (change != Change::Unchanged).then_some((new, mode)) })
        })
    }

    /// Plans to remove the lines of a root from every hook, and files that were made for them.
    pub(super) fn remove(folder: &HooksFolder, root: &str) -> Result<Plan, Failure> {
        Plan::of(folder, |hook| {
            let step = |change, note, write| Step { change, note, write };
            let Some((old, mode)) = &hook.content else { return Ok(step(Change::Absent, None, None)) };
            let shortened = |text| step(Change::Shortened, None, Some((text, mode.clone())));
            let without = without_root(old, hook.name, root).map_err(|error| refused(hook, error))?;
            Ok(match without {
                Without::Absent(has_others) => step(Change::Absent, has_others.then_some(OF_OTHERS), None),
                Without::Text(text) => shortened(text),
                // The file behind a link has another name, by which others may use it.
                Without::Nothing if hook.is_link => shortened(block::SHEBANG.to_owned()),
                Without::Nothing => step(Change::Deleted, None, None),
            })
        })
    }

    fn of(folder: &HooksFolder, step: impl Fn(&Hook) -> Result<Step, Failure>) -> Result<Plan, Failure> {
        let mut steps: Vec<(Hook, Step)> = Vec::new();
        for name in HOOKS {
            let hook = read(folder, name)?;
            if let Some((other, _)) = steps.iter().find(|(other, _)| other.path == hook.path) {
                return Err(Failure::usage(format!("the hooks {} and {name} are one file", other.name))
                    .hint(format!("give each a file of its own, or {BY_HAND}")));
            }
            let step = step(&hook)?;
            steps.push((hook, step));
        }
        Ok(Plan { folder: folder.path.clone(), steps })
    }

    /// Makes the changes. A failure names those that were made.
    pub(super) fn write(self) -> Result<Vec<HookChange>, Failure> {
        if self.steps.iter().any(|(_, step)| step.write.is_some()) {
            create_folders(&self.folder)?;
        }
        let mut changes: Vec<HookChange> = Vec::new();
        for (hook, Step { change, note, write }) in self.steps {
            let path = hook.path.to_string_lossy().into_owned();
            hook.write(change, write).map_err(|failure| beside(failure, &changes))?;
            changes.push(HookChange { name: hook.name, path, change, note });
        }
        Ok(changes)
    }
}

impl Hook {
    fn write(&self, change: Change, write: Option<(String, Permissions)>) -> Result<(), Failure> {
        if let Some((text, mode)) = write {
            return write_whole(&self.path, text.as_bytes(), Some(mode));
        }
        if change == Change::Deleted {
            return fs::remove_file(&self.path)
                .map_err(|error| Failure::io(format_args!("delete {}", self.path.display()), &error));
        }
        Ok(())
    }
}

/// A failure after some hooks were changed.
fn beside(failure: Failure, changes: &[HookChange]) -> Failure {
    let changed = changes.iter().filter(|one| !matches!(one.change, Change::Unchanged | Change::Absent));
    let names: Vec<&str> = changed.map(|one| one.name).collect();
    if names.is_empty() {
        return failure;
    }
    failure.hint(format!(
        "hooks that were changed before: {}; run it again, or undo it with --remove-hooks",
        names.join(", ")
    ))
}

fn read(folder: &HooksFolder, name: &'static str) -> Result<Hook, Failure> {
    let path = folder.path.join(name);
    let shown = || path.display().to_string();
    let failed = |error: std::io::Error| Failure::io(format_args!("read the hook {}", shown()), &error);
    let is_link = match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Ok(Hook { name, path, is_link: false, content: None });
        }
        Err(error) => return Err(failed(error)),
        Ok(found) => found.is_symlink(),
    };
    // A link is followed inside of the repository only: the file behind it may be that of others.
    if is_link && !folder.holds(&path) {
        return Err(Failure::usage(format!("the hook {} is a link to outside of the repository", shown()))
            .hint("replace the link by a file, or call `cairn kb hook` from what it links to"));
    }
    let path = path.canonicalize().map_err(failed)?;
    let mut file = File::open(&path).map_err(failed)?;
    let found = file.metadata().map_err(failed)?;
    let mut bytes = Vec::new();
    if found.is_file() {
        file.by_ref().take(HOOK_BYTES_MAX as u64 + 1).read_to_end(&mut bytes).map_err(failed)?;
    }
    if !found.is_file() || bytes.len() > HOOK_BYTES_MAX {
        return Err(Failure::usage(format!(
            "the hook {} is no file of at most {HOOK_BYTES_MAX} bytes",
            path.display()
        )));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        Failure::usage(format!("the hook {} is not UTF-8 text", path.display())).hint(BY_HAND)
    })?;
    Ok(Hook { name, path, is_link, content: Some((text, found.permissions())) })
}

const BY_HAND: &str = "run `cairn kb hook NAME ARGUMENTS…` from the hook yourself";

fn refused(hook: &Hook, error: BlockError) -> Failure {
    let path = hook.path.display();
    match error {
        BlockError::NotShell => Failure::usage(format!("the hook {path} is no shell script")).hint(BY_HAND),
        BlockError::Marks => {
            Failure::usage(format!("the marks of cairn in the hook {path} are not in pairs"))
                .hint("remove the lines from `# >>> cairn kb` to `# <<< cairn kb` and try again")
        }
    }
}
