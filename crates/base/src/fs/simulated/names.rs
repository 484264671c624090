//! The names of the simulated disk: which path leads to which file, now and after a power cut.

use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parking_lot::Mutex;

use super::chance::{Chance, Survival};
use super::content::Content;

/// A file apart from its name; it lives as long as a name, a pending change or a handle needs it.
pub(super) type Node = Arc<Mutex<Content>>;

type Tree = BTreeMap<PathBuf, Node>;

/// All names. Directories are durable as soon as they are made; the names in them are not.
#[derive(Debug, Default)]
pub(super) struct Names {
    current: Tree,
    durable: Tree,
    /// Changes whose directory was not synced since, oldest first.
    pending: Vec<NameChange>,
    dirs: BTreeSet<PathBuf>,
}

#[derive(Debug, Clone)]
enum NameChange {
    Create { path: PathBuf, node: Node },
    Rename { from: PathBuf, to: PathBuf, node: Node },
    Remove { path: PathBuf, node: Node },
}

impl Names {
    pub(super) fn get(&self, path: &Path) -> Option<&Node> {
        self.current.get(path)
    }

    /// Bytes that all files with a name take of the disk.
    pub(super) fn disk_bytes(&self) -> u64 {
        self.current.values().map(|node| node.lock().disk_bytes()).sum()
    }

