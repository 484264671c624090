//! Writing a sealed file.

use std::fs::File;
use std::io::{self, Write};

use cairn_seam::{BlockPlace, DERIVED_TAG_BYTES, FileSeal, SealStamp};
use tantivy::directory::{AntiCallToken, TerminatingWrite};

use super::layout::{self, BLOCK_BYTES};

/// Writes a new file from its beginning to its end. Without its end it does not open.
pub(in crate::directory) struct SealedWriter {
    file: File,
    seal: Box<dyn FileSeal>,
    /// The block that is being filled. A full one waits until it is known whether it is the last.
    block: Vec<u8>,
    number: u64,
    /// A block may be there in part: nothing that is written now would be at its place.
    has_failed: bool,
}

impl SealedWriter {
    pub(super) fn start(mut file: File, stamp: &SealStamp, seal: Box<dyn FileSeal>) -> io::Result<Self> {
        file.write_all(&layout::header(stamp))?;
        let block = Vec::with_capacity(BLOCK_BYTES + DERIVED_TAG_BYTES);
        Ok(SealedWriter { file, seal, block, number: 0, has_failed: false })
    }

    /// Writes the last block and makes the whole file durable, but not its name.
    fn finish(&mut self) -> io::Result<()> {
        self.put_block(true)?;
        self.file.sync_all()
    }

    fn put_block(&mut self, is_last: bool) -> io::Result<()> {
        if self.has_failed {
            return Err(io::Error::other("an earlier block of the file could not be written"));
        }
        self.seal.seal(BlockPlace { number: self.number, is_last }, &mut self.block);
        let written = self.file.write_all(&self.block);
        self.has_failed = written.is_err();
        self.block.clear();
        self.number += 1;
        written
    }
}

impl Write for SealedWriter {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.block.len() == BLOCK_BYTES && !bytes.is_empty() {
            self.put_block(false)?;
        }
        let taken = bytes.len().min(BLOCK_BYTES - self.block.len());
        self.block.extend_from_slice(&bytes[..taken]);
        Ok(taken)
    }

    /// Does nothing: a block is sealed once, when it is full or the file ends.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl TerminatingWrite for SealedWriter {
    fn terminate_ref(&mut self, _: AntiCallToken) -> io::Result<()> {
        self.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cairn_seam::NotAsSealed;

    #[derive(Debug)]
    struct Unsealed;

    impl FileSeal for Unsealed {
        fn seal(&self, _: BlockPlace, _: &mut Vec<u8>) {}

        fn open(&self, _: BlockPlace, sealed: &mut [u8]) -> Result<usize, NotAsSealed> {
            Ok(sealed.len())
        }
    }

    #[test]
    fn a_file_with_a_block_that_was_not_written_is_never_finished() {
        let dir = tempfile::tempdir().unwrap();
        let good = File::create(dir.path().join("file")).unwrap();
        let refuses = File::open(dir.path().join("file")).unwrap();
        let stamp = SealStamp { key: [0; 16], salt: [0; 16] };
        let mut writer = SealedWriter::start(good.try_clone().unwrap(), &stamp, Box::new(Unsealed)).unwrap();
        writer.file = refuses;
        assert!(writer.write_all(&[7; BLOCK_BYTES + 1]).is_err());
        // There is room again, but a block is missing.
        writer.file = good;
        assert!(writer.write_all(&[7; BLOCK_BYTES + 1]).is_err());
        assert!(writer.finish().is_err());
    }
}
