//! Where the full text index keeps its files.
//!
//! Every file is cut into blocks of 16 KiB, and no block is believed unseen. In a store without a key
//! blocks have checksums and are mapped into memory: [`checked`]. In a store with one they are sealed, and
//! nothing in the folder can be read without the key: [`sealed`]. Either way a block belongs to its place
//! in its file, so what was changed, moved, lost or put together from other files is an
//! [`IndexFileError`] when it is read, and never content.
//!
//! Everything here can be rebuilt from the store: a caller that gets an error discards the folder. The
//! first damage is remembered, also when the engine of the index dropped the error:
//! [`IndexFolder::damage`].

mod checked;
mod damage;
mod error;
mod folder;
mod sealed;
#[cfg(test)]
mod tests;

use std::fmt;
use std::fs::{DirBuilder, File};
use std::io::{self, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::Arc;

use cairn_base::Entropy;
use cairn_seam::DerivedSeal;
pub use tantivy::Directory;
use tantivy::directory::RamDirectory;

pub use self::error::{DirectoryError, IndexFileError, index_file_error};
use self::folder::Folder;

/// The files that an index cannot do without, and that say what the others are.
pub(crate) const ROOTS: [&str; 2] = ["meta.json", ".managed.json"];

/// How the files of an index are protected.
#[derive(Clone)]
pub enum Protection {
    /// With checksums; the source gives each file a salt.
    Checked(Arc<dyn Entropy>),
    /// With seals of the store.
    Sealed(Arc<dyn DerivedSeal>),
}

/// The folder of an index, open.
#[derive(Clone)]
pub struct IndexFolder(Place);

#[derive(Clone)]
enum Place {
    Disk(Folder),
    Memory(RamDirectory),
}

impl IndexFolder {
    /// The folder as the engine of the index sees it.
    pub fn directory(&self) -> Box<dyn Directory> {
        match &self.0 {
            Place::Disk(folder) => Box::new(folder.clone()),
            Place::Memory(directory) => Box::new(directory.clone()),
        }
    }

    /// The first damage that any reader of the folder met since it was opened.
    pub fn damage(&self) -> Option<&IndexFileError> {
        match &self.0 {
            Place::Disk(folder) => folder.damage(),
            Place::Memory(_) => None,
        }
    }

    /// Verifies every block of a file as it is on disk now. Returns the damage it finds.
    pub(crate) fn verify(&self, name: &Path) -> io::Result<Option<IndexFileError>> {
        let Place::Disk(folder) = &self.0 else { return Ok(None) };
        match folder.verify(name) {
            Ok(()) => Ok(None),
            Err(error) => error.downcast().map(Some),
        }
    }
}

/// Opens the folder of an index, or creates it, private to its owner.
///
/// The caller owns the data directory: nobody else has the folder open. Fails with
/// [`DirectoryError::File`] when what is there cannot be read with this protection, and with
/// [`DirectoryError::Sealed`] when it is sealed and the store is not: then the index has to be rebuilt in
/// an empty folder.
pub fn open_directory(path: &Path, protection: Protection) -> Result<IndexFolder, DirectoryError> {
    let failed = |error| DirectoryError::of(path, error);
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(failed)?;
    let is_plain = matches!(protection, Protection::Checked(_));
    let folder = Folder::new(path, protection);
    for name in ROOTS {
        if is_plain && is_sealed(&path.join(name)).map_err(failed)? {
            return Err(DirectoryError::Sealed { dir: path.to_owned() });
        }
        match folder.read_whole(Path::new(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            Ok(_) | Err(_) => (),
        }
    }
    Ok(IndexFolder(Place::Disk(folder)))
}

/// Keeps the files of an index in memory, for as long as somebody has it open.
pub fn memory_directory() -> IndexFolder {
    IndexFolder(Place::Memory(RamDirectory::create()))
}

/// Whether a file is there and begins as sealed ones do.
fn is_sealed(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    match File::open(path) {
        Ok(file) => file.take(sealed::layout::MAGIC.len() as u64).read_to_end(&mut start)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    Ok(start == sealed::layout::MAGIC)
}

impl fmt::Debug for IndexFolder {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Place::Disk(folder) => folder.fmt(f),
            Place::Memory(directory) => directory.fmt(f),
        }
    }
}
