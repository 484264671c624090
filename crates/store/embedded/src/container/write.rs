//! Writing a container, in one pass.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use cairn_base::fs::{File, FileSystem};
use cairn_seam::StoreError;

use super::{CHECKSUM_BYTES, CHUNK_BYTES, FORMAT, add_table_row, chunks, end, file_head, head};

/// Bytes written between two syncs at the most, so that commits to the log never wait for many.
const SLICE_BYTES: u64 = 8 << 20;

/// Writes a container from its start to its end.
pub(crate) struct ContainerWriter {
    path: PathBuf,
    file: Arc<dyn File>,
    hasher: blake3::Hasher,
    table: Vec<u8>,
    at: u64,
    synced_to: u64,
    /// A chunk with room for its checksum.
    buffer: Vec<u8>,
}

impl ContainerWriter {
    /// Starts a container in a new file.
    pub(crate) fn create(fs: &dyn FileSystem, path: &Path, position: u64) -> Result<Self, StoreError> {
        let created = fs.create(path);
        let file = created.map_err(|error| StoreError::io(format!("creating {}", path.display()), error))?;
        let mut writer = ContainerWriter {
            path: path.to_owned(),
            file,
            hasher: blake3::Hasher::new(),
            table: Vec::new(),
            at: 0,
            synced_to: 0,
            buffer: vec![0; CHECKSUM_BYTES + CHUNK_BYTES],
        };
        writer.put(&head(FORMAT, position))?;
        Ok(writer)
    }

    /// Adds a file. `read` fills a buffer with what stands at an offset of it; before each time `go_on` is
    /// told how long the container is by now. An error of either ends the work.
    pub(crate) fn add(
        &mut self,
        name: &str,
        bytes: u64,
        mut read: impl FnMut(&mut [u8], u64) -> Result<(), StoreError>,
        mut go_on: impl FnMut(u64) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        add_table_row(&mut self.table, self.at, name, bytes);
        self.put(&file_head(name, bytes))?;
        let mut buffer = std::mem::take(&mut self.buffer);
        let mut offset = 0;
        for len in chunks(bytes) {
            go_on(self.at)?;
            let stored = &mut buffer[..CHECKSUM_BYTES + len];
            let (crc, chunk) = stored.split_at_mut(CHECKSUM_BYTES);
            read(chunk, offset)?;
            crc.copy_from_slice(&crc32c::crc32c(chunk).to_le_bytes());
            self.put(stored)?;
            offset += len as u64;
        }
        self.buffer = buffer;
        Ok(())
    }

    /// Closes the container and syncs it; yields its length.
    pub(crate) fn finish(mut self) -> Result<u64, StoreError> {
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
