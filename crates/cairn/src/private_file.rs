//! New files that nobody but their owner may read.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

use crate::failure::Failure;

/// Writes a file that was not there, and makes it durable. The hint is for whoever named one that was.
pub(crate) fn write_new(path: &Path, content: &[u8], hint: &str) -> Result<(), Failure> {
    let mut file = match OpenOptions::new().write(true).create_new(true).mode(0o600).open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            return Err(Failure::usage(format!("{} is there already; nothing was changed", path.display()))
                .hint(hint));
        }
        Err(error) => return Err(Failure::io(format_args!("make {}", path.display()), &error)),
    };
    let written = file.write_all(content).and_then(|()| file.sync_all());
    let named = written.and_then(|()| folder_of(path).and_then(|folder| folder.sync_all()));
    named.map_err(|error| {
        // Half a file is of no use, and its name would be taken.
        let _ = std::fs::remove_file(path);
        Failure::io(format_args!("write {}", path.display()), &error)
    })
}

/// The folder that a file is in.
pub(crate) fn folder_of(path: &Path) -> std::io::Result<File> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    File::open(folder.unwrap_or(Path::new(".")))
}
