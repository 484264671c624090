//! Where an index is kept.

use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cairn_search::SearchError;
use cairn_search::directory::{Protection, memory_directory, open_directory};
use cairn_search::document::Collection;
use cairn_search::index::{SearchIndex, Settings};

use crate::Engine;

/// What files of the index are sealed as.
pub(crate) const SEAL_NAME: &str = "search";

/// The node that an index belongs to.
pub(crate) struct IndexOwner {
    /// The node's name for its store: an index of another one is not used.
    store: String,
    /// How files are protected: sealed if the store is.
    protection: Protection,
    collections: Vec<&'static Collection>,
}

impl Engine {
    /// Whose index it is.
    pub(super) fn index_owner(&self) -> IndexOwner {
        let seal = self.pipeline.store().local().and_then(|local| local.derived_seal(SEAL_NAME));
        let protection = match seal {
            Some(seal) => Protection::Sealed(seal),
            None => Protection::Checked(Arc::clone(self.entropy())),
        };
        let collections = self.memories.collections();
        IndexOwner { store: self.node().id.to_string(), protection, collections }
    }
}

/// Where the index is kept, and how much memory it takes.
#[derive(Debug, Clone)]
pub struct SearchHome {
    /// The folder for its files; `None` keeps it in memory, for stores that are there too.
    pub folder: Option<PathBuf>,
    /// Memory for writing segments.
    pub writer_bytes: usize,
    /// Memory for documents that are not on disk yet; above half of it they are written.
    pub tail_bytes: usize,
}

/// The two places of which one is in use: a new index is made in the other one.
pub(super) const PLACES: [&str; 2] = ["a", "b"];

impl SearchHome {
    /// What its folder is called in a data directory.
    pub const FOLDER: &str = "search";

    /// The index of a store that follows the feed already, with its place; the newer one if there are two.
    pub(crate) fn open(&self, owner: &IndexOwner) -> Result<Option<(SearchIndex, usize)>, SearchError> {
        let Some(folder) = &self.folder else { return Ok(None) };
        let mut found: Option<(SearchIndex, usize)> = None;
        let mut damage = None;
        for (place, name) in PLACES.iter().enumerate() {
            let path = folder.join(name);
            if !path.join("meta.json").exists() {
                continue;
            }
            // Bytes that nobody wrote may lead anywhere, also in code that is not ours.
            let opened = catch_unwind(AssertUnwindSafe(|| self.open_at(&path, owner)));
            let opened = opened.unwrap_or_else(|_| Err(SearchError::Damaged("it cannot be opened".into())));
            match opened {
                // One that never got to the feed was not finished.
                Ok(index) if index.position() == cairn_base::Position::START => {}
                Ok(index) => {
                    let is_newer = |(other, _): &(SearchIndex, usize)| index.position() > other.position();
                    if found.as_ref().is_none_or(is_newer) {
                        found = Some((index, place));
                    }
                }
                Err(error) => damage = Some(error),
            }
        }
        match (found, damage) {
            (Some(found), _) => Ok(Some(found)),
            (None, Some(damage)) => Err(damage),
            (None, None) => Ok(None),
        }
    }

    /// A new, empty index in a place.
    pub(crate) fn create(&self, place: usize, owner: &IndexOwner) -> Result<SearchIndex, SearchError> {
        let Some(folder) = &self.folder else {
            return SearchIndex::open(memory_directory(), self.settings(owner));
        };
        let path = folder.join(PLACES[place % PLACES.len()]);
        remove(&path)?;
        self.open_at(&path, owner)
    }

    /// Removes what is in all places but this one.
    pub(crate) fn keep_only(&self, place: Option<usize>) -> io::Result<()> {
        let Some(folder) = &self.folder else { return Ok(()) };
        for (at, name) in PLACES.iter().enumerate() {
            if Some(at) != place {
                remove(&folder.join(name))?;
            }
        }
        Ok(())
    }

    fn open_at(&self, path: &Path, owner: &IndexOwner) -> Result<SearchIndex, SearchError> {
        let folder = open_directory(path, owner.protection.clone());
        let folder = folder.map_err(|error| SearchError::Damaged(error.to_string()))?;
        SearchIndex::open(folder, self.settings(owner))
    }

    fn settings(&self, owner: &IndexOwner) -> Settings {
        Settings {
            store: owner.store.clone(),
            collections: owner.collections.clone(),
            writer_bytes: self.writer_bytes,
        }
    }
}

fn remove(path: &Path) -> io::Result<()> {
    match fs::remove_dir_all(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        done => done,
    }
}
