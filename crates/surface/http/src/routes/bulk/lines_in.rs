//! A body as batches of whole lines.

use axum::body::Body;
use cairn_base::ErrorCode;

use super::data_in::{DataIn, Gathered};
use crate::app::AppState;
use crate::{ApiError, limits};

/// Cuts a body into lines as it comes. Memory is taken for what waits for the end of its line.
pub(in crate::routes) struct LinesIn {
    data: Gathered,
    waiting: Vec<u8>,
    /// Ends of lines in what waits.
    ends: usize,
    /// How many lines were given out.
    lines: u64,
    line_bytes_max: usize,
}

/// Whole lines, the last one perhaps without its end.
pub(in crate::routes) struct Batch {
    pub(in crate::routes) text: Vec<u8>,
    /// The number of the first one.
    pub(in crate::routes) first_line: u64,
}

impl LinesIn {
    pub(super) fn new(data: DataIn) -> Self {
        LinesIn::bounded(data, limits::IMPORT_LINE_BYTES_MAX)
    }

    /// Lines of at most so many bytes.
    pub(in crate::routes) fn bounded(data: DataIn, line_bytes_max: usize) -> Self {
        LinesIn { data: Gathered::new(data), waiting: Vec::new(), ends: 0, lines: 0, line_bytes_max }
    }

    /// The next lines: a few hundred, or a few megabytes, or what came in a while, or what is left; `None` at
    /// the end.
    pub(in crate::routes) async fn next(&mut self, app: &AppState) -> Result<Option<Batch>, ApiError> {
        self.data.begin();
        while self.ends == 0 || !(self.is_enough() || self.data.is_late(app)) {
            let Some(data) = self.data.add_to(&mut self.waiting, app).await? else {
                let text = std::mem::take(&mut self.waiting);
                return Ok((!text.is_empty()).then(|| self.give(text)));
            };
            self.ends += data.iter().filter(|byte| **byte == b'\n').count();
            if self.ends == 0 && self.waiting.len() > self.line_bytes_max {
                let max = self.line_bytes_max;
                let message = format!("line {} has more than {max} bytes", self.lines + 1);
                return Err(ApiError::new(ErrorCode::TooLarge, message).detail("line_bytes_max", max));
            }
        }
        let end = self.waiting.iter().rposition(|byte| *byte == b'\n').map_or(0, |at| at + 1);
        let rest = self.waiting.split_off(end);
        let text = std::mem::replace(&mut self.waiting, rest);
        self.ends = 0;
        Ok(Some(self.give(text)))
    }

    fn is_enough(&self) -> bool {
        self.ends >= cairn_engine::limits::BULK_TURNS
            || self.waiting.len() >= cairn_engine::limits::BULK_BYTES
    }

    /// What was not read yet.
    pub(in crate::routes) fn into_body(self) -> Body {
        self.data.into_body()
    }

    fn give(&mut self, text: Vec<u8>) -> Batch {
        let first_line = self.lines + 1;
        self.lines += text.iter().filter(|byte| **byte == b'\n').count() as u64;
        Batch { text, first_line }
    }
}
