//! Making derived data again where it is wrong. Segments and blobs are never touched.

use cairn_log::{BlobFilesCheck, Findings};
use cairn_seam::StoreError;
use parking_lot::RwLockReadGuard;

use super::Subject;
use crate::index;
use crate::mend::{FOUND_BY_VERIFYING, Mended};

impl Subject<'_> {
    /// Puts right what can be put right, and says so in the findings.
    pub(super) fn repair(&self, history_stays: &RwLockReadGuard<'_, ()>, findings: &mut Findings) {
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
        // A new index depends on image and log alone: not if those have damage.
        let mut is_index_bad = self.is_index_bad;
        if is_index_bad && self.is_truth_whole() {
            let rebuilt = self.rebuild_index(history_stays);
            is_index_bad = rebuilt.is_err();
            findings.settle(index::FILE, &rebuilt, "rebuilt from image and log");
        }
        if let Some(name) = self.image.name().filter(|_| self.image.is_bad && self.is_truth_whole()) {
            findings.settle(
                &name,
                &self.replace_image(is_index_bad),
                "the log has everything that was in it",
            );
        }
        // Not dropped before there is another: the log lacks what is in it. The index has it.
        let is_only_copy = self.image.is_bad && !self.shared.log.has_all_history();
        if let Some(name) = self.image.name().filter(|_| is_only_copy && !is_index_bad) {
            let written = self.shared.write_image().map(drop);
            findings.settle(&name, &written, "written again from the index");
        }
    }

    fn rebuild_index(&self, history_stays: &RwLockReadGuard<'_, ()>) -> Result<(), StoreError> {
        self.shared.place.alarm.ring(FOUND_BY_VERIFYING);
        match self.shared.mend_index_with(history_stays) {
            Mended::NotNeeded | Mended::Done => Ok(()),
            Mended::Later => Err(StoreError::Stopped),
            Mended::Failed(error) => Err(error),
        }
    }

    /// Drops the image and writes a new one, unless the index is wrong as well.
    fn replace_image(&self, is_index_bad: bool) -> Result<(), StoreError> {
        self.shared.log.drop_image()?;
        if is_index_bad { Ok(()) } else { self.shared.write_image().map(drop) }
    }
}
