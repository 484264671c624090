//! Verifying one file at a time, for whoever has all the time in the world.
//!
//! The checks are those of a full verification; what needs several files at once (that side files say what
//! their segments say) is left to that.

use cairn_seam::StoreError;

use super::{BlobFilesCheck, Findings, Watch};
use crate::blob_file;
use crate::hashed::HashedName;
use crate::log::Log;
use crate::side;

/// About how many entries a page of a side file holds.
const PAGE_ENTRIES: usize = 100;

impl Log {
    /// Numbers of all side files, in the order of numbers.
    pub fn side_numbers(&self) -> Vec<u64> {
        let mut numbers: Vec<u64> = self.manifest.lock().sides.iter().map(|row| row.number).collect();
        numbers.sort_unstable();
        numbers
    }

    /// The file name of a side file.
    pub fn side_name(number: u64) -> String {
        side::file_name(number)
    }

    /// The file name of a segment.
    pub fn segment_name(number: u64) -> String {
        crate::segment::file_name(number)
    }

    /// Verifies one segment, if the log still has it, and that the blob files it names are there as long as
    /// it has no side file.
    pub fn scrub_segment(
        &self,
        number: u64,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
    ) -> Result<(), StoreError> {
        let segments = self.segments();
        let Some(at) = segments.iter().position(|segment| segment.number == number) else { return Ok(()) };
        // With its neighbour's end: a gap between them is found, and the neighbour is not read again.
        if let Some(before) = at.checked_sub(1).map(|before| &segments[before])
            && before.end() != segments[at].base
        {
            let detail = format!("the log ends at position {} before this segment", before.end());
            findings.add(Log::segment_name(number), 0, detail);
        }
        self.verify_segments(&segments[at..=at], findings, watch, &mut |_| ())?;
        let recent = self.hashed.read().recent.get(&number).cloned();
        recent.map_or(Ok(()), |recent| self.look_for_missing_of(&recent, findings))
    }

    /// Verifies the bytes of one side file, if it is still listed, and that the blob files it names are
    /// there.
    pub fn scrub_side(
        &self,
        number: u64,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
    ) -> Result<(), StoreError> {
        let row = self.manifest.lock().sides.iter().find(|row| row.number == number).copied();
        let Some(row) = row else { return Ok(()) };
        let Some(Some(side)) = self.check_side(&row, findings, watch)? else { return Ok(()) };
        for (at, (name, entry)) in side.scan().map_while(Result::ok).enumerate() {
            if at % PAGE_ENTRIES == 0 {
                watch.advance(side::PAGE_BYTES as u64)?;
            }
            self.check_file_is_there(&name, &entry, findings)?;
        }
        Ok(())
    }

    /// Names of blobs with files of their own behind `after`, in order, at most `count` of them.
    pub fn blob_files_after(
        &self,
        after: Option<&HashedName>,
        count: usize,
    ) -> Result<Vec<HashedName>, StoreError> {
        let mut names = self.blob_files()?;
        names.retain(|name| after.is_none_or(|after| name > after));
        names.sort_unstable();
        names.truncate(count);
        Ok(names)
    }

    /// Verifies one blob file, if a commit still names it.
    pub fn scrub_blob_file(
        &self,
        name: &HashedName,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
    ) -> Result<(), StoreError> {
        if self.is_blob_stray(name)? {
            return Ok(());
        }
        let path = blob_file::path_of(name);
        self.verify_blob_file(name, &path, &mut BlobFilesCheck::default(), findings, watch)
    }
}