    pub(super) fn open(&self, path: &Path) -> io::Result<Node> {
        match self.current.get(path) {
            Some(node) => Ok(Arc::clone(node)),
            None if self.is_dir(path) => Err(io::ErrorKind::IsADirectory.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    pub(super) fn create(&mut self, path: &Path) -> io::Result<Node> {
        self.check_dir(parent(path))?;
        if self.current.contains_key(path) || self.is_dir(path) {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        let node = Node::default();
        self.change(NameChange::Create { path: path.to_owned(), node: Arc::clone(&node) });
        Ok(node)
    }

    pub(super) fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let node = self.open(from)?;
        self.check_dir(parent(to))?;
        if self.is_dir(to) {
            return Err(io::ErrorKind::IsADirectory.into());
        }
        if from != to {
            self.change(NameChange::Rename { from: from.to_owned(), to: to.to_owned(), node });
        }
        Ok(())
    }

    pub(super) fn remove(&mut self, path: &Path) -> io::Result<()> {
        let node = self.open(path)?;
        self.change(NameChange::Remove { path: path.to_owned(), node });
        Ok(())
    }

    pub(super) fn list(&self, dir: &Path) -> io::Result<Vec<String>> {
        self.check_dir(dir)?;
        // Paths sort by component, so everything below a directory stands together.
        let below = self.current.range(dir.to_owned()..).take_while(|(path, _)| path.starts_with(dir));
        let inside = below.filter(|(path, _)| parent(path) == dir);
        Ok(inside.filter_map(|(path, _)| path.file_name()?.to_str().map(str::to_owned)).collect())
    }

    pub(super) fn entries(&self, dir: &Path) -> io::Result<Vec<String>> {
        self.check_dir(dir)?;
        let inside = self.current.keys().chain(&self.dirs).filter(|path| path.parent() == Some(dir));
        let names = inside.filter_map(|path| path.file_name()?.to_str().map(str::to_owned));
        Ok(names.collect::<BTreeSet<_>>().into_iter().collect())
    }

    pub(super) fn remove_dir(&mut self, dir: &Path) -> io::Result<()> {
        if !self.is_dir_empty(dir)? {
            return Err(io::ErrorKind::DirectoryNotEmpty.into());
        }
        self.dirs.remove(dir);
        Ok(())
    }

    pub(super) fn is_dir_empty(&self, dir: &Path) -> io::Result<bool> {
        self.check_dir(dir)?;
        let mut inside = self.current.keys().chain(&self.dirs);
        Ok(!inside.any(|path| path != dir && path.starts_with(dir)))
    }

    pub(super) fn create_dir(&mut self, dir: &Path) -> io::Result<()> {
        if dir.ancestors().any(|above| self.current.contains_key(above)) {
            return Err(io::ErrorKind::NotADirectory.into());
        }
        self.dirs.extend(dir.ancestors().map(Path::to_owned));
        Ok(())
    }

    pub(super) fn check_dir(&self, dir: &Path) -> io::Result<()> {
        if self.is_dir(dir) { Ok(()) } else { Err(io::ErrorKind::NotFound.into()) }
    }

    /// Makes the names in a directory durable.
    ///
    /// A rename between two directories is one change: syncing either makes it durable, along with
    /// what came before it in the other.
    pub(super) fn sync_dir(&mut self, dir: &Path) -> io::Result<()> {
        self.check_dir(dir)?;
        let mut dirs = BTreeSet::from([dir.to_owned()]);
        let mut synced = Vec::new();
        let mut left = Vec::new();
        for change in self.pending.drain(..).rev() {
            if change.dirs().any(|touched| dirs.contains(touched)) {
                dirs.extend(change.dirs().map(Path::to_owned));
                synced.push(change);
            } else {
                left.push(change);
            }
        }
        self.pending.extend(left.into_iter().rev());
        synced.into_iter().rev().for_each(|change| change.apply(&mut self.durable));
        Ok(())
    }

    /// The power was cut: a subset of the pending changes survives, then the files it leads to
    /// lose what was not synced.
    pub(super) fn crash(&mut self, survival: Survival, chance: &mut Chance) {
        for change in self.pending.drain(..) {
            if survival.keeps(chance) {
                change.apply(&mut self.durable);
            }
        }
        self.current.clone_from(&self.durable);
        for node in self.current.values() {
            node.lock().crash(survival, chance);
        }
    }

    /// Puts a durable file under a name, whatever was there before; its directory is made.
    pub(super) fn put_raw(&mut self, path: &Path, bytes: &[u8]) {
        self.dirs.extend(parent(path).ancestors().map(Path::to_owned));
        let node = self.current.entry(path.to_owned()).or_default();
        *node.lock() = Content::durable(bytes);
        self.settle();
    }

    /// Takes a name away for good.
    pub(super) fn remove_raw(&mut self, path: &Path) -> Option<Node> {
        let removed = self.current.remove(path);
        self.settle();
        removed
    }

    fn settle(&mut self) {
        self.pending.clear();
        self.durable.clone_from(&self.current);
    }

    fn change(&mut self, change: NameChange) {
        change.apply(&mut self.current);
        self.pending.push(change);
    }

    fn is_dir(&self, path: &Path) -> bool {
        // The root and the working directory are always there.
        path.parent().is_none() || self.dirs.contains(path)
    }
}

impl NameChange {
    /// Does nothing when the name it starts from does not lead to its file, because the change that
    /// gave it that name was lost.
    fn apply(&self, tree: &mut Tree) {
        match self {
            NameChange::Create { path, node } => {
                tree.insert(path.clone(), Arc::clone(node));
            }
            NameChange::Rename { from, to, node } => {
                if leads_to(tree, from, node) {
                    tree.remove(from);
                    tree.insert(to.clone(), Arc::clone(node));
                }
            }
            NameChange::Remove { path, node } => {
                if leads_to(tree, path, node) {
                    tree.remove(path);
                }
            }
        }
    }

    fn dirs(&self) -> impl Iterator<Item = &Path> {
        let (first, second) = match self {
            NameChange::Create { path, .. } | NameChange::Remove { path, .. } => (path, None),
            NameChange::Rename { from, to, .. } => (from, Some(to)),
        };
        std::iter::once(first).chain(second).map(|path| parent(path))
    }
}

fn leads_to(tree: &Tree, path: &Path, node: &Node) -> bool {
    tree.get(path).is_some_and(|found| Arc::ptr_eq(found, node))
}

fn parent(path: &Path) -> &Path {
    path.parent().unwrap_or(path)
}
