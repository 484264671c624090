//! The end of a bundle: with a head, torn, or damaged.

use std::io::Read;

use super::BundleReader;
use crate::bundle::{BundleError, BundleProblem, scan};

/// The end of a bundle.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tail {
    /// Bytes behind the last valid head, which are ignored; 0 if the bundle ends with a head.
    pub torn_bytes: u64,
    /// Offset of the last valid head's end: a second reader of only so many bytes sees covered entries only.
    pub covered_bytes: u64,
    /// Offset and problem of the entry where reading ended, if there are torn bytes.
    pub torn_at: Option<(u64, BundleProblem)>,
}

impl<R: Read> BundleReader<R> {
    /// Returns how the bundle ends, once [`next_entry`](BundleReader::next_entry) has returned `None`.
    pub fn tail(&self) -> Option<Tail> {
        self.tail
    }

    /// Tells a torn tail from damage.
    pub(super) fn stop_at(
        &mut self,
        entry_at: u64,
        problem: BundleProblem,
        seen: Vec<u8>,
    ) -> Result<(), BundleError> {
        let seen_at = self.position - seen.len() as u64;
        let scanned = scan::scan(seen, seen_at, &mut self.input)?;
        self.position = scanned.file_bytes;
        if scanned.has_head {
            return Err(BundleError::Damaged { offset: entry_at, problem });
        }
        self.torn(entry_at, problem, scanned.file_bytes)
    }

    pub(super) fn end_at(&mut self, offset: u64) -> Result<(), BundleError> {
        if self.covered_bytes() < offset {
            return self.torn(offset, BundleProblem::Unsigned, offset);
        }
        self.tail = Some(Tail { torn_bytes: 0, covered_bytes: offset, torn_at: None });
        Ok(())
    }

    pub(super) fn torn(
        &mut self,
        offset: u64,
        problem: BundleProblem,
        file_bytes: u64,
    ) -> Result<(), BundleError> {
        let covered_bytes = self.covered_bytes();
        let torn_bytes = file_bytes.saturating_sub(covered_bytes);
        self.tail = Some(Tail { torn_bytes, covered_bytes, torn_at: Some((offset, problem)) });
        if self.covered.is_some() { Ok(()) } else { Err(BundleError::NoHead { offset, problem }) }
    }

    /// Lets an error end the bundle: what follows it cannot be told into entries.
    pub(super) fn ended_by<T>(&mut self, result: Result<T, BundleError>) -> Result<T, BundleError> {
        if result.is_err() && self.tail.is_none() {
            self.tail = Some(Tail { torn_bytes: 0, covered_bytes: self.covered_bytes(), torn_at: None });
        }
        result
    }

    fn covered_bytes(&self) -> u64 {
        self.covered.as_ref().map_or(0, |covered| covered.end)
    }
}
