//! Appending to a bundle.

use std::fs::File;
use std::io::{self, Cursor, Read, Seek, SeekFrom, Write};

use super::{BundleError, BundleReader, BundleWriter};

/// A file that a bundle can be appended to.
pub trait BundleFile: Read + Write + Seek {
    /// Cuts the file to so many bytes.
    fn truncate(&mut self, bytes: u64) -> io::Result<()>;

    /// Makes everything written durable.
    fn sync(&mut self) -> io::Result<()>;
}

impl BundleFile for File {
    fn truncate(&mut self, bytes: u64) -> io::Result<()> {
        self.set_len(bytes)
    }

    fn sync(&mut self) -> io::Result<()> {
        self.sync_data()
    }
}

impl BundleFile for Cursor<Vec<u8>> {
    fn truncate(&mut self, bytes: u64) -> io::Result<()> {
        let bytes = usize::try_from(bytes).map_err(io::Error::other)?;
        self.get_mut().truncate(bytes);
        Ok(())
    }

    fn sync(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl<F: BundleFile> BundleWriter<F> {
    /// Continues an existing bundle behind its last valid head, and cuts off a torn tail.
    ///
    /// Entries are read and their tree is verified, except for the bytes of content, which are skipped. Fails
    /// without changing the file if it is damaged in front of its last head, or has no head.
    pub fn append_to(mut file: F) -> Result<Self, BundleError> {
        let file_bytes = file.seek(SeekFrom::End(0))?;
        file.rewind()?;
        let mut reader = BundleReader::open_to_append(&mut file, file_bytes)?;
        while reader.next_entry()?.is_some() {}
        let (head, end, tree) = reader.into_covered()?;
        if end < file_bytes {
            file.truncate(end)?;
        }
        file.seek(SeekFrom::Start(end))?;
        Ok(BundleWriter::behind(file, head, end, tree, F::sync))
    }
}
