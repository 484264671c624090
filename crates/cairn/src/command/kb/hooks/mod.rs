//! Git hooks: a marked block in each, beside what others wrote.

mod block;

use std::fs::{self, File, Permissions};
use std::io::{ErrorKind, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use serde::Serialize;

use self::block::{BlockError, HOOKS, SHEBANG, ends_before, with_block, without_block};
use crate::command::answer::text;
use crate::failure::Failure;
use crate::git::HooksFolder;
use crate::limits::HOOK_BYTES_MAX;

/// What was done with a hook.
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
const ENDS_BEFORE: &str = "it ends before the block: move `exit` or `exec` behind it";

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
    content: Option<(String, Permissions)>,
}

/// Adds the block to every hook. All of them are read before the first one is written.
pub(super) fn install(folder: &HooksFolder) -> Result<Vec<HookChange>, Failure> {
    let hooks = read_all(folder)?;
    let mut changes = Vec::new();
    for hook in &hooks {
        let old = hook.content.as_ref().map_or(SHEBANG, |(text, _)| text);
        changes.push(with_block(old, hook.name).map_err(|error| refused(hook, error))?);
    }
    fs::create_dir_all(&folder.path)
        .map_err(|error| Failure::io(format_args!("create {}", folder.path.display()), &error))?;
    let write = |(hook, new): (&Hook, String)| {
        let (change, mode) = match &hook.content {
            None => (Change::Created, Permissions::from_mode(0o755)),
            Some((old, mode)) if *old == new => (Change::Unchanged, mode.clone()),
            Some((_, mode)) => (Change::Extended, mode.clone()),
        };
        let note = if mode.mode() & 0o111 == 0 {
            Some(NOT_EXECUTABLE)
        } else {
            ends_before(&new).then_some(ENDS_BEFORE)
        };
        if change != Change::Unchanged {
            replace(&hook.path, &new, mode)?;
        }
        Ok(hook.changed(change, note))
    };
    hooks.iter().zip(changes).map(write).collect()
}

/// Removes the block from every hook, and files that have nothing else.
pub(super) fn remove(folder: &HooksFolder) -> Result<Vec<HookChange>, Failure> {
    let hooks = read_all(folder)?;
    let mut changes = Vec::new();
    for hook in &hooks {
        let without = hook.content.as_ref().map(|(text, _)| without_block(text));
        changes.push(without.transpose().map_err(|error| refused(hook, error))?.flatten());
    }
    let write = |(hook, new): (&Hook, Option<String>)| {
        let change = match (new, &hook.content) {
            (Some(new), _) if new == SHEBANG => {
                fs::remove_file(&hook.path)
                    .map_err(|error| Failure::io(format_args!("delete {}", hook.path.display()), &error))?;
                Change::Deleted
            }
            (Some(new), Some((_, mode))) => {
                replace(&hook.path, &new, mode.clone())?;
                Change::Shortened
            }
            (_, _) => Change::Absent,
        };
        Ok(hook.changed(change, None))
    };
    hooks.iter().zip(changes).map(write).collect()
}

impl Hook {
    fn changed(&self, change: Change, note: Option<&'static str>) -> HookChange {
        HookChange { name: self.name, path: self.path.to_string_lossy().into_owned(), change, note }
    }
}

fn read_all(folder: &HooksFolder) -> Result<Vec<Hook>, Failure> {
    HOOKS.into_iter().map(|name| read(folder, name)).collect()
}

fn read(folder: &HooksFolder, name: &'static str) -> Result<Hook, Failure> {
    let path = folder.path.join(name);
    let shown = || path.display().to_string();
    let failed = |error: std::io::Error| Failure::io(format_args!("read the hook {}", shown()), &error);
    let is_link = match fs::symlink_metadata(&path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Hook { name, path, content: None }),
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
    Ok(Hook { name, path, content: Some((text, found.permissions())) })
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

/// Replaces a file as a whole.
fn replace(path: &Path, content: &str, mode: Permissions) -> Result<(), Failure> {
    super::write_whole::write_whole(path, content.as_bytes(), Some(mode))
}
