//! Files of a store without a key: readable by anyone who may, and nothing in them is believed unseen.
//!
//! The content comes first and as it was written, so that it can be mapped into memory. Behind it there is
//! a checksum of each of its blocks. A file looks like this, numbers little endian:
//!
//! ```text
//! | content | checksum u32 of each block | CAIRNCHK | format u32 (1) | content bytes u64 | salt 16 | checksum u32 |
//! block: 16,384 bytes of the content, the last one of a file fewer
//! ```
//!
//! Checksums are CRC-32C. That of a block covers the name of the file, its salt, the block, the block's
//! number and whether it is the last one. The last checksum covers the name, the table and what is between.
//! Every file has at least one block, and only that of an empty file is empty. So a block that was moved,
//! lost or taken from another file, or from an older one of the same name, is noticed.
//!
//! Opening reads the table and no block. A block is verified when it is read first, and only then.

pub(super) mod layout;
mod read;
mod table;
mod write;

use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Weak};

use cairn_base::Entropy;
use parking_lot::Mutex;

pub(super) use self::read::CheckedFile;
use self::table::Table;
pub(super) use self::write::CheckedWriter;
use super::damage::DamageNote;

/// Checks the files of a folder.
pub(super) struct Checking {
    entropy: Arc<dyn Entropy>,
    /// Files that somebody has open: those who open them next verify nothing twice.
    open: Mutex<HashMap<PathBuf, Weak<CheckedFile>>>,
}

impl Checking {
    pub(super) fn new(entropy: Arc<dyn Entropy>) -> Self {
        Checking { entropy, open: Mutex::default() }
    }

    /// Opens the file of this name in a folder.
    pub(super) fn open(&self, dir: &Path, name: &Path, damage: &DamageNote) -> io::Result<Arc<CheckedFile>> {
        if let Some(file) = self.open.lock().get(name).and_then(Weak::upgrade) {
            return Ok(file);
        }
        let file = Arc::new(CheckedFile::open(dir, name, damage)?);
        let mut open = self.open.lock();
        open.retain(|_, file| file.strong_count() > 0);
        open.insert(name.to_owned(), Arc::downgrade(&file));
        Ok(file)
    }

    /// The content of the file at a path, verified.
    pub(super) fn read_whole(path: &Path, name: &Path) -> io::Result<Vec<u8>> {
        Table::open(path, name)?.read_whole()
    }

    /// Verifies every block of the file at a path, also those that were verified before.
    pub(super) fn verify(path: &Path, name: &Path) -> io::Result<()> {
        Table::open(path, name)?.verify_all()
    }

    /// A writer for a file that is going to have this name.
    pub(super) fn writer(&self, file: File, name: &Path) -> CheckedWriter {
        self.forget(name);
        let mut salt = [0; 16];
        self.entropy.fill(&mut salt);
        CheckedWriter::start(file, name, salt)
    }

    /// The name stands for another file from now on, or for none.
    pub(super) fn forget(&self, name: &Path) {
        self.open.lock().remove(name);
    }
}
