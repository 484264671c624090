//! A file that is kept in memory, for what must not be written to the disk.

use std::io;

use cairn_base::fs::File;
use parking_lot::RwLock;

#[derive(Debug, Default)]
pub(crate) struct MemoryFile(RwLock<Vec<u8>>);

fn index(offset: u64) -> io::Result<usize> {
    usize::try_from(offset).map_err(io::Error::other)
}

impl File for MemoryFile {
    fn len(&self) -> io::Result<u64> {
        Ok(self.0.read().len() as u64)
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()> {
        let bytes = self.0.read();
        let start = index(offset)?;
        let found = start.checked_add(buf.len()).and_then(|end| bytes.get(start..end));
        buf.copy_from_slice(found.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }

    fn write_at(&self, data: &[u8], offset: u64) -> io::Result<()> {
        let mut bytes = self.0.write();
        let start = index(offset)?;
        let end = start.checked_add(data.len()).ok_or(io::ErrorKind::InvalidInput)?;
        if bytes.len() < end {
            bytes.resize(end, 0);
        }
        bytes[start..end].copy_from_slice(data);
        Ok(())
    }

    fn set_len(&self, len: u64) -> io::Result<()> {
        self.0.write().resize(index(len)?, 0);
        Ok(())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }
}
