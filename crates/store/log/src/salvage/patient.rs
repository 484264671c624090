//! A file on a failing disk: what cannot be read comes as zeroes, which no checksum takes for data.

use std::io;
use std::sync::Arc;

use cairn_base::fs::File;

/// What a disk loses at once.
const BLOCK: usize = 4096;

/// Reads around bad blocks of the disk, and writes nothing.
#[derive(Debug)]
pub struct PatientFile(pub Arc<dyn File>);

impl File for PatientFile {
    fn len(&self) -> io::Result<u64> {
        self.0.len()
    }

    fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()> {
        match self.0.read_at(buf, offset) {
            // The end of the file is no fault of the disk.
            Err(error) if error.kind() != io::ErrorKind::UnexpectedEof => {
                let mut done = 0;
                while done < buf.len() {
                    let at = offset + done as u64;
                    let in_block = BLOCK - usize::try_from(at % BLOCK as u64).expect("within a block");
                    let part = in_block.min(buf.len() - done);
                    let part = &mut buf[done..done + part];
                    done += part.len();
                    if self.0.read_at(part, at).is_err() {
                        part.fill(0);
                    }
                }
                Ok(())
            }
            read => read,
        }
    }

    fn write_at(&self, _: &[u8], _: u64) -> io::Result<()> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }

    fn set_len(&self, _: u64) -> io::Result<()> {
        Err(io::ErrorKind::ReadOnlyFilesystem.into())
    }

    fn sync_data(&self) -> io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Fails to read its second block.
    #[derive(Debug)]
    struct Failing;

    impl File for Failing {
        fn len(&self) -> io::Result<u64> {
            Ok(3 * BLOCK as u64)
        }

        fn read_at(&self, buf: &mut [u8], offset: u64) -> io::Result<()> {
            let end = offset + buf.len() as u64;
            if end > self.len()? {
                return Err(io::ErrorKind::UnexpectedEof.into());
            }
            if offset < 2 * BLOCK as u64 && end > BLOCK as u64 {
                return Err(io::Error::other("the disk is failing"));
            }
            buf.fill(7);
            Ok(())
        }

        fn write_at(&self, _: &[u8], _: u64) -> io::Result<()> {
            unreachable!("nothing is written to a damaged store")
        }

        fn set_len(&self, _: u64) -> io::Result<()> {
            unreachable!("nothing is written to a damaged store")
        }

        fn sync_data(&self) -> io::Result<()> {
            unreachable!("nothing is written to a damaged store")
        }
    }

    #[test]
    fn a_bad_block_costs_no_more_than_itself() {
        let file = PatientFile(Arc::new(Failing));
        let mut bytes = vec![1; 2 * BLOCK + 100];
        file.read_at(&mut bytes, 50).unwrap();
        let sevens = |range: std::ops::Range<usize>| bytes[range].iter().all(|byte| *byte == 7);
        assert!(sevens(0..BLOCK - 50) && sevens(2 * BLOCK - 50..bytes.len()));
        assert!(bytes[BLOCK - 50..2 * BLOCK - 50].iter().all(|byte| *byte == 0));
        assert!(file.read_at(&mut [0; 8], 3 * BLOCK as u64 - 4).is_err(), "the end stays the end");
        assert!(file.write_at(&[1], 0).is_err());
    }
}
