//! Reading and replacing small files through the seam of the file system.

use std::io;
use std::path::Path;

use crate::limits::IDENTITY_FILE_BYTES_MAX;
use cairn_base::fs::FileSystem;
use zeroize::Zeroizing;

use super::IdentityError;

/// A file that was read.
pub(super) struct Found<'a> {
    path: &'a Path,
    content: Zeroizing<Vec<u8>>,
    exposed_mode: Option<u32>,
}

impl Found<'_> {
    /// The content of the file.
    pub(super) fn content(&self) -> &[u8] {
        &self.content
    }

    /// Fails if other users may read the file, because it holds a private key.
    pub(super) fn must_be_private(&self) -> Result<(), IdentityError> {
        match self.exposed_mode {
            Some(mode) => Err(IdentityError::OpenKey { file: self.path.to_owned(), mode }),
            None => Ok(()),
        }
    }
}

/// All of a file; `None` when it is not there.
pub(super) fn read(fs: &dyn FileSystem, path: &Path) -> Result<Option<Zeroizing<Vec<u8>>>, IdentityError> {
    Ok(find(fs, path)?.map(|found| found.content))
}

/// All of a file that holds a private key. Fails when others may read it.
pub(super) fn read_private(
    fs: &dyn FileSystem,
    path: &Path,
) -> Result<Option<Zeroizing<Vec<u8>>>, IdentityError> {
    let Some(found) = find(fs, path)? else { return Ok(None) };
    found.must_be_private()?;
    Ok(Some(found.content))
}

/// A file, if it is there.
pub(super) fn find<'a>(fs: &dyn FileSystem, path: &'a Path) -> Result<Option<Found<'a>>, IdentityError> {
    let failed = |source| IdentityError::Io { doing: "read", path: path.to_owned(), source };
    let file = match fs.open_to_read(path) {
        Ok(file) => file,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let bytes = usize::try_from(file.len().map_err(failed)?).unwrap_or(usize::MAX);
    if bytes > IDENTITY_FILE_BYTES_MAX {
        return Err(IdentityError::NotAnIdentity { file: path.to_owned() });
    }
    let mut content = Zeroizing::new(vec![0; bytes]);
    file.read_at(&mut content, 0).map_err(failed)?;
    Ok(Some(Found { path, content, exposed_mode: file.exposed_mode().map_err(failed)? }))
}

/// Puts a file in its place, whole or not at all; it is durable once its folder is synced.
pub(super) fn put(
    fs: &dyn FileSystem,
    folder: &Path,
    name: &str,
    content: &[u8],
) -> Result<(), IdentityError> {
    let path = folder.join(name);
    let unfinished = folder.join(format!("{name}.tmp"));
    let written = || {
        // One may be left from a time the power went.
        match fs.remove(&unfinished) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
            Ok(()) | Err(_) => {}
        }
        let file = fs.create(&unfinished)?;
        file.write_at(content, 0)?;
        file.sync_data()?;
        fs.rename(&unfinished, &path)
    };
    written().map_err(|source| IdentityError::Io { doing: "write", path, source })
}

/// Makes the names in a folder durable.
pub(super) fn sync(fs: &dyn FileSystem, folder: &Path) -> Result<(), IdentityError> {
    let failed = |source| IdentityError::Io { doing: "sync", path: folder.to_owned(), source };
    fs.sync_dir(folder).map_err(failed)
}
