//! Names as parts of keys, and how long names and keys may be.

use crate::{GraphError, Result, limits};

/// What stands for a name in keys. Whoever finds something under it looks whether it has that name.
pub(crate) fn hash(name: &str) -> [u8; 16] {
    let hash = blake3::hash(name.as_bytes());
    *hash.as_bytes().first_chunk().expect("32 bytes have 16")
}

/// Whether a concept may have this name at all.
pub(crate) fn check(name: &str) -> Result<()> {
    check_length("name of a concept", name, limits::CONCEPT_NAME_BYTES_MAX)
}

/// Whether a text has 1 to so many bytes.
pub(crate) fn check_length(what: &'static str, text: &str, max: usize) -> Result<()> {
    match text.len() {
        0 => Err(GraphError::Empty { what }),
        bytes if bytes > max => Err(GraphError::TooLarge { what, bytes, max }),
        _ => Ok(()),
    }
}
