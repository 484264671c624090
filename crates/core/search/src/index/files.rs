//! Files of the index, and whether they are what was written.

use std::path::Path;

use tantivy::directory::error::OpenReadError;
use tantivy::{Directory, HasLen};

use super::SearchIndex;
use crate::SearchError;

/// What came of reading one file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct FileCheck {
    /// Its bytes.
    pub bytes: u64,
    /// Whether they match their checksum.
    pub is_whole: bool,
}

impl SearchIndex {
    /// Names of the files of all segments on disk, in order.
    pub fn segment_files(&self) -> Result<Vec<String>, SearchError> {
        let searcher = self.reader.searcher();
        let index = searcher.index();
        let listed = index.load_metas()?.list_segment_files();
        let managed = index.directory().list_managed_files();
        let mut names: Vec<String> =
            listed.intersection(&managed).map(|path| path.display().to_string()).collect();
        names.sort();
        Ok(names)
    }

    /// Compares one file with its checksum; `None` when a merge has removed it.
    pub fn check_file(&self, name: &str) -> Result<Option<FileCheck>, SearchError> {
        let path = Path::new(name);
        let searcher = self.reader.searcher();
        let directory = searcher.index().directory();
        let is_gone = |error: &OpenReadError| matches!(error, OpenReadError::FileDoesNotExist(_));
        let failed = |error: OpenReadError| SearchError::from(tantivy::TantivyError::from(error));
        let bytes = match directory.open_read(path) {
            Err(error) if is_gone(&error) => return Ok(None),
            opened => opened.map_err(failed)?.len() as u64,
        };
        match directory.validate_checksum(path) {
            Err(error) if is_gone(&error) => Ok(None),
            checked => checked.map(|is_whole| Some(FileCheck { bytes, is_whole })).map_err(failed),
        }
    }
}
