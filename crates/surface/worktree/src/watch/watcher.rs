//! The watcher of a tree.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use notify::event::EventKind;
use notify::{Config, ErrorKind, RecommendedWatcher, RecursiveMode, Watcher as _};

use super::relevant::Relevant;
use crate::limits::WATCHED_FOLDERS_MAX;
use crate::{Lanes, Walk, Workspace, WorktreeError};

/// A reason to sync.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TreeEvent {
    /// Something may have changed. Events of the system that were lost are one, too.
    Changed,
    /// The root of the tree is gone.
    Gone,
}

/// Watches the folders of the documents, those that lead there, and `HEAD`. Nothing else of the tree is watched, and
/// no symbolic link is followed.
pub struct TreeWatcher {
    watcher: RecommendedWatcher,
    watched: BTreeSet<PathBuf>,
}

impl TreeWatcher {
    /// Begins to watch. `tell` is called on a thread of its own, has to return at once, and may be called for events
    /// that turn out to change nothing.
    pub fn new(
        workspace: &Workspace,
        lanes: &Lanes,
        tell: impl Fn(TreeEvent) + Send + 'static,
    ) -> Result<TreeWatcher, WorktreeError> {
        let relevant = Arc::new(Relevant::of(workspace, lanes.clone()));
        let root = workspace.root().to_owned();
        let on_event = move |event: notify::Result<notify::Event>| {
            if std::fs::symlink_metadata(&root).is_err() {
                return tell(TreeEvent::Gone);
            }
            let matters = match event {
                Ok(event) => {
                    event.need_rescan()
                        || (is_change(event.kind) && event.paths.iter().any(|path| relevant.is(path)))
                }
                // Something is lost: look at everything.
                Err(_) => true,
            };
            if matters {
                tell(TreeEvent::Changed);
            }
        };
        let config = Config::default().with_follow_symlinks(false);
        let watcher = RecommendedWatcher::new(on_event, config);
        let watcher = watcher.map_err(|error| failed(workspace.root(), &error))?;
        Ok(TreeWatcher { watcher, watched: BTreeSet::new() })
    }

    /// Watches the folders that a walk of the documents found, and no others. Returns true if one of them was not
    /// watched before: what happened in it since the walk had no events, so walk once more.
    pub fn watch(
        &mut self,
        workspace: &Workspace,
        lanes: &Lanes,
        walk: &Walk,
    ) -> Result<bool, WorktreeError> {
        let wanted = wanted(workspace, lanes, walk);
        if wanted.len() > WATCHED_FOLDERS_MAX {
            return Err(WorktreeError::Watch {
                path: workspace.root().to_owned(),
                message: format!("documents are in more than {WATCHED_FOLDERS_MAX} folders"),
            });
        }
        for gone in self.watched.difference(&wanted).cloned().collect::<Vec<_>>() {
            // It may not be there any more.
            let _ = self.watcher.unwatch(&gone);
            self.watched.remove(&gone);
        }
        let mut is_new = false;
        for folder in wanted {
            // Again for all: a folder that was replaced by one of the same name has no watch.
            match self.watcher.watch(&folder, RecursiveMode::NonRecursive) {
                Ok(()) => is_new |= self.watched.insert(folder),
                Err(error) if is_missing(&error) => {
                    self.watched.remove(&folder);
                }
                Err(error) => return Err(failed(&folder, &error)),
            }
        }
        Ok(is_new)
    }
}

/// The folders to watch: those of documents, those that lead there, and those of git.
fn wanted(workspace: &Workspace, lanes: &Lanes, walk: &Walk) -> BTreeSet<PathBuf> {
    let root = workspace.root();
    let mut wanted = BTreeSet::from([root.to_owned()]);
    for below in lanes.below() {
        // The nearest one that is there, so that it is seen when the others come.
        let mut folder = root.to_owned();
        for part in below.split('/') {
            folder.push(part);
            // A link would lead elsewhere.
            if !std::fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir()) {
                break;
            }
            wanted.insert(folder.clone());
        }
    }
    wanted.extend(walk.folders.iter().map(|folder| root.join(folder)));
    let settings = root.join(".kb");
    if settings.is_dir() {
        wanted.insert(settings);
    }
    if let Some(git) = &workspace.git {
        wanted.insert(git.own.clone());
        let info = git.common.join("info");
        if info.is_dir() {
            wanted.insert(info);
        }
    }
    wanted
}

/// Reading a file is an event, too, and none that changes anything.
fn is_change(kind: EventKind) -> bool {
    match kind {
        EventKind::Access(_) => false,
        EventKind::Any
        | EventKind::Other
        | EventKind::Create(_)
        | EventKind::Remove(_)
        | EventKind::Modify(_) => true,
    }
}

fn is_missing(error: &notify::Error) -> bool {
    match &error.kind {
        ErrorKind::PathNotFound | ErrorKind::WatchNotFound => true,
        ErrorKind::Io(error) => error.kind() == std::io::ErrorKind::NotFound,
        ErrorKind::Generic(_) | ErrorKind::InvalidConfig(_) | ErrorKind::MaxFilesWatch => false,
    }
}

fn failed(path: &Path, error: &notify::Error) -> WorktreeError {
    let message = match &error.kind {
        ErrorKind::MaxFilesWatch => {
            "the system allows no more watches; raise fs.inotify.max_user_watches".to_owned()
        }
        ErrorKind::Io(error) => error.to_string(),
        ErrorKind::Generic(_)
        | ErrorKind::PathNotFound
        | ErrorKind::WatchNotFound
        | ErrorKind::InvalidConfig(_) => error.to_string(),
    };
    WorktreeError::Watch { path: path.to_owned(), message }
}
