//! Verifying one item, and rebuilding it if it is derived.

use cairn_log::{Findings, Watch};
use cairn_seam::{Finding, ScrubKind, StoreError};

use super::item::{Item, kind_of};
use crate::index;
use crate::mend::{FOUND_BY_VERIFYING, Mended};
use crate::shared::Shared;
use crate::verify::image::ImageCheck;

impl Shared {
    /// Verifies an item. What is wrong is looked at again, and what is still wrong then is repaired if that
    /// is possible.
    pub(super) fn scrub_item(&self, item: Item, watch: &mut Watch<'_>) -> Result<Vec<Finding>, StoreError> {
        let mut findings = Findings::default();
        self.check_item(item, &mut findings, watch)?;
        if findings.count() == 0 {
            return Ok(Vec::new());
        }
        let mut confirmed = Findings::default();
        self.check_item(item, &mut confirmed, watch)?;
        if confirmed.count() > 0 {
            self.repair_item(item, &mut confirmed);
        }
        Ok(confirmed.finish().0)
    }

    fn check_item(
        &self,
        item: Item,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
    ) -> Result<(), StoreError> {
        match item {
            Item::Manifest => {
                self.log.verify_manifest(findings);
                Ok(())
            }
            Item::Image => ImageCheck::open(self, findings).read(self, findings, watch, &mut |_, _, _| ()),
            Item::Segment(number) => self.log.scrub_segment(number, findings, watch),
            Item::Side(number) => self.log.scrub_side(number, findings, watch),
            Item::Index => self.check_index_file(findings, watch),
            Item::Blob(name) => self.log.scrub_blob_file(&name, findings, watch),
        }
    }

    fn check_index_file(&self, findings: &mut Findings, watch: &mut Watch<'_>) -> Result<(), StoreError> {
        let is_there = self.place.is_there();
        if !is_there.map_err(|error| StoreError::io(format!("looking for {}", index::FILE), error))? {
            findings.add(index::FILE, 0, "the file is missing");
            return Ok(());
        }
        self.check_index_pages(findings, watch).map(drop)
    }

    /// Rebuilds what is derived, and says so in the findings. Primary data stays as it is.
    fn repair_item(&self, item: Item, findings: &mut Findings) {
        let file = self.file_of(item);
        match item {
            Item::Manifest => findings.settle(&file, &self.log.rewrite_manifest(), "written again"),
            // Every page that an image is written from is checked, and the old one stays until then.
            Item::Image => {
                findings.settle(&file, &self.write_image().map(drop), "written again from the index");
            }
            Item::Side(number) => {
                // It may also have named a blob whose file is missing.
                let is_bad = findings.files().any(|file| kind_of(file) == ScrubKind::Side);
                if is_bad {
                    let (name, outcome) = self.log.repair_side(number);
                    findings.settle(&name, &outcome, "rebuilt from its segments");
                }
            }
            Item::Index => {
                self.place.alarm.ring(FOUND_BY_VERIFYING);
                let outcome = match self.mend_index() {
                    Mended::NotNeeded | Mended::Done => Ok(()),
                    // Whoever is in the way ends soon, and the index is rebuilt then.
                    Mended::Later => {
                        Err(StoreError::IndexRebuilding { detail: "history is being thinned out".into() })
                    }
                    Mended::Failed(error) => Err(error),
                };
                findings.settle(&file, &outcome, "rebuilt from image and log");
            }
            Item::Segment(_) | Item::Blob(_) => {}
        }
    }
}
