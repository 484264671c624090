//! Content of a bundle: handed over piece by piece, or skipped.

use std::io::{self, BufReader, Read, Seek};

use cairn_seam::{Sha256, Sha256Hasher};

use super::{BUFFER_BYTES, BundleReader, fill};
use crate::bundle::{BundleError, BundleProblem};

/// Content whose bytes were not read yet.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) entry_at: u64,
    pub(super) sha256: Sha256,
    pub(super) length: u64,
}

/// The length of a file, and how to skip content in it.
pub(super) type Skip<R> = (u64, fn(&mut BufReader<R>, i64) -> io::Result<()>);

impl<R: Read + Seek> BundleReader<R> {
    /// Opens a file of known length whose content is skipped instead of verified.
    pub(in crate::bundle) fn open_to_append(input: R, file_bytes: u64) -> Result<Self, BundleError> {
        let mut reader = BundleReader::open(input)?;
        reader.skip = Some((file_bytes, BufReader::seek_relative));
        Ok(reader)
    }
}

impl<R: Read> BundleReader<R> {
    /// Hands over the bytes of the content that [`next_entry`](BundleReader::next_entry) returned last.
    ///
    /// Returns whether they are all there and match their SHA-256: only then may what `sink` got be used. Returns
    /// `false` if there is no such content, or if it belongs to a torn tail.
    pub fn content(&mut self, sink: &mut dyn FnMut(&[u8]) -> io::Result<()>) -> Result<bool, BundleError> {
        let Some(pending) = self.pending.take() else { return Ok(false) };
        let read = match self.skip {
            Some(skip) => self.skip_content(skip, pending.entry_at, pending.length),
            None => self.read_content(&pending, sink),
        };
        self.ended_by(read)
    }

    fn read_content(
        &mut self,
        pending: &Pending,
        sink: &mut dyn FnMut(&[u8]) -> io::Result<()>,
    ) -> Result<bool, BundleError> {
        let Pending { entry_at, sha256, length } = *pending;
        let mut hasher = Sha256Hasher::default();
        let mut buffer = vec![0; BUFFER_BYTES];
        let mut left = length;
        while left > 0 {
            let wanted = usize::try_from(left).unwrap_or(BUFFER_BYTES).min(BUFFER_BYTES);
            let count = fill(&mut self.input, &mut buffer[..wanted])?;
            self.position += count as u64;
            left -= count as u64;
            if count < wanted {
                return self.stop_at(entry_at, BundleProblem::CutOff, Vec::new()).map(|()| false);
            }
            hasher.update(&buffer[..wanted]);
            sink(&buffer[..wanted])?;
        }
        if hasher.finish() == sha256 {
            return Ok(true);
        }
        self.stop_at(entry_at, BundleProblem::Content, Vec::new()).map(|()| false)
    }

    fn skip_content(&mut self, skip: Skip<R>, entry_at: u64, length: u64) -> Result<bool, BundleError> {
        let (file_bytes, seek) = skip;
        let end = self.position + length;
        if end > file_bytes {
            return self.torn(entry_at, BundleProblem::CutOff, file_bytes).map(|()| false);
        }
        seek(&mut self.input, i64::try_from(length).map_err(io::Error::other)?)?;
        self.position = end;
        Ok(true)
    }
}
