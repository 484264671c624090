//! Key files: the secret that seals a store, in a file of its own.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use cairn_base::fs::exposed_mode;
use cairn_embedded::EncryptionKey;
use zeroize::Zeroizing;

use crate::config::Config;
use crate::failure::Failure;
use crate::private_file;

/// Longer files are no key files; nothing more of them is read.
const BYTES_MAX: u64 = 128;

/// The key that the configuration names, if it names one.
pub(crate) fn configured(config: &Config) -> Result<Option<EncryptionKey>, Failure> {
    config.store_encryption_key_file.as_deref().map(read).transpose()
}

/// Reads a key file. One that others may read is refused.
pub(crate) fn read(path: &Path) -> Result<EncryptionKey, Failure> {
    let unreadable = |error: &std::io::Error| {
        Failure::usage(format!("could not read the key file {}: {error}", path.display()))
            .hint("name the key file of this data directory; `cairn key generate FILE` makes a new key")
    };
    let file = File::open(path).map_err(|error| unreadable(&error))?;
    let found = file.metadata().map_err(|error| unreadable(&error))?;
    if let Some(mode) = exposed_mode(&found) {
        return Err(private_file::exposed("key file", path, mode));
    }
    // Sized at once: growing would leave copies of the key behind.
    let mut content = Zeroizing::new(Vec::with_capacity(256));
    file.take(BYTES_MAX).read_to_end(&mut content).map_err(|error| unreadable(&error))?;
    EncryptionKey::parse(&content).ok_or_else(|| {
        Failure::usage(format!("{} holds no key", path.display()))
            .hint("a key file has 32 bytes, or 64 hex digits; `cairn key generate FILE` makes one")
    })
}

/// Writes a key to a file that was not there, readable by its owner alone, and makes it durable.
pub(crate) fn write_new(path: &Path, key: &EncryptionKey) -> Result<(), Failure> {
    let hint = "name another file: whoever overwrites a key loses what was sealed with it";
    private_file::write_new(path, key.to_file().as_bytes(), hint)
}
