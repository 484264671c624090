//! Writing a container, in one pass.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cairn_base::fs::{File, FileSystem};
use cairn_seam::StoreError;

use super::{CHUNK_BYTES, add_table_row, end, file_head, head};

/// Bytes written between two syncs at the most, so that commits to the log never wait for many.
const SLICE_BYTES: u64 = 8 << 20;

/// Writes a container from its start to its end.
#[derive(Debug)]
pub(crate) struct ContainerWriter {
    path: PathBuf,
    file: Arc<dyn File>,
    hasher: blake3::Hasher,
    table: Vec<u8>,
    at: u64,
    synced_to: u64,
}

impl ContainerWriter {
    /// Starts a container in a new file.
    pub(crate) fn create(
        fs: &dyn FileSystem,
        path: &Path,
        format: u32,
        position: u64,
    ) -> Result<Self, StoreError> {
        let created = fs.create(path);
        let file = created.map_err(|error| StoreError::io(format!("creating {}", path.display()), error))?;
        let mut writer = ContainerWriter {
            path: path.to_owned(),
            file,
            hasher: blake3::Hasher::new(),
            table: Vec::new(),
            at: 0,
            synced_to: 0,
        };
        writer.put(&head(format, position))?;
        Ok(writer)
    }

    /// Starts a file of so many bytes. They follow in chunks, of which all but the last are full.
    pub(crate) fn begin_file(&mut self, name: &str, bytes: u64) -> Result<(), StoreError> {
        add_table_row(&mut self.table, self.at, name, bytes);
        self.put(&file_head(name, bytes))
    }

    /// Adds the next chunk of a file.
    pub(crate) fn put_chunk(&mut self, chunk: &[u8]) -> Result<(), StoreError> {
        self.put(&crc32c::crc32c(chunk).to_le_bytes())?;
        self.put(chunk)
    }

    /// Adds a file that is in memory.
    pub(crate) fn add(&mut self, name: &str, bytes: &[u8]) -> Result<(), StoreError> {
        self.begin_file(name, bytes.len() as u64)?;
        bytes.chunks(CHUNK_BYTES).try_for_each(|chunk| self.put_chunk(chunk))
    }

    /// The number of bytes so far.
    pub(crate) fn len(&self) -> u64 {
        self.at
    }

    /// Closes the container and syncs it; yields its length.
    pub(crate) fn finish(&mut self) -> Result<u64, StoreError> {
        let end = end(std::mem::take(&mut self.table));
        self.put(&end)?;
        let digest = self.hasher.finalize();
        self.put(digest.as_bytes())?;
        self.file.sync_data().map_err(|error| self.failed(error))?;
        Ok(self.at)
    }

    fn put(&mut self, bytes: &[u8]) -> Result<(), StoreError> {
        self.hasher.update(bytes);
        self.file.write_at(bytes, self.at).map_err(|error| self.failed(error))?;
        self.at += bytes.len() as u64;
        if self.at - self.synced_to >= SLICE_BYTES {
            self.file.sync_data().map_err(|error| self.failed(error))?;
            self.synced_to = self.at;
        }
        Ok(())
    }

    fn failed(&self, error: io::Error) -> StoreError {
        StoreError::io(format!("writing {}", self.path.display()), error)
    }
}
