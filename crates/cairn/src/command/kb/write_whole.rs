//! Files of the repository, replaced as a whole.

use std::fs::{self, OpenOptions, Permissions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use crate::failure::Failure;

/// Writes a file beside its place and gives it its name when it is whole and durable. It has the given permissions, or
/// those of the file that it replaces.
pub(super) fn write_whole(path: &Path, content: &[u8], mode: Option<Permissions>) -> Result<(), Failure> {
    let failed = |error| Failure::io(format_args!("write {}", path.display()), &error);
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    let unfinished = path.with_file_name(format!(".{name}.{}.new", std::process::id()));
    let mode = match mode {
        Some(mode) => mode,
        None => fs::metadata(path).map_err(failed)?.permissions(),
    };
    let written = (|| {
        let mut file = OpenOptions::new().write(true).create_new(true).open(&unfinished)?;
        file.write_all(content)?;
        file.set_permissions(mode)?;
        file.sync_all()?;
        fs::rename(&unfinished, path)
    })();
    if written.is_err() {
        // Half a file is of no use; the first error is what counts.
        let _ = fs::remove_file(&unfinished);
    }
    written.map_err(failed)
}

/// Creates a folder of the repository, and those above it. They may be read by everyone, unlike the data of cairn.
pub(super) fn create_folders(path: &Path) -> Result<(), Failure> {
    fn create(path: &Path) -> io::Result<()> {
        match fs::create_dir(path) {
            Ok(()) => fs::set_permissions(path, Permissions::from_mode(0o755)),
            Err(error) if error.kind() == ErrorKind::NotFound => {
                path.parent().map_or(Err(error), create)?;
                create(path)
            }
            Err(_) if path.is_dir() => Ok(()),
            Err(error) => Err(error),
        }
    }
    create(path).map_err(|error| Failure::io(format_args!("create {}", path.display()), &error))
}
