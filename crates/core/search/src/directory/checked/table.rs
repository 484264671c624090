//! The checksums of an open file, and comparing blocks with them.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use super::layout::{BLOCK_BYTES, BlockSum, FOOTER_BYTES, Footer, SUM_BYTES};
use crate::directory::IndexFileError;

/// A checked file, open, with its checksums. Everything is read from the file itself, never through a
/// mapping: what the system cannot read is an error then, and not the end of the process.
pub(super) struct Table {
    pub(super) name: PathBuf,
    pub(super) content_bytes: usize,
    file: File,
    start: BlockSum,
    sums: Box<[u32]>,
}

impl Table {
    /// Opens the file at a path, which was written under this name, and verifies the table itself.
    pub(super) fn open(path: &Path, name: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        let file_bytes = file.metadata()?.len();
        let no_checksums = || IndexFileError::NoChecksums { file: name.to_owned() };
        let footer_at = file_bytes.checked_sub(FOOTER_BYTES as u64).ok_or_else(no_checksums)?;
        let unread = |error| IndexFileError::unread(name, footer_at / BLOCK_BYTES as u64, footer_at, &error);
        let mut end = [0; FOOTER_BYTES];
        file.read_exact_at(&mut end, footer_at).map_err(unread)?;
        let footer = Footer::parse(&end, name, file_bytes)?;
        let too_long = |_| IndexFileError::Length { file: name.to_owned(), file_bytes };
        // It fits into the file, so there is memory for it if there is for a mapping.
        let blocks = usize::try_from(footer.blocks()).map_err(too_long)?;
        let mut table = vec![0; blocks * SUM_BYTES];
        file.read_exact_at(&mut table, footer.content_bytes).map_err(unread)?;
        if !Footer::covers(&end, name, &table) {
            let offset = footer.content_bytes;
            return Err(IndexFileError::Checksums { file: name.to_owned(), offset }.into());
        }
        let (sums, _) = table.as_chunks::<SUM_BYTES>();
        Ok(Table {
            name: name.to_owned(),
            content_bytes: usize::try_from(footer.content_bytes).map_err(too_long)?,
            file,
            start: BlockSum::start(name, &footer.salt),
            sums: sums.iter().map(|sum| u32::from_le_bytes(*sum)).collect(),
        })
    }

    pub(super) fn blocks(&self) -> usize {
        self.sums.len()
    }

    /// How long the whole file is.
    pub(super) fn file_bytes(&self) -> usize {
        self.content_bytes + self.sums.len() * SUM_BYTES + FOOTER_BYTES
    }

    /// Reads and verifies a block, with room for it in `buffer`.
    pub(super) fn verify(&self, number: usize, buffer: &mut Vec<u8>) -> io::Result<()> {
        let start = number * BLOCK_BYTES;
        buffer.resize(self.content_bytes.saturating_sub(start).min(BLOCK_BYTES), 0);
        self.read_verified(number, buffer)
    }

    pub(super) fn verify_all(&self) -> io::Result<()> {
        let mut buffer = Vec::new();
        (0..self.blocks()).try_for_each(|number| self.verify(number, &mut buffer))
    }

    /// The content.
    pub(super) fn read_whole(&self) -> io::Result<Vec<u8>> {
        let mut content = vec![0; self.content_bytes];
        if content.is_empty() {
            self.read_verified(0, &mut [])?;
        }
        for (number, block) in content.chunks_mut(BLOCK_BYTES).enumerate() {
            self.read_verified(number, block)?;
        }
        Ok(content)
    }

    fn read_verified(&self, number: usize, block: &mut [u8]) -> io::Result<()> {
        let (place, offset) = (number as u64, (number * BLOCK_BYTES) as u64);
        let unread = |error| IndexFileError::unread(&self.name, place, offset, &error);
        self.file.read_exact_at(block, offset).map_err(unread)?;
        let is_last = number + 1 == self.sums.len();
        if self.start.add(block).at(place, is_last) != self.sums[number] {
            return Err(IndexFileError::Damaged { file: self.name.clone(), block: place, offset }.into());
        }
        Ok(())
    }
}
