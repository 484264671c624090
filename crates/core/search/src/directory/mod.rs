//! Where the full text index keeps its files.
//!
//! Without a seal they are as the engine of the index writes them, and mapped into memory. With one
//! nothing in the folder can be read without the key of the store: a [`SealedDirectory`] cuts each file
//! into blocks and seals them one by one, so that any part can be read without the rest. A file looks
//! like this, numbers little endian:
//!
//! ```text
//! | CAIRNDER | format u32 (1) | name of the root key 16 | salt 16 | block | block | …
//! block: 16,384 bytes, the last one of a file fewer, sealed | tag 16
//! ```
//!
//! A block opens at its place in its file alone, and the last one only as the last one. Every file has
//! at least one block, and only that of an empty file is empty. So a file that was cut off, moved or put
//! together from others does not open.
//!
//! Everything here can be made again from the store: whoever gets an error throws the folder away.

mod cache;
mod error;
mod layout;
mod read;
mod sealed;
#[cfg(test)]
mod tests;
mod write;

use std::fs::{DirBuilder, File};
use std::io::{self, Read};
use std::os::unix::fs::DirBuilderExt;
use std::path::Path;
use std::sync::Arc;

use cairn_seam::DerivedSeal;
pub use tantivy::Directory;
use tantivy::directory::{MmapDirectory, RamDirectory};

pub use self::error::{DirectoryError, SealedFileError, sealed_file_error};
use self::sealed::SealedDirectory;

/// The files that an index cannot do without, and that say what the others are.
const ROOTS: [&str; 2] = ["meta.json", ".managed.json"];

/// Opens the folder of an index, making it if it is not there, private to its owner.
///
/// Whoever calls owns the data directory: nobody else has the folder open. Fails with
/// [`DirectoryError::File`] when what is there cannot be read with this seal, and with
/// [`DirectoryError::Sealed`] when it is sealed and there is none: then the index has to be made again
/// in an empty folder.
pub fn open_directory(
    path: &Path,
    seal: Option<Arc<dyn DerivedSeal>>,
) -> Result<Box<dyn Directory>, DirectoryError> {
    let failed = |error| DirectoryError::of(path, error);
    DirBuilder::new().recursive(true).mode(0o700).create(path).map_err(failed)?;
    let Some(seal) = seal else {
        for name in ROOTS {
            if is_sealed(&path.join(name)).map_err(failed)? {
                return Err(DirectoryError::Sealed { dir: path.to_owned() });
            }
        }
        return Ok(Box::new(MmapDirectory::open(path)?));
    };
    let sealed = SealedDirectory::new(path, seal);
    for name in ROOTS {
        match sealed.read_whole(Path::new(name)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(failed(error)),
            Ok(_) | Err(_) => (),
        }
    }
    Ok(Box::new(sealed))
}

/// Keeps the files of an index in memory, for as long as somebody has it open.
pub fn memory_directory() -> Box<dyn Directory> {
    Box::new(RamDirectory::create())
}

/// Whether a file is there and begins as sealed ones do.
fn is_sealed(path: &Path) -> io::Result<bool> {
    let mut start = Vec::new();
    match File::open(path) {
        Ok(file) => file.take(layout::MAGIC.len() as u64).read_to_end(&mut start)?,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(false),
        Err(error) => return Err(error),
    };
    Ok(start == layout::MAGIC)
}
