//! Reading a container, and refusing one that is not whole. Everything in it comes from outside.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use cairn_base::fs::{File, FileSystem};
use cairn_log::ExpectedFile;
use cairn_seam::{DamagedAt, StoreError};

use super::{
    CHECKSUM_BYTES, CHUNK_BYTES, DIGEST_BYTES, END_HEAD_BYTES, FILE_HEAD_BYTES, HEAD_BYTES, LISTED, MAGIC,
    NAME_BYTES_MAX, WHOLE, add_table_row, chunks, end, file_head, head, stored_bytes,
};

/// Reads a container from its start to its end, and verifies each part before it hands it out.
pub(crate) struct ContainerReader {
    path: PathBuf,
    file: Arc<dyn File>,
    len: u64,
    hasher: blake3::Hasher,
    /// The table that must stand at the end.
    table: Vec<u8>,
    at: u64,
    buffer: Vec<u8>,
    position: u64,
    format: u32,
}

impl ContainerReader {
    /// Opens a file that should be a container.
    pub(crate) fn open(fs: &dyn FileSystem, path: &Path) -> Result<Self, StoreError> {
        let failed = |error| StoreError::io(format!("opening {}", path.display()), error);
        let file = fs.open_to_read(path).map_err(failed)?;
        Self::start(path, file)
    }

    /// Reads the same file from its start once more.
    pub(crate) fn again(&self) -> Result<Self, StoreError> {
        Self::start(&self.path, Arc::clone(&self.file))
    }

    fn start(path: &Path, file: Arc<dyn File>) -> Result<Self, StoreError> {
        let failed = |error| StoreError::io(format!("reading {}", path.display()), error);
        let len = file.len().map_err(failed)?;
        let mut reader = ContainerReader {
            path: path.to_owned(),
            file,
            len,
            hasher: blake3::Hasher::new(),
            table: Vec::new(),
            at: 0,
            buffer: vec![0; CHECKSUM_BYTES + CHUNK_BYTES],
            position: 0,
            format: 0,
        };
        reader.read_head()?;
        Ok(reader)
    }

    /// The store's position when the container was written.
    pub(crate) fn position(&self) -> u64 {
        self.position
    }

    /// Whether the container may lack something, and lists it.
    pub(crate) fn is_listed(&self) -> bool {
        self.format == LISTED
    }

    /// Length of the container.
    pub(crate) fn len(&self) -> u64 {
        self.len
    }

    /// Where the next byte comes from.
    pub(crate) fn offset(&self) -> u64 {
        self.at
    }

    /// Reads the header of the next file, which must be this one; yields its length.
    pub(crate) fn next_file(&mut self, expected: &ExpectedFile) -> Result<u64, StoreError> {
        let start = self.at;
        self.take(FILE_HEAD_BYTES)?;
        let name_len = usize::from(u16::from_le_bytes([self.buffer[4], self.buffer[5]]));
        let bytes = self.u64_at(8);
        if name_len > NAME_BYTES_MAX {
            return Err(self.damaged(start, "a file's name is too long"));
        }
        let mut found = self.buffer[..FILE_HEAD_BYTES].to_vec();
        found.extend_from_slice(self.take(name_len)?);
        if found[..CHECKSUM_BYTES] != crc32c::crc32c(&found[CHECKSUM_BYTES..]).to_le_bytes() {
            return Err(self.damaged(start, "the checksum of a file's header is wrong"));
        }
        // Made here and compared: no name from outside is ever used.
        if found != file_head(&expected.name, bytes) {
            let name = String::from_utf8_lossy(&found[FILE_HEAD_BYTES..]).into_owned();
            return Err(self.damaged(start, format!("{name:?} stands where {:?} belongs", expected.name)));
        }
        let is_length = |known: u64| known == bytes || (self.is_listed() && bytes < known);
        if let Some(known) = expected.bytes.filter(|known| !is_length(*known)) {
            return Err(
                self.damaged(start, format!("{} has {bytes} bytes instead of {known}", expected.name))
            );
        }
        let behind = (END_HEAD_BYTES + DIGEST_BYTES) as u64;
        let needed = stored_bytes(bytes).and_then(|stored| stored.checked_add(self.at + behind));
        if needed.is_none_or(|needed| needed > self.len) {
            return Err(self.ends_early());
        }
        add_table_row(&mut self.table, start, &expected.name, bytes);
        Ok(bytes)
    }

