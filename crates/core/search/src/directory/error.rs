//! What can be wrong with the files of an index.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use tantivy::TantivyError;
use tantivy::directory::error::{OpenDirectoryError, OpenReadError};

/// Why a folder could not be opened.
#[derive(Debug, thiserror::Error)]
pub enum DirectoryError {
    /// A file in it cannot be used.
    #[error(transparent)]
    File(#[from] IndexFileError),
    /// Its files are sealed, and the store is not.
    #[error("the search index in {} is sealed and the store is not; it has to be rebuilt", dir.display())]
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
        match error.downcast::<IndexFileError>() {
            Ok(error) => DirectoryError::File(error),
            Err(source) => DirectoryError::Io { dir: dir.to_owned(), source },
        }
    }
}

/// Why a file of the index cannot be used. The index has to be rebuilt, whichever it is.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum IndexFileError {
    /// The file is intact perhaps, and belongs to another store.
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
    /// A cairn before checksums wrote the file, or its end is damaged or missing.
    #[error(
        "{} of the search index has no checksums: an earlier version wrote it, or its end is damaged",
        file.display()
    )]
    NoChecksums {
        /// Its name.
        file: PathBuf,
    },
    /// A later cairn wrote the file, or its format number is damaged.
    #[error("{} of the search index has format {format}, which this cairn does not know", file.display())]
    Newer {
        /// Its name.
        file: PathBuf,
        /// The format it says it has.
        format: u32,
    },
    /// The file ends in the middle of something.
    #[error("{} of the search index is damaged: no intact file is {file_bytes} bytes long", file.display())]
    Length {
        /// Its name.
        file: PathBuf,
        /// How long it is.
        file_bytes: u64,
    },
    /// The table of checksums is not that of this file.
    #[error("{} of the search index is damaged: its checksums are not those that were written", file.display())]
    Checksums {
        /// Its name.
        file: PathBuf,
        /// Where the table begins.
        offset: u64,
    },
    /// Something in the file was changed or moved, or it was cut off or replaced by another file.
    #[error("{} of the search index is damaged: block {block} is not what was written there", file.display())]
    Damaged {
        /// Its name.
        file: PathBuf,
        /// The block, counted from 0.
        block: u64,
        /// Where the block begins.
        offset: u64,
    },
    /// The system cannot read a block.
    #[error("{} of the search index cannot be read at block {block}: {reason}", file.display())]
    Unreadable {
        /// Its name.
        file: PathBuf,
        /// The block, counted from 0.
        block: u64,
        /// Where the block begins.
        offset: u64,
        /// What the system said.
        reason: String,
    },
}

impl IndexFileError {
    /// The name of the file.
    pub fn file(&self) -> &Path {
        match self {
            IndexFileError::AnotherKey { file }
            | IndexFileError::NotSealed { file }
            | IndexFileError::NoChecksums { file }
            | IndexFileError::Newer { file, .. }
            | IndexFileError::Length { file, .. }
            | IndexFileError::Checksums { file, .. }
            | IndexFileError::Damaged { file, .. }
            | IndexFileError::Unreadable { file, .. } => file,
        }
    }

    /// Where in the file the damage begins, as far as that is known.
    pub fn offset(&self) -> u64 {
        match self {
            IndexFileError::AnotherKey { .. }
            | IndexFileError::NotSealed { .. }
            | IndexFileError::NoChecksums { .. }
            | IndexFileError::Newer { .. }
            | IndexFileError::Length { .. } => 0,
            IndexFileError::Checksums { offset, .. }
            | IndexFileError::Damaged { offset, .. }
            | IndexFileError::Unreadable { offset, .. } => *offset,
        }
    }

    /// A block that the system did not read.
    pub(super) fn unread(file: &Path, block: u64, offset: u64, error: &io::Error) -> Self {
        let file = file.to_owned();
        if error.kind() == io::ErrorKind::UnexpectedEof {
            return IndexFileError::Damaged { file, block, offset };
        }
        IndexFileError::Unreadable { file, block, offset, reason: error.to_string() }
    }

    /// The damaged file, if that is why something could not be read.
    pub(crate) fn in_io(error: &io::Error) -> Option<&Self> {
        let inner = error.get_ref()?;
        // What went through the engine of the index may be wrapped once more.
        let wrapped = || inner.downcast_ref::<Arc<io::Error>>().and_then(|error| Self::in_io(error));
        inner.downcast_ref().or_else(wrapped)
    }
}

impl From<IndexFileError> for io::Error {
    fn from(error: IndexFileError) -> Self {
        io::Error::new(io::ErrorKind::InvalidData, error)
    }
}

/// The damaged file, if that is why the engine of the index failed.
pub fn index_file_error(error: &TantivyError) -> Option<&IndexFileError> {
    let io_error: &Arc<io::Error> =
        if let TantivyError::OpenReadError(OpenReadError::IoError { io_error, .. }) = error {
            io_error
        } else if let TantivyError::IoError(io_error) = error {
            io_error
        } else {
            return None;
        };
    IndexFileError::in_io(io_error)
}
