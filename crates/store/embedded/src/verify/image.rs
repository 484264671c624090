//! Verifying the image: checksums, the order of keys, their count.

use std::io;
use std::sync::Arc;

use cairn_base::fs::File;
use cairn_log::{Findings, Fold, ImageRow, Sealer, Watch, image_name};
use cairn_seam::StoreError;

use super::Subject;
use crate::image_reader::{ImageReader, OnKey};
use crate::shared::Shared;

/// The newest image.
pub(crate) struct ImageCheck {
    row: Option<ImageRow>,
    /// Held open: a newer image may replace it meanwhile.
    file: Option<Arc<dyn File>>,
    /// Whether it is listed and cannot be used.
    pub(super) is_bad: bool,
}

impl ImageCheck {
    pub(crate) fn open(shared: &Shared, findings: &mut Findings) -> Self {
        loop {
            let Some(row) = shared.log.image() else {
                return ImageCheck { row: None, file: None, is_bad: false };
            };
            let name = image_name(row.number);
            match shared.options.fs.open_to_scan(&shared.dir.join(&name)) {
                Ok(file) => return ImageCheck { row: Some(row), file: Some(file), is_bad: false },
                // A newer one has taken its place.
                Err(error) if error.kind() == io::ErrorKind::NotFound && shared.log.image() != Some(row) => {}
                Err(error) => {
                    findings.add(name, 0, format!("the file cannot be opened: {error}"));
                    return ImageCheck { row: Some(row), file: None, is_bad: true };
                }
            }
        }
    }

    /// Everything up to here is in the image; 0 when there is none that can be used.
    pub(super) fn position(&self) -> u64 {
        self.row.filter(|_| !self.is_bad).map_or(0, |row| row.position)
    }

    /// Its name, if there is one.
    pub(crate) fn name(&self) -> Option<String> {
        self.row.map(|row| image_name(row.number))
    }
}

impl Subject<'_> {
    /// Reads the image and adds its keys to `fold`.
    pub(super) fn check_image(
        &mut self,
        fold: &mut Fold,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
    ) -> Result<(), StoreError> {
        let before = findings.count();
        self.read_image(findings, watch, &mut |keyspace, key, value| fold.put(keyspace, key, value))?;
        if findings.count() > before {
            self.image.is_bad = true;
            // Half of an image is no ground to build on.
            *fold = self.first_fold();
        }
        Ok(())
    }

    /// Calls `visit` with every key of the image, if there is one, and writes down what is wrong with it.
    pub(super) fn read_image(
        &self,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
        visit: OnKey<'_>,
    ) -> Result<(), StoreError> {
        self.image.read(self.shared, findings, watch, visit)
    }
}

impl ImageCheck {
    /// Reads the image to its end, calls `visit` with every key, and writes down what is wrong with it.
    pub(crate) fn read(
        &self,
        shared: &Shared,
        findings: &mut Findings,
        watch: &mut Watch<'_>,
        visit: OnKey<'_>,
    ) -> Result<(), StoreError> {
        let (Some(row), Some(file)) = (self.row, &self.file) else { return Ok(()) };
        watch.begin("reading the image", file.len().unwrap_or(0))?;
        let sealer = shared.log.sealer().map(|sealer| &**sealer);
        read_file(row, &**file, sealer, findings, watch, visit).map(drop)
    }
}

/// Reads the file of an image to its end; returns the offset and the words for what is wrong with it.
pub(crate) fn check_image_file(
    row: ImageRow,
    file: &dyn File,
    sealer: Option<&Sealer>,
    findings: &mut Findings,
    watch: &mut Watch<'_>,
) -> Result<Option<(u64, String)>, StoreError> {
    read_file(row, file, sealer, findings, watch, &mut |_, _, _| {})
}

fn read_file(
    row: ImageRow,
    file: &dyn File,
    sealer: Option<&Sealer>,
    findings: &mut Findings,
    watch: &mut Watch<'_>,
    visit: OnKey<'_>,
) -> Result<Option<(u64, String)>, StoreError> {
    let mut reader = ImageReader::new(file);
    let mut outcome = reader.header(row, sealer).map(|()| true);
    while let Ok(true) = outcome {
        let start = reader.offset();
        outcome = reader.block(visit);
        watch.advance(reader.offset() - start)?;
    }
    let Err(detail) = outcome else { return Ok(None) };
    findings.add(image_name(row.number), reader.offset(), &*detail);
    Ok(Some((reader.offset(), detail)))
}
