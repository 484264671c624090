//! Files of a sealed store: nothing in them can be read without its key.
//!
//! A file is cut into blocks that are sealed one by one, so that any part can be read without the rest.
//! It looks like this, numbers little endian:
//!
//! ```text
//! | CAIRNDER | format u32 (1) | name of the root key 16 | salt 16 | block | block | …
//! block: 16,384 bytes, the last one of a file fewer, sealed | tag 16
//! ```
//!
//! A block opens at its place in its file alone, and the last one only as the last one. Every file has
//! at least one block, and only that of an empty file is empty. So a file that was cut off, moved or put
//! together from others does not open.

mod cache;
pub(super) mod layout;
mod read;
mod write;

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::Arc;

use cairn_seam::DerivedSeal;

use self::cache::Blocks;
pub(super) use self::read::SealedFile;
pub(super) use self::write::SealedWriter;
use super::damage::DamageNote;

/// Seals the files of a folder.
pub(super) struct Sealing {
    seal: Arc<dyn DerivedSeal>,
    blocks: Arc<Blocks>,
}

impl Sealing {
    pub(super) fn new(seal: Arc<dyn DerivedSeal>) -> Self {
        Sealing { seal, blocks: Arc::new(Blocks::new()) }
    }

    /// Opens the file at a path, which was sealed under this name.
    pub(super) fn open(&self, path: &Path, name: &Path, damage: &DamageNote) -> io::Result<SealedFile> {
        SealedFile::open(path, name, &*self.seal, &self.blocks, damage)
    }

    /// Opens every block of the file at a path, none of them from the cache.
    pub(super) fn verify(&self, path: &Path, name: &Path) -> io::Result<()> {
        self.open(path, name, &DamageNote::default())?.verify()
    }

    /// A writer for a file that is going to have this name.
    pub(super) fn writer(&self, file: File, name: &Path) -> io::Result<SealedWriter> {
        let (stamp, seal) = self.seal.new_file(name.as_os_str().as_encoded_bytes());
        SealedWriter::start(file, &stamp, seal)
    }
}
