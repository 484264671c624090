//! Another key for a store in use.

use std::io;
use std::path::Path;

use cairn_log::EncryptionKey;
use cairn_seam::{MaintenanceReport, StoreError};
use zeroize::Zeroizing;

use crate::shared::Shared;

/// Longer files are no key files; nothing of them is read.
const KEY_FILE_BYTES_MAX: u64 = 128;

impl Shared {
    /// Gives the store the key in a file. It is one replacement of the manifest: after a crash the store
    /// has the old key or the new one.
    pub(crate) fn change_key(&self, file: &Path) -> Result<MaintenanceReport, StoreError> {
        self.check_poison()?;
        let key = self.read_key(file)?;
        match self.log.change_key(&key) {
            Ok(()) => {
                Ok(MaintenanceReport { figures: vec![("keys_changed", 1)], ..MaintenanceReport::default() })
            }
            Err(error @ StoreError::NotSealed { .. }) => Err(error),
            Err(error) => {
                // The manifest on disk may say that later files have the new root: none may be written.
                self.poison(&error);
                Err(StoreError::OutcomeUnknown { cause: error.to_string() })
            }
        }
    }

    fn read_key(&self, path: &Path) -> Result<EncryptionKey, StoreError> {
        let failed = |error| StoreError::io(format!("reading the key file {}", path.display()), error);
        let no_key = || failed(io::Error::new(io::ErrorKind::InvalidData, "it holds no key"));
        let file = self.options.fs.open_to_read(path).map_err(failed)?;
        let bytes = file.len().map_err(failed)?;
        if bytes > KEY_FILE_BYTES_MAX {
            return Err(no_key());
        }
        let mut content = Zeroizing::new(vec![0; usize::try_from(bytes).unwrap_or(0)]);
        file.read_at(&mut content, 0).map_err(failed)?;
        EncryptionKey::parse(&content).ok_or_else(no_key)
    }
}
