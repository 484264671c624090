//! Files that must stay although the store needs them no more, because somebody still reads them.

use std::io;
use std::sync::Arc;

use cairn_seam::StoreError;

use crate::blob_file;
use crate::hashed::HashedName;
use crate::log::Log;

/// How many hold files back, and which wait to be removed.
#[derive(Debug, Default)]
pub(crate) struct Held {
    holders: usize,
    waiting: Vec<String>,
    /// Blobs whose files wait. They may be put again meanwhile.
    waiting_blobs: Vec<HashedName>,
}

impl Held {
    /// Whether a file waits to be removed.
    pub(crate) fn waits(&self, name: &str) -> bool {
        self.waiting.iter().any(|waiting| waiting == name)
    }

    /// Whether the file of a blob waits to be removed, or would have to.
    pub(crate) fn keeps_blob(&self, name: &HashedName) -> bool {
        self.holders > 0 || self.waiting_blobs.contains(name)
    }
}

/// As long as this lives, no file that the manifest listed when it was made is removed.
///
/// Nobody waits for it: what would be removed is removed when the last one goes.
#[derive(Debug)]
pub struct KeptFiles(Arc<Log>);

impl KeptFiles {
    /// From now on.
    pub fn new(log: Arc<Log>) -> Self {
        log.held.lock().holders += 1;
        KeptFiles(log)
    }
}

impl Clone for KeptFiles {
    fn clone(&self) -> Self {
        KeptFiles::new(Arc::clone(&self.0))
    }
}

impl Drop for KeptFiles {
    fn drop(&mut self) {
        let (waiting, waiting_blobs) = {
            let mut held = self.0.held.lock();
            held.holders -= 1;
            if held.holders > 0 {
                return;
            }
            (held.waiting.clone(), held.waiting_blobs.clone())
        };
        for name in &waiting {
            // Nothing lists it any more: if it cannot be removed now, the next opening does.
            let _ = self.0.options.fs.remove(&self.0.path(name));
        }
        for name in &waiting_blobs {
            // The same holds here, and for the next compaction.
            let _ = self.0.remove_blob_file(name);
        }
        let mut held = self.0.held.lock();
        // Only now, so that a doctor never meets one that nobody seems to know.
        held.waiting.retain(|name| !waiting.contains(name));
        if held.holders == 0 {
            held.waiting_blobs.retain(|name| !waiting_blobs.contains(name));
        }
    }
}

impl Log {
    /// Whether somebody still reads files that could go.
    pub(crate) fn keeps_files(&self) -> bool {
        self.held.lock().holders > 0
    }

    /// Makes sure that files that were removed do not come back with a power cut.
    pub fn sync_removals(&self) -> Result<(), StoreError> {
        for dir in [self.options.dir.clone(), self.path(blob_file::DIR)] {
            match self.options.fs.sync_dir(&dir) {
                // No blob ever had a file.
                Err(error) if error.kind() == io::ErrorKind::NotFound => {}
                synced => synced.map_err(self.io("syncing the directory", ""))?,
            }
        }
        Ok(())
    }

    /// Whether somebody still reads files that could go; then this blob's waits until nobody does.
    pub(crate) fn keeps_blob_file(&self, name: &HashedName) -> bool {
        let mut held = self.held.lock();
        if held.holders > 0 && !held.waiting_blobs.contains(name) {
            held.waiting_blobs.push(*name);
        }
        held.holders > 0
    }

    /// Removes a file that the manifest lists no more, or leaves that to whoever still reads it.
    pub(crate) fn remove_file(&self, name: &str) -> Result<(), StoreError> {
        {
            let mut held = self.held.lock();
            if held.holders > 0 {
                held.waiting.push(name.to_owned());
                return Ok(());
            }
        }
        match self.options.fs.remove(&self.path(name)) {
            // A damaged one may be gone as well.
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            removed => removed.map_err(self.io("removing", name)),
        }
    }
}
