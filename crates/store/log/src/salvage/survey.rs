//! Looking through a log that cannot be opened: what is wrong with it, and how much can be read.

use cairn_seam::{Finding, StoreError};

use super::around::Lost;
use super::source::DamagedLog;
use crate::manifest;
use crate::segment;

/// What was found.
#[derive(Debug, Default)]
pub struct Survey {
    /// What is wrong, in the order of files and offsets.
    pub findings: Vec<Finding>,
    /// Segments that hold data.
    pub segments: u64,
    /// Transactions that can be read.
    pub transactions: u64,
    /// Blobs in segments that can be read.
    pub blobs: u64,
}

impl DamagedLog {
    /// Reads every segment to its end. Nothing is written.
    pub fn survey(&self) -> Result<Survey, StoreError> {
        let mut survey = Survey::default();
        for note in &self.notes {
            survey.add(manifest::NAME, 0, note.clone());
        }
        for lost in &self.lost {
            survey.add(&lost.file, lost.offset, lost.detail.clone());
        }
        for source in &self.segments {
            let name = segment::file_name(source.segment.number);
            let read = self.around::<std::io::Error>(source, &mut |_| Ok(()));
            let around = read.map_err(|error| StoreError::io(format!("reading {name}"), error))?;
            survey.segments += 1;
            survey.transactions += around.transactions;
            survey.blobs += around.blobs;
            for Lost { offset, .. } in &around.lost {
                let detail = format!("no valid frame up to byte {}", offset.end);
                survey.add(&name, offset.start, detail);
            }
        }
        survey.findings.sort_by(|a, b| (&a.file, a.offset).cmp(&(&b.file, b.offset)));
        Ok(survey)
    }
}

impl Survey {
    fn add(&mut self, file: &str, offset: u64, detail: String) {
        self.findings.push(Finding { file: file.to_owned(), offset, detail, repaired: false });
    }
}
