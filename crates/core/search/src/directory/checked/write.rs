//! Writing a checked file.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use tantivy::directory::{AntiCallToken, TerminatingWrite};

use super::layout::{BLOCK_BYTES, BlockSum, Footer, SUM_BYTES};

/// Writes a new file from its beginning to its end. Without its end it does not open.
pub(in crate::directory) struct CheckedWriter {
    file: File,
    name: PathBuf,
    salt: [u8; 16],
    content_bytes: u64,
    /// The checksum of the block that is being filled. A full one waits until it is known whether it is
    /// the last.
    sum: BlockSum,
    block_bytes: usize,
    /// Checksums of the blocks before it.
    table: Vec<u8>,
}

impl CheckedWriter {
    pub(super) fn start(file: File, name: &Path, salt: [u8; 16]) -> Self {
        CheckedWriter {
            file,
            name: name.to_owned(),
            salt,
            content_bytes: 0,
            sum: BlockSum::start(name, &salt),
            block_bytes: 0,
            table: Vec::new(),
        }
    }

    /// Writes the checksums and makes the whole file durable, but not its name.
    fn finish(&mut self) -> io::Result<()> {
        self.end_block(true);
        let footer = Footer { content_bytes: self.content_bytes, salt: self.salt };
        let mut end = std::mem::take(&mut self.table);
        let footer = footer.to_bytes(&self.name, &end);
        end.extend_from_slice(&footer);
        self.file.write_all(&end)?;
        self.file.sync_all()
    }

    fn end_block(&mut self, is_last: bool) {
        let number = (self.table.len() / SUM_BYTES) as u64;
        self.table.extend_from_slice(&self.sum.at(number, is_last).to_le_bytes());
        self.sum = BlockSum::start(&self.name, &self.salt);
        self.block_bytes = 0;
    }
}

impl Write for CheckedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.block_bytes == BLOCK_BYTES && !bytes.is_empty() {
            self.end_block(false);
        }
        // What the system did not take is not covered by a checksum either.
        let taken = self.file.write(&bytes[..bytes.len().min(BLOCK_BYTES - self.block_bytes)])?;
        self.sum = self.sum.add(&bytes[..taken]);
        self.block_bytes += taken;
        self.content_bytes += taken as u64;
        Ok(taken)
    }

    /// Does nothing: everything was handed to the system already.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl TerminatingWrite for CheckedWriter {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.finish()
    }
}
