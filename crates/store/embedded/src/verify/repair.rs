//! Making derived data again where it is wrong. Segments and blobs are never touched.

use cairn_log::{BlobFilesCheck, Findings};
use cairn_seam::StoreError;

use super::Subject;
use crate::index;

impl Subject<'_> {
    /// Puts right what can be put right, and says so in the findings.
    pub(super) fn repair(&self, findings: &mut Findings) {
        let log = &self.shared.log;
        if self.directory.is_manifest_bad {
            findings.settle("MANIFEST", &log.rewrite_manifest(), "written again");
        }
        for number in &self.sides.to_repair {
            let (name, outcome) = log.repair_side(*number);
            findings.settle(&name, &outcome, "made again from its segments");
        }
        for name in &self.directory.strays {
            findings.settle(name, &log.remove_stray(name), "removed");
        }
        for name in &self.blob_files.strays {
            findings.settle(&BlobFilesCheck::path_of(name), &log.remove_blob_file(name).map(drop), "removed");
        }
        // A mark makes the next opening depend on image and log alone: not if those have damage.
        if self.is_index_bad && self.is_truth_whole() {
            findings.settle(index::FILE, &self.mark_index(), "the next opening rebuilds the index");
        }
        if let Some(name) = self.image.name().filter(|_| self.image.is_bad && self.is_truth_whole()) {
            findings.settle(&name, &self.replace_image(), "the log has everything that was in it");
        }
        // Not dropped before there is another: the log lacks what is in it. The index has it.
        let is_only_copy = self.image.is_bad && !self.shared.log.has_all_history();
        if let Some(name) = self.image.name().filter(|_| is_only_copy && !self.is_index_bad) {
            let written = self.shared.write_image().map(drop);
            findings.settle(&name, &written, "written again from the index");
        }
    }

    fn mark_index(&self) -> Result<(), StoreError> {
        let place = &self.shared.index.place;
        place.mark_damaged().map_err(|error| StoreError::io(format!("creating {}", index::DAMAGED), error))
    }

    /// Drops the image and writes a new one, unless the index is wrong as well.
    fn replace_image(&self) -> Result<(), StoreError> {
        self.shared.log.drop_image()?;
        if self.is_index_bad { Ok(()) } else { self.shared.write_image().map(drop) }
    }
}
