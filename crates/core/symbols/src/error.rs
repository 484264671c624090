//! Why a source file has no symbols.

use crate::limits::SOURCE_BYTES_MAX;

/// Situations a caller can act on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum SymbolError {
    /// The file is too long.
    #[error("the file has {bytes} bytes, more than the {SOURCE_BYTES_MAX} that are parsed; split it")]
    TooLong {
        /// Its length.
        bytes: usize,
    },
    /// The parser needs more work than the length of the file justifies.
    #[error("the file takes too long to parse; correct its syntax errors, or exclude it if it is generated")]
    TooComplex,
    /// The system gives no thread to parse it on.
    #[error(
        "the system gives no thread to parse the file on; stop other programs, or raise the limits of this one"
    )]
    NoThread,
    /// The grammar was built for another version of the parser.
    #[error("the grammar of {language} cannot be loaded; this build of cairn is broken")]
    Grammar {
        /// The name of the language.
        language: &'static str,
    },
}
