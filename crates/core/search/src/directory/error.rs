//! What can be wrong with the files of an index.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::TantivyError;
use tantivy::directory::error::{OpenDirectoryError, OpenReadError};

/// Why a folder could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum DirectoryError {
    /// A file in it cannot be read with this seal.
    #[error(transparent)]
    File(#[from] SealedFileError),
    /// Its files are sealed, and the store is not.
    #[error("the search index in {} is sealed and the store is not; it has to be made again", dir.display())]
    Sealed {
        /// The folder.
        dir: PathBuf,
    },
    /// The engine of the index refused it.
    #[error(transparent)]
    Engine(#[from] OpenDirectoryError),
    /// The system refused something.
    #[error("opening the search index in {}: {source}", dir.display())]
    Io {
        /// The folder.
        dir: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl DirectoryError {
    pub(super) fn of(dir: &Path, error: io::Error) -> Self {
        match error.downcast::<SealedFileError>() {
            Ok(error) => DirectoryError::File(error),
            Err(source) => DirectoryError::Io { dir: dir.to_owned(), source },
        }
    }
}

/// Why a sealed file of the index cannot be read. The index has to be made again, whichever it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SealedFileError {
    /// It is whole perhaps, and another store's.
    #[error("{} of the search index was sealed with a key that this store never had", file.display())]
    AnotherKey {
        /// Its name.
        file: PathBuf,
    },
    /// The store is sealed, and the file is not; or its first bytes are damaged.
    #[error("{} of the search index is not sealed", file.display())]
    NotSealed {
        /// Its name.
        file: PathBuf,
    },
    /// A later cairn wrote it, or its first bytes are damaged.
    #[error("{} of the search index has format {format}, which this cairn does not know", file.display())]
    Newer {
        /// Its name.
        file: PathBuf,
        /// The format it says it has.
        format: u32,
    },
    /// It ends in the middle of something.
    #[error("{} of the search index is damaged: no whole file is {file_bytes} bytes long", file.display())]
    Length {
        /// Its name.
        file: PathBuf,
        /// How long it is.
        file_bytes: u64,
    },
    /// Something in it was changed or moved, or it was cut off or put into the place of another file.
    #[error("{} of the search index is damaged: block {block} is not what was sealed there", file.display())]
    Damaged {
        /// Its name.
        file: PathBuf,
        /// The block, counted from 0.
        block: u64,
    },
}

impl From<SealedFileError> for io::Error {
    fn from(error: SealedFileError) -> Self {
        io::Error::new(io::ErrorKind::InvalidData, error)
    }
}

/// What is wrong with a sealed file, if that is why the engine of the index failed.
pub fn sealed_file_error(error: &TantivyError) -> Option<&SealedFileError> {
    let io_error: &Arc<io::Error> =
        if let TantivyError::OpenReadError(OpenReadError::IoError { io_error, .. }) = error {
            io_error
        } else if let TantivyError::IoError(io_error) = error {
            io_error
        } else {
            return None;
        };
    io_error.get_ref()?.downcast_ref()
}
