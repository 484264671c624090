//! Reading a checked file.

use std::io;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tantivy::HasLen;
use tantivy::directory::error::OpenReadError;
use tantivy::directory::{Directory, FileHandle, MmapDirectory, OwnedBytes};

use super::layout::BLOCK_BYTES;
use super::table::Table;
use crate::directory::IndexFileError;
use crate::directory::damage::DamageNote;

/// A checked file, open and mapped into memory. It stays readable when its name is removed.
pub(in crate::directory) struct CheckedFile {
    table: Table,
    mapped: Arc<dyn FileHandle>,
    /// One bit for each block that was verified. Nothing hangs on their order: a block that two threads
    /// verify at once is verified twice.
    verified: Box<[AtomicU64]>,
    damage: DamageNote,
}

impl CheckedFile {
    /// Opens the file of this name in a folder. Reads its checksums and nothing else.
    pub(super) fn open(dir: &Path, name: &Path, damage: &DamageNote) -> io::Result<Self> {
        let table = Table::open(&dir.join(name), name)?;
        let mapped = map(dir, name)?;
        if mapped.len() != table.file_bytes() {
            let file_bytes = mapped.len() as u64;
            return Err(IndexFileError::Length { file: name.to_owned(), file_bytes }.into());
        }
        let words = table.blocks().div_ceil(64);
        let verified = (0..words).map(|_| AtomicU64::new(0)).collect();
        Ok(CheckedFile { table, mapped, verified, damage: damage.clone() })
    }

    /// Verifies those of the blocks that nobody has read yet.
    fn verify(&self, blocks: Range<usize>) -> io::Result<()> {
        let mut buffer = Vec::new();
        for number in blocks {
            let (word, bit) = (&self.verified[number / 64], 1 << (number % 64));
            if word.load(Ordering::Relaxed) & bit == 0 {
                self.table.verify(number, &mut buffer)?;
                word.fetch_or(bit, Ordering::Relaxed);
            }
        }
        Ok(())
    }
}

/// The whole file, mapped. The directory is a new one each time: one that is kept would still have the
/// mapping of an older file of this name.
fn map(dir: &Path, name: &Path) -> io::Result<Arc<dyn FileHandle>> {
    let directory = MmapDirectory::open(dir).map_err(io::Error::other)?;
    directory.get_file_handle(name).map_err(|error| match error {
        OpenReadError::FileDoesNotExist(_) => io::ErrorKind::NotFound.into(),
        error @ (OpenReadError::IoError { .. } | OpenReadError::IncompatibleIndex(_)) => {
            io::Error::other(error)
        }
    })
}

impl FileHandle for CheckedFile {
    fn read_bytes(&self, range: Range<usize>) -> io::Result<OwnedBytes> {
        let content_bytes = self.table.content_bytes;
        if range.start > range.end || range.end > content_bytes {
            let text = format!("bytes {range:?} of {}, which has {content_bytes}", self.table.name.display());
            return Err(io::Error::new(io::ErrorKind::InvalidInput, text));
        }
        if range.is_empty() {
            return Ok(OwnedBytes::empty());
        }
        let blocks = range.start / BLOCK_BYTES..(range.end - 1) / BLOCK_BYTES + 1;
        self.damage.note(self.verify(blocks))?;
        self.mapped.read_bytes(range)
    }
}

impl HasLen for CheckedFile {
    fn len(&self) -> usize {
        self.table.content_bytes
    }
}

impl std::fmt::Debug for CheckedFile {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CheckedFile").field("name", &self.table.name).finish_non_exhaustive()
    }
}
