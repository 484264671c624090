//! Why JSON was refused.

use crate::{ErrorCode, limits};

/// Longest piece of the input that an error shows.
const SHOWN_CHARS_MAX: usize = 64;

/// The bytes are not JSON, or not JSON we read. Lines and columns count from 1, columns in characters.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ValueError {
    /// Something else should stand there.
    #[error("line {line}, column {column}: expected {expected}")]
    Syntax {
        /// What should.
        expected: &'static str,
        /// Line.
        line: usize,
        /// Column.
        column: usize,
    },
    /// Bytes that are not UTF-8.
    #[error("line {line}, column {column}: not UTF-8; send JSON in UTF-8")]
    NotUtf8 {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
    },
    /// Arrays and objects inside each other beyond the limit.
    #[error(
        "line {line}, column {column}: nested more than {} deep; send it flatter",
        limits::JSON_DEPTH_MAX
    )]
    TooDeep {
        /// Line.
        line: usize,
        /// Column.
        column: usize,
    },
    /// An object has the same key twice, so what it means depends on who reads it.
    #[error("line {line}, column {column}: the key {key:?} stands twice in one object; send it once")]
    DuplicateKey {
        /// The key, its beginning if it is long.
        key: String,
        /// Line.
        line: usize,
        /// Column.
        column: usize,
    },
    /// A number that cannot be kept: an integer that would be rounded, or one beyond all floats.
    #[error("line {line}, column {column}: the number {text} cannot be kept exactly; send it as a string")]
    NumberOutOfRange {
        /// The number as it was written, its beginning if it is long.
        text: String,
        /// Line.
        line: usize,
        /// Column.
        column: usize,
    },
}

impl ValueError {
    /// The row of the error-code table.
    pub fn code(&self) -> ErrorCode {
        ErrorCode::MalformedJson
    }

    /// Line and column, both from 1.
    pub fn line_column(&self) -> (usize, usize) {
        match self {
            ValueError::Syntax { line, column, .. }
            | ValueError::NotUtf8 { line, column }
            | ValueError::TooDeep { line, column }
            | ValueError::DuplicateKey { line, column, .. }
            | ValueError::NumberOutOfRange { line, column, .. } => (*line, *column),
        }
    }
}

/// Enough of a piece of input to recognise it: it may be megabytes.
pub(super) fn shown(text: &str) -> String {
    text.chars().take(SHOWN_CHARS_MAX).collect()
}

/// Line and column of a byte of `json`; everything before it is UTF-8.
pub(super) fn line_column(json: &[u8], at: usize) -> (usize, usize) {
    let before = &json[..at];
    let line = 1 + before.iter().filter(|byte| **byte == b'\n').count();
    let line_start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
    // A character has one byte that does not continue another.
    let column = 1 + before[line_start..].iter().filter(|byte| **byte & 0xc0 != 0x80).count();
    (line, column)
}