    /// Hands out the content of a file of this length, a verified chunk and its offset at a time;
    /// `go_on` gets them with how far the container is.
    pub(crate) fn read_file(
        &mut self,
        bytes: u64,
        mut go_on: impl FnMut(&[u8], u64, u64) -> Result<(), StoreError>,
    ) -> Result<(), StoreError> {
        let mut offset = 0;
        for len in chunks(bytes) {
            let start = self.at;
            let taken = self.take(CHECKSUM_BYTES + len)?;
            let (crc, chunk) = taken.split_at(CHECKSUM_BYTES);
            if crc != crc32c::crc32c(chunk).to_le_bytes() {
                return Err(self.damaged(start, format!("the checksum of a chunk of {len} bytes is wrong")));
            }
            go_on(&self.buffer[CHECKSUM_BYTES..CHECKSUM_BYTES + len], offset, self.at)?;
            offset += len as u64;
        }
        Ok(())
    }

    /// Verifies what stands behind the files.
    pub(crate) fn finish(mut self) -> Result<(), StoreError> {
        let start = self.at;
        let expected = end(std::mem::take(&mut self.table));
        for part in expected.chunks(CHUNK_BYTES) {
            let at = self.at;
            let found = self.take(part.len())?;
            if let Some(wrong) = found.iter().zip(part).position(|(found, byte)| found != byte) {
                return Err(self.damaged(at + wrong as u64, format!("the table at byte {start} is wrong")));
            }
        }
        let digest = self.hasher.finalize();
        let at = self.at;
        if self.take(DIGEST_BYTES)? != digest.as_bytes() {
            return Err(self.damaged(at, "the digest of the whole file is wrong"));
        }
        if self.at < self.len {
            return Err(self.damaged(self.at, "there are bytes behind the end"));
        }
        Ok(())
    }

    /// The head of every format starts with these bytes.
    fn read_head(&mut self) -> Result<(), StoreError> {
        self.take(HEAD_BYTES)?;
        let found = &self.buffer[..HEAD_BYTES];
        if !found.starts_with(MAGIC) {
            return Err(self.damaged(0, "this is no backup of cairn"));
        }
        let format = u32::from_le_bytes([found[8], found[9], found[10], found[11]]);
        self.position = self.u64_at(16);
        if self.buffer[..HEAD_BYTES] != head(format, self.position) {
            return Err(self.damaged(0, "the checksum of the head is wrong"));
        }
        self.format = format;
        match format {
            WHOLE | LISTED => Ok(()),
            0 => Err(self.damaged(0, "there is no format 0")),
            newer => Err(StoreError::NewerFormat { dir: self.path.clone(), found: newer, known: LISTED }),
        }
    }

    /// The next bytes, at most a chunk with its checksum, which stay in the buffer.
    fn take(&mut self, len: usize) -> Result<&[u8], StoreError> {
        if self.len - self.at < len as u64 {
            return Err(self.ends_early());
        }
        let bytes = &mut self.buffer[..len];
        let read = self.file.read_at(bytes, self.at);
        read.map_err(|error| StoreError::io(format!("reading {}", self.path.display()), error))?;
        self.hasher.update(bytes);
        self.at += len as u64;
        Ok(bytes)
    }

    fn u64_at(&self, offset: usize) -> u64 {
        let mut bytes = [0; 8];
        bytes.copy_from_slice(&self.buffer[offset..offset + 8]);
        u64::from_le_bytes(bytes)
    }

    fn ends_early(&self) -> StoreError {
        self.damaged(self.len, "the backup ends early")
    }

    pub(crate) fn damaged(&self, offset: u64, detail: impl Into<String>) -> StoreError {
        StoreError::Damaged(DamagedAt { file: self.path.clone(), offset, detail: detail.into() })
    }
}
