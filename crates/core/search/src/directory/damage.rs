//! The first damage that was met in a folder.

use std::io;
use std::sync::{Arc, OnceLock};

use super::IndexFileError;

/// Remembers the first damage that any reader of a folder met, whatever became of the error.
///
/// The engine of the index reads on threads of its own and may drop an error: merges that fail are tried
/// again later. Whoever keeps the index looks here.
#[derive(Debug, Clone, Default)]
pub(super) struct DamageNote(Arc<OnceLock<IndexFileError>>);

impl DamageNote {
    /// The first damage, if there was any.
    pub(super) fn get(&self) -> Option<&IndexFileError> {
        self.0.get()
    }

    /// Remembers an error that says that a file is damaged, and passes it on.
    pub(super) fn note<T>(&self, result: io::Result<T>) -> io::Result<T> {
        result.inspect_err(|error| {
            if let Some(damage) = IndexFileError::in_io(error) {
                // Only the first one counts.
                let _ = self.0.set(damage.clone());
            }
        })
    }
}
