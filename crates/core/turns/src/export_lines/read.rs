//! Reading the lines of an export in their order.

use cairn_base::ContentHash;

use super::line::LineIn;
use super::{ExportCounts, Line, LineError};
use crate::import::ImportId;

/// How far an import is, as far as its lines say.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LinesRead {
    /// What it is called; known from the first line on.
    import: Option<ImportId>,
    /// What came since the last header; `None` outside of a header and its end.
    came: Option<Came>,
}

/// Lines of an export so far.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
struct Came {
    counts: ExportCounts,
    /// Turns without their payloads.
    unreadable: u64,
}

impl LinesRead {
    /// Before the first line, with a name if one was given.
    pub fn of(import: Option<ImportId>) -> Self {
        LinesRead { import, came: None }
    }

    /// What the import is called; without a name of its own, the header of the export is one.
    pub fn import(&self) -> Option<ImportId> {
        self.import
    }

    /// Ends reading.
    ///
    /// # Errors
    ///
    /// Fails if the last line was not the end of an export.
    pub fn finish(&self) -> Result<(), LineError> {
        if self.import.is_some() && self.came.is_none() {
            return Ok(());
        }
        let message = "the last line is not the end of an export: it was cut; \
                       import the whole one to go on, under the same id";
        Err(LineError::invalid(message))
    }

    /// Reads the next line, whose payload or blob has at most `content_bytes_max` bytes. A header has to come
    /// first, and an end has to say what came.
    pub fn next(&mut self, text: &[u8], content_bytes_max: usize) -> Result<Line, LineError> {
        let read = LineIn::parse(text)?;
        if read.is_header()? {
            if self.import.is_none() {
                let name = ContentHash::of(text.trim_ascii()).to_string();
                let import = ImportId::parse(&name);
                self.import = Some(import.map_err(|error| LineError::invalid(error.to_string()))?);
            }
            self.came = Some(Came::default());
            return Ok(Line::Header);
        }
        let came = self.came.as_mut();
        let came =
            came.ok_or_else(|| LineError::invalid("a header must come first: {\"cairn\":\"turns\",…}"))?;
        let line = read.into_line(content_bytes_max)?;
        match &line {
            Line::Bundle(_) => came.counts.bundles += 1,
            Line::Context(_) => came.counts.contexts += 1,
            Line::Blob(..) => came.counts.blobs += 1,
            Line::Turn(_) => came.counts.turns += 1,
            Line::Unreadable(_) => came.unreadable += 1,
            Line::End(counts, unreadable) => {
                let end = Came { counts: *counts, unreadable: *unreadable };
                if *came != end {
                    let message = format!("it announces {end:?}, and {came:?} came: something is missing");
                    return Err(LineError::invalid(message));
                }
                self.came = None;
            }
            Line::Header | Line::Head(..) => {}
        }
        Ok(line)
    }
}
